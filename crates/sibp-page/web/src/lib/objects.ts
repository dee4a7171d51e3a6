/** Keeps what is known of objects: their ids and labels as columns, and details of those that were shown. */
import { useEffect, useState } from 'preact/hooks';
import { get } from './api';
import { returns, state } from './connection';
import { useStore } from './store';
import type { ObjectDetail, Objects } from './types';

let columns: Promise<Objects> | null = null;
const details = new Map<number, Promise<ObjectDetail>>();
/** Enough for any page of neighbours; the rest is asked for again. */
const KEPT = 2000;

/** Ids and labels do not change while a server runs; a failed attempt is forgotten. */
export function loadObjects(): Promise<Objects> {
  columns ??= get<Objects>('/api/objects').catch((error: unknown) => {
    columns = null;
    throw error;
  });
  return columns;
}

export function loadObject(object: number): Promise<ObjectDetail> {
  const known = details.get(object);
  if (known) return known;
  if (details.size >= KEPT) details.clear();
  const asked = get<ObjectDetail>(`/api/object/${object}`).catch((error: unknown) => {
    details.delete(object);
    throw error;
  });
  details.set(object, asked);
  return asked;
}

// A server that comes back may have been started with other data.
returns.watch(() => {
  columns = null;
  details.clear();
});

function usePromise<T>(make: () => Promise<T> | null, key: unknown): T | null {
  const returned = useStore(returns);
  const [held, hold] = useState<{ key: unknown; value: T } | null>(null);
  useEffect(() => {
    let wanted = true;
    make()?.then(
      (value) => wanted && hold({ key, value }),
      // The banner says that the server is gone, and `returns` starts a new attempt.
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [key, returned]);
  return held && held.key === key ? held.value : null;
}

export function useObjects(): Objects | null {
  return usePromise(loadObjects, 'objects');
}

export function useObject(object: number | null): ObjectDetail | null {
  return usePromise(() => (object === null ? null : loadObject(object)), object);
}

/** The name of an object's label, where there are labels. */
export function labelOf(objects: Objects | null, object: number): string | null {
  const names = state.value?.labels?.names;
  const label = objects?.labels?.[object];
  return names && label !== undefined && label >= 0 ? (names[label] ?? null) : null;
}
