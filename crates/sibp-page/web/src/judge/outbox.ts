/** Keeps answers until the server has acknowledged them: in this browser's storage, each under a key of its own, so that
 * neither a reload nor a second tab loses one. The server knows an answer by `client` and stores it once, however often it is sent. */
import { Gone, Refused, post } from '../lib/api';
import { Store } from '../lib/store';
import type { Acknowledged, Choice } from '../lib/types';

export interface Answer {
  client: string;
  question: string;
  judge: string;
  /** What was on the screen: a question of the same name in another journal is another question. */
  anchor: number;
  left: number;
  right: number;
  answer: Choice;
  milliseconds: number;
  /** When it was given, for the order of sending. */
  at: number;
}

export interface Waiting {
  answer: Answer;
  /** Why the last attempt failed. */
  problem: string | null;
  /** The server will not take it, however often it is sent; a person decides. */
  refused: boolean;
}

const PREFIX = 'sibp.answer.';
const FIRST_WAIT = 400;
const LONGEST_WAIT = 5000;

export class Outbox {
  readonly waiting = new Store<Waiting[]>([]);
  #sending = false;
  #closed = false;
  #timer: number | undefined;
  #wait = FIRST_WAIT;
  #drained: (() => void)[] = [];

  constructor(private onStored: (answer: Answer, acknowledged: Acknowledged) => void) {
    this.waiting.set(stored().map((answer) => ({ answer, problem: null, refused: false })));
  }

  add(answer: Answer): void {
    keep(answer);
    this.waiting.set([...this.waiting.value, { answer, problem: null, refused: false }]);
    this.flush();
  }

  /** Sends what waits, one after another. */
  flush(): void {
    window.clearTimeout(this.#timer);
    if (!this.#sending && !this.#closed) void this.#send();
  }

  close(): void {
    this.#closed = true;
    window.clearTimeout(this.#timer);
  }

  /** Sends once more what the server refused. */
  again(client: string): void {
    this.#change(client, { problem: null, refused: false });
    this.flush();
  }

  discard(client: string): void {
    this.#drop(client);
  }

  /** Resolves when nothing waits that can be sent. */
  drained(): Promise<void> {
    if (!this.#next()) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  #next(): Waiting | undefined {
    return this.waiting.value.find((each) => !each.refused);
  }

  async #send(): Promise<void> {
    this.#sending = true;
    for (let next = this.#next(); next && !this.#closed; next = this.#next()) {
      const { at: _, ...content } = next.answer;
      try {
        const acknowledged = await post<Acknowledged>('/api/judge/answer', content);
        this.#wait = FIRST_WAIT;
        this.#drop(next.answer.client);
        this.onStored(next.answer, acknowledged);
      } catch (error) {
        const passing = error instanceof Gone || (error instanceof Refused && error.passing);
        this.#change(next.answer.client, { problem: (error as Error).message, refused: !passing });
        if (passing) {
          this.#timer = window.setTimeout(() => this.flush(), this.#wait);
          this.#wait = Math.min(LONGEST_WAIT, this.#wait * 2);
          break;
        }
      }
    }
    this.#sending = false;
    if (!this.#next()) for (const resolve of this.#drained.splice(0)) resolve();
  }

  #change(client: string, change: Partial<Waiting>): void {
    this.waiting.set(this.waiting.value.map((each) => (each.answer.client === client ? { ...each, ...change } : each)));
  }

  #drop(client: string): void {
    forget(client);
    this.waiting.set(this.waiting.value.filter((each) => each.answer.client !== client));
  }
}

/** A name for an answer that no other answer has. */
export function clientId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

// Storage may be full or forbidden; the answer then lives as long as the page.
function keep(answer: Answer): void {
  try {
    localStorage.setItem(PREFIX + answer.client, JSON.stringify(answer));
  } catch {
    // See above.
  }
}

function forget(client: string): void {
  try {
    localStorage.removeItem(PREFIX + client);
  } catch {
    // See above.
  }
}

function stored(): Answer[] {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(PREFIX))
      .map((key) => JSON.parse(localStorage.getItem(key) ?? '') as Answer)
      .sort((a, b) => a.at - b.at);
  } catch {
    return [];
  }
}
