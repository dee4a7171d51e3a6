/** Draws the small signs of the navigation. */
import type { JSX } from 'preact';

const PATHS: Record<string, string> = {
  brand: 'M3 3h7v7H3zM14 3h7v7h-7zM3 14h7v7H3z',
  overview: 'M4 20V11M10 20V5M16 20v-6M21 20H3',
  bits: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z',
  map: 'M5 7.5h.01M9 15h.01M17 6h.01M13 10h.01M18 14h.01M7 19h.01M14 18h.01',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16.5 16.5 21 21',
  judge: 'M12 3v17M7 20h10M4 7h16M4 7l-2.5 6h5zM20 7l-2.5 6h5z',
};

export function Icon({ name }: { name: string }): JSX.Element {
  return (
    <svg class={`icon ${name}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name] ?? ''} />
    </svg>
  );
}
