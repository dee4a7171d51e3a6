/** Says where a place of the map lies on the screen: a scale and a shift, in CSS pixels. */
import type { Box } from './spread';

export interface Window {
  scale: number;
  x: number;
  y: number;
}

const MARGIN = 24;
const DEEPEST = 400;

/** The window that shows everything, without distortion. */
export function fit(box: Box, width: number, height: number): Window {
  const scale = Math.min((width - 2 * MARGIN) / (box.right - box.left || 1), (height - 2 * MARGIN) / (box.bottom - box.top || 1));
  return { scale, x: width / 2 - (scale * (box.left + box.right)) / 2, y: height / 2 - (scale * (box.top + box.bottom)) / 2 };
}

/** Zooms by `factor` about a place of the screen; `whole` bounds how far. */
export function zoom(now: Window, factor: number, atX: number, atY: number, whole: Window): Window {
  const scale = Math.max(whole.scale / 2, Math.min(whole.scale * DEEPEST, now.scale * factor));
  const by = scale / now.scale;
  return { scale, x: atX - (atX - now.x) * by, y: atY - (atY - now.y) * by };
}

export function pan(now: Window, dx: number, dy: number): Window {
  return { ...now, x: now.x + dx, y: now.y + dy };
}

/** Moves a place of the map into the middle of the screen, if it cannot be seen. */
export function reveal(now: Window, x: number, y: number, width: number, height: number): Window {
  const [atX, atY] = [now.x + now.scale * x, now.y + now.scale * y];
  if (atX >= 0 && atX <= width && atY >= 0 && atY <= height) return now;
  return { ...now, x: width / 2 - now.scale * x, y: height / 2 - now.scale * y };
}
