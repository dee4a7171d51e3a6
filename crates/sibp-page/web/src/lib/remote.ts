/** Loads what a view shows, and again when the model changes or the server comes back; the old stays until the new is there. */
import { useEffect, useState } from 'preact/hooks';
import { get } from './api';
import { returns, state } from './connection';
import { useStore } from './store';

export interface Remote<T> {
  data: T | null;
  error: string | null;
  loading: boolean;
}

/** `key` names what is loaded (null: nothing); `load` must depend on it alone. */
export function useRemote<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>): Remote<T> {
  const version = useStore(state)?.version ?? null;
  const returned = useStore(returns);
  const [shown, show] = useState<Remote<T> & { key: string | null }>({ key: null, data: null, error: null, loading: true });

  useEffect(() => {
    if (key === null || version === null) return;
    const abort = new AbortController();
    show((old) => ({ ...old, loading: true }));
    load(abort.signal).then(
      (data) => !abort.signal.aborted && show({ key, data, error: null, loading: false }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        show((old) => ({ key, data: old.key === key ? old.data : null, error: String((error as Error).message), loading: false }));
      },
    );
    return () => abort.abort();
  }, [key, version, returned]);

  if (key === null) return { data: null, error: null, loading: false };
  return shown.key === key ? shown : { data: null, error: null, loading: true };
}

/** The usual case: a GET whose address is the key. */
export function useGet<T>(path: string | null): Remote<T> {
  return useRemote<T>(path, (signal) => get<T>(path ?? '', signal));
}
