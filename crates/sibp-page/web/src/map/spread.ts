/** Lays objects that share a place side by side, in a disc around it whose area is their number: equal codes lie on one spot. */

const TURN = Math.PI * (3 - Math.sqrt(5));
/** Distance of neighbours in a disc, as a share of the map's size when there is one object on it. */
const STEP = 0.16;

export function spread(points: Float32Array): Float32Array {
  const n = points.length / 2;
  const step = (STEP * extent(points)) / Math.sqrt(Math.max(n, 1));
  const laid = new Float32Array(points.length);
  const seen = new Map<string, number>();
  for (let object = 0; object < n; object++) {
    const x = points[2 * object] as number;
    const y = points[2 * object + 1] as number;
    const key = `${x},${y}`;
    const rank = seen.get(key) ?? 0;
    seen.set(key, rank + 1);
    const radius = step * Math.sqrt(rank);
    laid[2 * object] = x + radius * Math.cos(rank * TURN);
    laid[2 * object + 1] = y + radius * Math.sin(rank * TURN);
  }
  return laid;
}

function extent(points: Float32Array): number {
  const box = bounds(points);
  return Math.max(box.right - box.left, box.bottom - box.top) || 1;
}

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export function bounds(points: Float32Array): Box {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (let ix = 0; ix < points.length; ix += 2) {
    const x = points[ix] as number;
    const y = points[ix + 1] as number;
    if (x < box.left) box.left = x;
    if (x > box.right) box.right = x;
    if (y < box.top) box.top = y;
    if (y > box.bottom) box.bottom = y;
  }
  return points.length ? box : { left: 0, right: 1, top: 0, bottom: 1 };
}
