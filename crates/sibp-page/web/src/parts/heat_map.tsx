/** Draws codes on a canvas: a column a bit, a line an object, groups of lines by label. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { state } from '../lib/connection';
import { ofKind } from '../lib/palette';
import { useStore } from '../lib/store';
import { colours, rgb } from '../lib/theme';
import type { Bit, Bits } from '../lib/types';
import { groups } from './label_groups';

const HEIGHT = 520;

/** The packed codes of the rows. */
export function decodeRows(data: Bits): { packed: Uint8Array; bytes: number } {
  const text = atob(data.codes);
  const packed = new Uint8Array(text.length);
  for (let ix = 0; ix < text.length; ix++) packed[ix] = text.charCodeAt(ix);
  return { packed, bytes: data.bytes };
}

interface Properties {
  rows: { packed: Uint8Array; bytes: number };
  /** Which object each row is. */
  order: number[];
  bits: Bit[];
  labels: number[] | null;
  chosen: number | null;
  onPick: (bit: number) => void;
}

export function HeatMap(properties: Properties): JSX.Element {
  const { rows, order, bits, labels, chosen, onPick } = properties;
  const canvas = useRef<HTMLCanvasElement>(null);
  const names = useStore(state)?.labels?.names ?? null;
  const theme = useStore(colours);
  const [width, setWidth] = useState(0);
  const [over, setOver] = useState<number | null>(null);
  const bands = labels && names ? groups(order, labels, names) : [];

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setWidth(element.clientWidth));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  useEffect(() => {
    const element = canvas.current;
    if (!element || !width) return;
    const ratio = Math.min(devicePixelRatio, 2);
    element.width = Math.round(width * ratio);
    element.height = Math.round(HEIGHT * ratio);
    const context = element.getContext('2d');
    if (context) paint(context, rows, order.length, bits, theme, bands.map((band) => band.start / order.length));
  }, [rows, bits, width, theme, bands.length]);

  const bitAt = (event: MouseEvent): number | null => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return bits[Math.floor(((event.clientX - box.left) / box.width) * bits.length)]?.bit ?? null;
  };
  const mark = (bit: number | null, kind: string): JSX.Element | null => {
    const ix = bits.findIndex((each) => each.bit === bit);
    if (ix < 0) return null;
    return <div class={`column ${kind}`} style={{ left: `${(100 * ix) / bits.length}%`, width: `${100 / bits.length}%` }} aria-hidden="true" />;
  };

  return (
    <div class="heat card">
      <div class="bands" aria-hidden="true">
        {bands
          .filter((band) => (band.rows / order.length) * HEIGHT >= 11)
          .map((band) => (
            <span key={band.name} style={{ top: `${(100 * (band.start + band.rows / 2)) / order.length}%` }} title={band.name}>
              {band.name}
            </span>
          ))}
      </div>
      <div class="sheet">
        <canvas
          ref={canvas}
          role="img"
          aria-label={`Heat map of ${bits.length} bits and ${order.length} objects`}
          onClick={(event) => {
            const bit = bitAt(event);
            if (bit !== null) onPick(bit);
          }}
          onMouseMove={(event) => setOver(bitAt(event))}
          onMouseLeave={() => setOver(null)}
        />
        {mark(over, 'over')}
        {mark(chosen, 'chosen')}
        {over !== null ? <div class="tip" style={{ left: `${Math.min(84, (100 * bits.findIndex((bit) => bit.bit === over)) / bits.length)}%` }}>bit {over}</div> : null}
      </div>
    </div>
  );
}

/** Every line of pixels is the mean of the objects that fall into it. */
function paint(
  context: CanvasRenderingContext2D,
  rows: { packed: Uint8Array; bytes: number },
  n: number,
  bits: Bit[],
  theme: { card: string; faint: string },
  lines: number[],
): void {
  const { width, height } = context.canvas;
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const ground = rgb(theme.card);
  const inks = bits.map((bit) => rgb(ofKind(bit.kind)));
  const edges = bits.map((_, ix) => Math.round((ix * width) / bits.length));
  const gap = width / bits.length >= 6 ? 1 : 0;
  const empty = pack(ground, ground, 0);
  pixels.fill(empty);
  for (let y = 0; y < height; y++) {
    const first = Math.floor((y * n) / height);
    const last = Math.max(first + 1, Math.floor(((y + 1) * n) / height));
    for (let column = 0; column < bits.length; column++) {
      const share = meanOf(rows, first, Math.min(last, n), (bits[column] as Bit).bit);
      const ink = pack(ground, inks[column] as [number, number, number], share * 0.92 + 0.04);
      const end = (edges[column + 1] ?? width) - gap;
      pixels.fill(ink, y * width + (edges[column] as number), y * width + end);
    }
  }
  for (const line of lines.slice(1)) {
    const y = Math.round(line * height);
    pixels.fill(empty, y * width, (y + 1) * width);
  }
  context.putImageData(image, 0, 0);
}

function meanOf(rows: { packed: Uint8Array; bytes: number }, first: number, last: number, bit: number): number {
  let on = 0;
  for (let row = first; row < last; row++) on += ((rows.packed[row * rows.bytes + (bit >> 3)] ?? 0) >> (bit & 7)) & 1;
  return on / Math.max(1, last - first);
}

/** A colour between two as the canvas stores it. */
function pack(from: [number, number, number], to: [number, number, number], share: number): number {
  const [r, g, b] = [0, 1, 2].map((ix) => Math.round((from[ix] as number) + ((to[ix] as number) - (from[ix] as number)) * share)) as [number, number, number];
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}
