/** Leads a judge through questions: the next ones are here, with their pictures, before the present one is answered. */
import { Gone, Refused, post } from '../lib/api';
import { link, state } from '../lib/connection';
import { loadObject } from '../lib/objects';
import { Store } from '../lib/store';
import type { Acknowledged, Choice, Question } from '../lib/types';
import { imageAddress } from '../parts/face';
import { type Answer, Outbox, clientId } from './outbox';
import { Stopwatch } from './stopwatch';

/** Questions held at a time: the one that is shown and those that follow. */
const HELD = 3;
/** Answered questions that are remembered, so that an undone one can be shown again. */
const REMEMBERED = 50;

export interface Shown {
  question: Question | null;
  /** No question came although one was asked for. */
  finished: boolean;
  problem: string | null;
  /** What the last key did, for people who do not see the page change. */
  said: string;
}

export class Session {
  readonly shown = new Store<Shown>({ question: null, finished: false, problem: null, said: '' });
  readonly outbox: Outbox;
  /** Rises with each stored answer and each undo. */
  readonly changes = new Store(0);
  #questions: Question[] = [];
  #answered = new Map<string, Question>();
  #stopwatch = new Stopwatch();
  #asking = false;
  #unwatch: () => void;

  constructor(readonly judge: string) {
    this.outbox = new Outbox((answer, acknowledged) => this.#stored(answer, acknowledged));
    this.#unwatch = link.watch((now) => {
      if (now.kind !== 'up') return;
      this.outbox.flush();
      void this.#fill();
    });
    this.outbox.flush();
    void this.#fill();
  }

  /** Ends it when another judge takes over, whose session sends what still waits. */
  close(): void {
    this.#unwatch();
    this.outbox.close();
  }

  answer(choice: Choice): void {
    const question = this.#questions.shift();
    if (!question) return;
    this.#remember(question);
    const answer: Answer = {
      client: clientId(),
      question: question.question,
      judge: this.judge,
      anchor: question.anchor,
      left: question.left,
      right: question.right,
      answer: choice,
      milliseconds: this.#stopwatch.milliseconds(),
      at: Date.now(),
    };
    this.#show({ said: choice === 'skip' ? 'Skipped.' : `Chose ${choice}.` });
    this.outbox.add(answer);
    void this.#fill();
  }

  /** Takes the last answer back; it must be stored before it can be undone. */
  async undo(): Promise<void> {
    if (link.value.kind !== 'up') return this.#show({ said: 'Undo needs the server.' });
    await this.outbox.drained();
    try {
      const { undone } = await post<{ undone: Question | string | null }>('/api/judge/undo', { judge: this.judge });
      if (undone === null) return this.#show({ said: 'Nothing to undo.' });
      const question = typeof undone === 'string' ? this.#answered.get(undone) : undone;
      if (question) {
        this.#answered.delete(question.question);
        this.#questions = [question, ...this.#questions.filter((each) => each.question !== question.question)];
      }
      this.#show({ said: 'The last answer was taken back.', problem: null });
      this.changes.set(this.changes.value + 1);
      void this.#fill();
    } catch (error) {
      // Nobody knows whether it was; if so, the question is open again and may come.
      const last = [...this.#answered.keys()].pop();
      if (last !== undefined) this.#answered.delete(last);
      this.#show({ said: 'The last answer was perhaps not taken back.', problem: (error as Error).message });
    }
  }

  /** Asks again after a problem. */
  retry(): void {
    void this.#fill();
  }

  #stored(_: Answer, acknowledged: Acknowledged): void {
    this.#take(acknowledged.next ?? []);
    this.changes.set(this.changes.value + 1);
    void this.#fill();
  }

  async #fill(): Promise<void> {
    if (this.#asking || this.#questions.length >= HELD) return;
    this.#asking = true;
    const waiting = this.outbox.waiting.value.map((each) => each.answer.question);
    const seen = [...this.#questions.map((question) => question.question), ...waiting];
    try {
      const { questions } = await post<{ questions: Question[] }>('/api/judge/next', { judge: this.judge, n: HELD - this.#questions.length, seen });
      const got = this.#take(questions);
      this.#show({ problem: null, finished: !got && this.#questions.length === 0 });
    } catch (error) {
      if (!(error instanceof Gone || error instanceof Refused)) throw error;
      this.#show({ problem: error instanceof Gone ? null : error.message });
    } finally {
      this.#asking = false;
    }
  }

  /** Keeps what is new; says whether anything was. */
  #take(questions: Question[]): boolean {
    const known = new Set(this.#questions.map((question) => question.question));
    const fresh = questions.filter((question) => !known.has(question.question) && !this.#answered.has(question.question));
    for (const question of fresh) prepare(question);
    this.#questions.push(...fresh);
    this.#show({});
    return fresh.length > 0;
  }

  #remember(question: Question): void {
    this.#answered.set(question.question, question);
    const oldest = this.#answered.keys().next();
    if (this.#answered.size > REMEMBERED && !oldest.done) this.#answered.delete(oldest.value);
  }

  #show(change: Partial<Shown>): void {
    const question = this.#questions[0] ?? null;
    if (question?.question !== this.shown.value.question?.question) this.#stopwatch.restart();
    this.shown.set({ ...this.shown.value, ...change, question, finished: question ? false : (change.finished ?? this.shown.value.finished) });
  }
}

/** Pictures of the questions that are held; what is not referred to may be thrown away by the browser. */
const pictures = new Map<number, HTMLImageElement>();
const PICTURES = 4 * 3 * HELD;

/** Fetches what a question shows. */
function prepare(question: Question): void {
  for (const object of [question.anchor, question.left, question.right]) {
    if (state.value?.show === 'images') {
      const picture = new Image();
      picture.src = imageAddress(object);
      pictures.delete(object);
      pictures.set(object, picture);
      const oldest = pictures.keys().next();
      if (pictures.size > PICTURES && !oldest.done) pictures.delete(oldest.value);
    }
    loadObject(object).catch(() => undefined);
  }
}

let session: Session | null = null;

/** One session a judge, kept while other views are looked at. */
export function sessionOf(judge: string): Session {
  if (session?.judge === judge) return session;
  session?.close();
  session = new Session(judge);
  return session;
}
