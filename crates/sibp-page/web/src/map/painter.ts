/** Paints objects as discs into the pixels of a canvas. Stamping bytes is several times as fast as the canvas's own arcs. */
import { rgb } from '../lib/theme';
import type { Window } from './window';

export interface Picture {
  points: Float32Array;
  /** The colour of each object, as an index into `inks`. */
  colours: Uint8Array;
  inks: string[];
  ground: string;
  /** Only these colours are shown in full; null: all. */
  lit: Set<number> | null;
}

/** Where a disc covers a pixel and how much of it, of 256. */
interface Stamp {
  dx: Int8Array;
  dy: Int8Array;
  cover: Uint16Array;
  reach: number;
}

export function stamp(radius: number): Stamp {
  const reach = Math.ceil(radius);
  const parts: [number, number, number][] = [];
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      const cover = Math.round(256 * Math.max(0, Math.min(1, radius + 0.5 - Math.hypot(dx, dy))));
      if (cover > 0) parts.push([dx, dy, cover]);
    }
  }
  return {
    dx: Int8Array.from(parts, (part) => part[0]),
    dy: Int8Array.from(parts, (part) => part[1]),
    cover: Uint16Array.from(parts, (part) => part[2]),
    reach,
  };
}

/** Smaller discs for more objects, larger ones as one comes nearer. */
export function radiusFor(objects: number, closeness: number): number {
  const base = objects > 50_000 ? 1.2 : objects > 5_000 ? 1.8 : objects > 500 ? 3 : 5;
  return Math.min(9, base * Math.sqrt(Math.max(1, closeness)) ** 0.8);
}

export class Painter {
  #image: ImageData | null = null;

  /** Paints everything; `ratio` is device pixels in a CSS pixel. */
  paint(context: CanvasRenderingContext2D, picture: Picture, view: Window, radius: number, ratio: number): void {
    const { width, height } = context.canvas;
    if (this.#image?.width !== width || this.#image.height !== height) this.#image = context.createImageData(width, height);
    const image = this.#image;
    const pixels = new Uint32Array(image.data.buffer);
    pixels.fill(opaque(rgb(picture.ground)));
    const disc = stamp(radius * ratio);
    const inks = Uint32Array.from(picture.inks, (ink) => opaque(rgb(ink)));
    const all = { image, pixels, width, height, disc, scale: view.scale * ratio, x: view.x * ratio, y: view.y * ratio };
    if (picture.lit) {
      const dim = Uint32Array.from(picture.inks, (ink) => opaque(mix(rgb(picture.ground), rgb(ink), 0.16)));
      const lit = picture.lit;
      stampAll(all, picture, dim, (colour) => !lit.has(colour));
      stampAll(all, picture, inks, (colour) => lit.has(colour));
    } else {
      stampAll(all, picture, inks, null);
    }
    context.putImageData(image, 0, 0);
  }
}

interface Target {
  image: ImageData;
  pixels: Uint32Array;
  width: number;
  height: number;
  disc: Stamp;
  scale: number;
  x: number;
  y: number;
}

function stampAll(target: Target, picture: Picture, inks: Uint32Array, wanted: ((colour: number) => boolean) | null): void {
  const { points, colours } = picture;
  const { pixels, width, height, disc } = target;
  const { dx, dy, cover, reach } = disc;
  const parts = dx.length;
  for (let object = 0, at = 0; at < points.length; object++, at += 2) {
    const x = Math.round((points[at] as number) * target.scale + target.x);
    const y = Math.round((points[at + 1] as number) * target.scale + target.y);
    if (x < reach || y < reach || x >= width - reach || y >= height - reach) continue;
    const colour = colours[object] as number;
    if (wanted && !wanted(colour)) continue;
    const ink = inks[colour] as number;
    const middle = y * width + x;
    for (let part = 0; part < parts; part++) {
      const pixel = middle + (dy[part] as number) * width + (dx[part] as number);
      const share = cover[part] as number;
      pixels[pixel] = share >= 256 ? ink : blend(pixels[pixel] as number, ink, share);
    }
  }
}

/** Mixes two opaque colours, two channels at a time. */
function blend(under: number, over: number, share: number): number {
  const rest = 256 - share;
  const redBlue = ((((under & 0xff00ff) * rest + (over & 0xff00ff) * share) >>> 8) & 0xff00ff) >>> 0;
  const green = (((under & 0x00ff00) * rest + (over & 0x00ff00) * share) >>> 8) & 0x00ff00;
  return (0xff000000 | redBlue | green) >>> 0;
}

function mix(from: [number, number, number], to: [number, number, number], share: number): [number, number, number] {
  return [0, 1, 2].map((ix) => Math.round((from[ix] as number) + ((to[ix] as number) - (from[ix] as number)) * share)) as [number, number, number];
}

function opaque([red, green, blue]: [number, number, number]): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}
