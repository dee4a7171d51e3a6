/** Reads the colours of the style sheet for what is drawn on canvas, and follows light and dark. */
import { Store } from './store';

export interface Colours {
  text: string;
  page: string;
  card: string;
  faint: string;
  soft: string;
  accent: string;
}

function read(): Colours {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return { text: get('text'), page: get('page'), card: get('card'), faint: get('faint'), soft: get('soft'), accent: get('accent') };
}

export const colours = new Store<Colours>(read());

const dark = matchMedia('(prefers-color-scheme: dark)');
dark.addEventListener('change', () => colours.set(read()));

export function isDark(): boolean {
  return dark.matches;
}

/** Called once the style sheet is there. */
export function start(): void {
  colours.set(read());
}

/** `#rrggbb` as three numbers. */
export function rgb(colour: string): [number, number, number] {
  const value = Number.parseInt(colour.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
