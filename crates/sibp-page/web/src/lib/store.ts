/** Holds a value that views watch. */
import { useEffect, useState } from 'preact/hooks';

export class Store<T> {
  #watchers = new Set<(value: T) => void>();

  constructor(public value: T) {}

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const watcher of [...this.#watchers]) watcher(value);
  }

  watch(watcher: (value: T) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

export function useStore<T>(store: Store<T>): T {
  const [, draw] = useState({});
  // What was set between the first drawing and this effect is not missed: the draw reads the store itself.
  useEffect(() => {
    draw({});
    return store.watch(() => draw({}));
  }, [store]);
  return store.value;
}
