/** Finds the object nearest to a place without looking at all of them: a grid of cells, objects listed by cell. */
import { type Box, bounds } from './spread';

/** Objects a cell holds on average. */
const FILL = 4;

export class Grid {
  #box: Box;
  #side: number;
  #starts: Uint32Array;
  #objects: Uint32Array;

  constructor(private points: Float32Array) {
    const n = points.length / 2;
    this.#box = bounds(points);
    this.#side = Math.max(1, Math.ceil(Math.sqrt(n / FILL)));
    this.#starts = new Uint32Array(this.#side * this.#side + 1);
    this.#objects = new Uint32Array(n);
    const cells = new Uint32Array(n);
    for (let object = 0; object < n; object++) {
      const cell = this.#row(points[2 * object + 1] as number) * this.#side + this.#column(points[2 * object] as number);
      cells[object] = cell;
      this.#starts[cell + 1] = (this.#starts[cell + 1] as number) + 1;
    }
    for (let cell = 0; cell < this.#side * this.#side; cell++) this.#starts[cell + 1] = (this.#starts[cell + 1] as number) + (this.#starts[cell] as number);
    const next = this.#starts.slice();
    for (let object = 0; object < n; object++) {
      const cell = cells[object] as number;
      this.#objects[next[cell] as number] = object;
      next[cell] = (next[cell] as number) + 1;
    }
  }

  /** The object nearest to (x, y) within `reach`. */
  nearest(x: number, y: number, reach: number): number | null {
    let best: number | null = null;
    let least = reach * reach;
    for (let row = this.#row(y - reach); row <= this.#row(y + reach); row++) {
      const first = this.#starts[row * this.#side + this.#column(x - reach)] as number;
      const last = this.#starts[row * this.#side + this.#column(x + reach) + 1] as number;
      for (let ix = first; ix < last; ix++) {
        const object = this.#objects[ix] as number;
        const dx = (this.points[2 * object] as number) - x;
        const dy = (this.points[2 * object + 1] as number) - y;
        if (dx * dx + dy * dy <= least) {
          least = dx * dx + dy * dy;
          best = object;
        }
      }
    }
    return best;
  }

  #column(x: number): number {
    return this.#cell(x, this.#box.left, this.#box.right);
  }

  #row(y: number): number {
    return this.#cell(y, this.#box.top, this.#box.bottom);
  }

  #cell(value: number, low: number, high: number): number {
    const cell = Math.floor(((value - low) / (high - low || 1)) * this.#side);
    return Math.max(0, Math.min(this.#side - 1, cell));
  }
}
