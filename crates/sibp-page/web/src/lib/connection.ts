/** Follows the server: what it holds now, whether it is there, and when it came back. */
import { Gone, Refused, get, whenGone } from './api';
import { Store } from './store';
import type { State } from './types';

export type Link = { kind: 'connecting' } | { kind: 'up' } | { kind: 'gone' } | { kind: 'stranger' } | { kind: 'ill'; sentence: string };

export const state = new Store<State | null>(null);
export const link = new Store<Link>({ kind: 'connecting' });
/** Rises each time that the server is there again, so that what failed is asked for once more. */
export const returns = new Store(0);

const FIRST_WAIT = 500;
const LONGEST_WAIT = 4000;

let events: EventSource | null = null;
let timer: number | undefined;
let wait = FIRST_WAIT;
/** How often in a row the events ended before any came. */
let silent = 0;

function lost(kind: Link): void {
  events?.close();
  events = null;
  link.set(kind);
  window.clearTimeout(timer);
  timer = window.setTimeout(connect, wait);
  wait = Math.min(LONGEST_WAIT, wait * 2);
}

function found(): void {
  wait = FIRST_WAIT;
  const before = link.value.kind;
  if (before === 'up') return;
  link.set({ kind: 'up' });
  if (before !== 'connecting') returns.set(returns.value + 1);
}

/** Reads the state once, then listens; any failure leads to `lost`, which tries again. */
async function connect(): Promise<void> {
  window.clearTimeout(timer);
  try {
    state.set(await get<State>('/api/state'));
  } catch (error) {
    if (error instanceof Refused && (error.status === 401 || error.status === 403)) return lost({ kind: 'stranger' });
    if (error instanceof Refused) return lost({ kind: 'ill', sentence: error.message });
    return lost({ kind: 'gone' });
  }
  found();
  listen();
}

function listen(): void {
  events?.close();
  const source = new EventSource('/api/events');
  events = source;
  source.addEventListener('state', (event) => {
    silent = 0;
    state.set(JSON.parse((event as MessageEvent<string>).data) as State);
  });
  // Asking for the state tells whether the server is gone or only has too many listeners; then it is asked now and then.
  source.addEventListener('error', () => {
    if (events !== source) return;
    source.close();
    events = null;
    timer = window.setTimeout(connect, silent === 0 ? 0 : Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** silent));
    silent += 1;
  });
}

/** Tries at once instead of waiting for the next attempt. */
export function retryNow(): void {
  wait = FIRST_WAIT;
  void connect();
}

/** Asks for the state again, when an answer of ours changed it. */
export async function refresh(): Promise<void> {
  try {
    state.set(await get<State>('/api/state'));
  } catch (error) {
    if (!(error instanceof Gone || error instanceof Refused)) throw error;
  }
}

export function start(): void {
  whenGone(() => {
    if (link.value.kind === 'up') lost({ kind: 'gone' });
  });
  // A browser opens few connections to one server: tabs that nobody looks at leave theirs to the others.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      events?.close();
      events = null;
    } else if (!events) {
      void connect();
    }
  });
  void connect();
}
