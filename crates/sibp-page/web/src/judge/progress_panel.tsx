/** Answers whether more judgements are needed: agreement on control questions, and what another hundred would bring. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { get } from '../lib/api';
import { returns, state } from '../lib/connection';
import { useStore } from '../lib/store';
import type { Progress } from '../lib/types';
import { count, percent } from '../lib/words';
import { AgreementChart } from './agreement_chart';
import type { Session } from './session';

/** Quick answers are followed by one request, not one each. */
const PAUSE = 400;

export function ProgressPanel({ session }: { session: Session }): JSX.Element | null {
  const changes = useStore(session.changes);
  const version = useStore(state)?.version ?? 0;
  const returned = useStore(returns);
  const [progress, setProgress] = useState<Progress | null>(null);

  useEffect(() => {
    const abort = new AbortController();
    const timer = window.setTimeout(
      () => {
        // The banner says when the server is gone; what was shown stays.
        get<Progress>('/api/judge/progress', abort.signal).then(setProgress, () => undefined);
      },
      progress ? PAUSE : 0,
    );
    return () => {
      window.clearTimeout(timer);
      abort.abort();
    };
  }, [changes, version, returned]);

  if (!progress) return null;
  const last = progress.control[progress.control.length - 1];
  return (
    <section class="card progress" aria-labelledby="progress-title">
      <h2 id="progress-title">Are more judgements needed?</h2>
      <p>
        <b class="answers">{count(progress.answers, 'answer')}</b> so far
        {progress.judges.length > 1 ? <span class="soft"> ({progress.judges.map((each) => `${each.name} ${each.answers}`).join(', ')})</span> : null}.
      </p>
      {progress.more ? <p class="more">{progress.more.sentence}</p> : null}
      {last ? (
        <>
          <AgreementChart control={progress.control} />
          <p class="soft">
            On {count(last.answers, 'control question')}, drawn at random, the codes agree with people in {percent(last.agreement)} ({percent(last.low)} to{' '}
            {percent(last.high)}).
          </p>
        </>
      ) : (
        <p class="soft">Agreement is drawn here once control questions, which are mixed in at random, have been answered.</p>
      )}
    </section>
  );
}
