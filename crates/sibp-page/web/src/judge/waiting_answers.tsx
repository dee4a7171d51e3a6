/** Shows answers that the server has not stored yet. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useStore } from '../lib/store';
import { count } from '../lib/words';
import type { Outbox } from './outbox';

/** What is stored sooner than this is not worth a message. */
const PATIENCE = 600;

export function WaitingAnswers({ outbox }: { outbox: Outbox }): JSX.Element {
  const waiting = useStore(outbox.waiting);
  const refused = waiting.filter((each) => each.refused);
  const underWay = waiting.filter((each) => !each.refused);
  const late = useLate(underWay[0]?.answer.client ?? null);
  const problem = underWay[0]?.problem ?? null;
  return (
    <div class="waiting-answers" role="status" aria-live="polite">
      {underWay.length && (late || problem !== null) ? (
        <p class="warn note-line">
          {count(underWay.length, 'answer')} {underWay.length === 1 ? 'waits' : 'wait'} in this browser to be stored{problem !== null ? `: ${problem}` : '.'}{' '}
          <button type="button" onClick={() => outbox.flush()}>
            Send now
          </button>
        </p>
      ) : null}
      {refused.map((each) => (
        <p class="warn note-line" key={each.answer.client}>
          An answer ({each.answer.answer}) was not taken: {each.problem}{' '}
          <button type="button" onClick={() => outbox.again(each.answer.client)}>
            Send again
          </button>{' '}
          <button type="button" onClick={() => outbox.discard(each.answer.client)}>
            Discard
          </button>
        </p>
      ))}
    </div>
  );
}

/** Whether the first answer has been waiting for long. */
function useLate(client: string | null): boolean {
  const [late, setLate] = useState<string | null>(null);
  useEffect(() => {
    if (client === null) return;
    const timer = window.setTimeout(() => setLate(client), PATIENCE);
    return () => window.clearTimeout(timer);
  }, [client]);
  return client !== null && late === client;
}
