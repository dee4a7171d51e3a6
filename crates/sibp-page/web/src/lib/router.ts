/** Knows which view an address names, and goes from one to another without a reload. */
import { Store } from './store';

export interface Place {
  view: string;
  /** What stands behind the view's name: a bit, an object. */
  rest: string | null;
  query: URLSearchParams;
}

function here(): Place {
  const [view, rest] = location.pathname.split('/').filter(Boolean);
  return { view: view ?? 'overview', rest: rest ?? null, query: new URLSearchParams(location.search) };
}

export const place = new Store<Place>(here());

export function go(address: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  place.set(here());
}

/** The address of now with some of its query changed; null takes a key away. */
export function withQuery(changes: Record<string, string | null>): string {
  const query = new URLSearchParams(location.search);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) query.delete(key);
    else query.set(key, value);
  }
  const text = query.toString();
  return location.pathname + (text ? `?${text}` : '');
}

/** A whole number from the address, or null if it is none below `limit`. */
export function numberIn(text: string | null, limit = Infinity): number | null {
  if (text === null || !/^\d{1,12}$/.test(text)) return null;
  const value = Number(text);
  return value < limit ? value : null;
}

function followed(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const anchor = (event.target as Element | null)?.closest?.('a');
  if (!anchor || anchor.target || anchor.origin !== location.origin || anchor.hash || anchor.hasAttribute('download')) return;
  event.preventDefault();
  go(anchor.pathname + anchor.search);
}

export function start(): void {
  document.addEventListener('click', followed);
  window.addEventListener('popstate', () => place.set(here()));
}
