/** Gives a long list one stop for the Tab key; arrows, Home and End move inside it. */
import { useState } from 'preact/hooks';

export interface Roving {
  item: (ix: number) => { tabIndex: number; 'data-rove': number; onFocus: () => void };
  onKeyDown: (event: KeyboardEvent) => void;
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export function useRoving(length: number, start = 0, follow?: (ix: number) => void): Roving {
  const [held, hold] = useState<number | null>(null);
  const at = Math.max(0, Math.min(held ?? start, length - 1));

  function onKeyDown(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const next = event.key === 'Home' ? 0 : event.key === 'End' ? length - 1 : event.key in STEPS ? at + (STEPS[event.key] ?? 0) : null;
    if (next === null || next < 0 || next >= length) return;
    event.preventDefault();
    hold(next);
    (event.currentTarget as HTMLElement).querySelector<HTMLElement>(`[data-rove="${next}"]`)?.focus();
    follow?.(next);
  }

  return { item: (ix) => ({ tabIndex: ix === at ? 0 : -1, 'data-rove': ix, onFocus: () => hold(ix) }), onKeyDown };
}
