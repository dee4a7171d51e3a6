/** Shows the map on a canvas: drag or arrows to move, wheel, pinch or + and - to zoom, hover and click for an object. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useStore } from '../lib/store';
import { colours } from '../lib/theme';
import { Gesture } from './gesture';
import { Grid } from './grid';
import { Painter, radiusFor } from './painter';
import { bounds } from './spread';
import { type Window, fit, pan, reveal, zoom } from './window';

/** How far from an object the pointer may be, in CSS pixels. */
const REACH = 14;
const MOVE = 60;

interface Properties {
  points: Float32Array;
  /** The colour of each object, as an index into `inks`. */
  shades: Uint8Array;
  inks: string[];
  lit: Set<number> | null;
  /** The object that is marked. */
  marked: number | null;
  /** Whether the marked object was asked for and has to be brought into sight. */
  follow: boolean;
  onHover: (object: number | null) => void;
  onPick: (object: number) => void;
}

export function Scatter({ points, shades, inks, lit, marked, follow, onHover, onPick }: Properties): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useMemo(() => new Painter(), []);
  const grid = useMemo(() => new Grid(points), [points]);
  const box = useMemo(() => bounds(points), [points]);
  const theme = useStore(colours);
  const [size, setSize] = useState<{ width: number; height: number } | null>(null);
  const whole = useMemo(() => (size ? fit(box, size.width, size.height) : null), [box, size]);
  const [moved, setMoved] = useState<Window | null>(null);
  const view = moved ?? whole;

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  useEffect(() => setMoved(null), [points, size]);

  useEffect(() => {
    if (marked === null || !follow || !size || !whole) return;
    setMoved((now) => reveal(now ?? whole, points[2 * marked] as number, points[2 * marked + 1] as number, size.width, size.height));
  }, [marked, follow, whole]);

  useEffect(() => {
    if (!size || !view || !whole) return;
    const frame = requestAnimationFrame(() => {
      const context = canvas.current?.getContext('2d', { alpha: false });
      if (!context) return;
      const began = performance.now();
      const ratio = Math.min(devicePixelRatio, 2);
      const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
      if (context.canvas.width !== width || context.canvas.height !== height) Object.assign(context.canvas, { width, height });
      const radius = radiusFor(points.length / 2, view.scale / whole.scale);
      painter.paint(context, { points, colours: shades, inks, ground: theme.card, lit }, view, radius, ratio);
      // What `make bench-page` reads.
      context.canvas.dataset['painted'] = String(Number(context.canvas.dataset['painted'] ?? 0) + 1);
      context.canvas.dataset['milliseconds'] = (performance.now() - began).toFixed(2);
    });
    return () => cancelAnimationFrame(frame);
  }, [points, shades, inks, lit, view, size, theme]);

  // The newest values for listeners that live as long as the canvas.
  const latest = useRef({ view, whole, grid, onHover, onPick });
  latest.current = { view, whole, grid, onHover, onPick };

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const objectAt = (x: number, y: number): number | null => {
      const { view: now, grid: cells } = latest.current;
      return now ? cells.nearest((x - now.x) / now.scale, (y - now.y) / now.scale, REACH / now.scale) : null;
    };
    const gesture = new Gesture(element, {
      pan: (dx, dy) => setMoved(() => latest.current.view && (latest.current.view = pan(latest.current.view, dx, dy))),
      zoom: (factor, x, y) =>
        setMoved(() => {
          const { view: now, whole: all } = latest.current;
          return now && all && (latest.current.view = zoom(now, factor, x, y, all));
        }),
      hover: (x, y) => latest.current.onHover(x === null || y === null ? null : objectAt(x, y)),
      click: (x, y) => {
        const object = objectAt(x, y);
        if (object !== null) latest.current.onPick(object);
      },
    });
    return () => gesture.end();
  }, []);

  function change(make: (now: Window, all: Window) => Window): void {
    if (view && whole) setMoved(make(view, whole));
  }
  const middle = (factor: number): void => {
    if (size) change((now, all) => zoom(now, factor, size.width / 2, size.height / 2, all));
  };

  function onKeyDown(event: KeyboardEvent): void {
    const moves: Record<string, [number, number]> = { ArrowLeft: [MOVE, 0], ArrowRight: [-MOVE, 0], ArrowUp: [0, MOVE], ArrowDown: [0, -MOVE] };
    const move = moves[event.key];
    if (move) change((now) => pan(now, ...move));
    else if (event.key === '+' || event.key === '=') middle(1.5);
    else if (event.key === '-') middle(1 / 1.5);
    else if (event.key === '0') setMoved(null);
    else return;
    event.preventDefault();
  }

  return (
    <div class="scatter">
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label={`Map of ${points.length / 2} objects. Arrow keys move it, plus and minus zoom, 0 shows all. Below, objects can be found by id.`}
        onKeyDown={onKeyDown}
      />
      {marked !== null && view ? (
        <div
          class="marker"
          style={{ transform: `translate(${view.x + view.scale * (points[2 * marked] as number)}px, ${view.y + view.scale * (points[2 * marked + 1] as number)}px)` }}
          aria-hidden="true"
        />
      ) : null}
      <div class="zoom" role="group" aria-label="Zoom">
        <button type="button" onClick={() => middle(1.5)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => middle(1 / 1.5)} aria-label="Zoom out">
          −
        </button>
        <button type="button" onClick={() => setMoved(null)}>
          all
        </button>
      </div>
    </div>
  );
}
