/** Asks a person which of two objects is more like a third. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { link, state } from '../lib/connection';
import { useObject } from '../lib/objects';
import { useStore } from '../lib/store';
import type { Question, State } from '../lib/types';
import { JudgeName, storedName } from '../judge/name';
import { ProgressPanel } from '../judge/progress_panel';
import { type Session, sessionOf } from '../judge/session';
import { WaitingAnswers } from '../judge/waiting_answers';
import { LargeFace } from '../parts/face';

export function JudgeView(): JSX.Element {
  const now = useStore(state) as State;
  const [judge, setJudge] = useState(storedName());
  if (!now.judging) {
    return (
      <div class="card empty">
        <p>
          No file for answers was named. Start <code>sibp page</code> with <code>--judgements FILE</code> to ask people.
        </p>
      </div>
    );
  }
  if (judge === null) return <JudgeName onName={setJudge} />;
  return <Judging key={judge} session={sessionOf(judge)} onLeave={() => setJudge(null)} />;
}

function Judging({ session, onLeave }: { session: Session; onLeave: () => void }): JSX.Element {
  const shown = useStore(session.shown);
  useKeys(session);
  return (
    <>
      <div class="judging">
        {shown.question ? <Ask question={shown.question} session={session} /> : <NoQuestion session={session} />}
        {shown.problem !== null ? (
          <p class="warn note-line" role="alert">
            {shown.problem}{' '}
            <button type="button" onClick={() => session.retry()}>
              Ask again
            </button>
          </p>
        ) : null}
        <p class="said soft" role="status" aria-live="polite">
          {shown.said}
        </p>
        <p class="judge-line soft">
          Judging as <b class="id">{session.judge}</b>
          <button type="button" class="plain" onClick={onLeave}>
            Someone else
          </button>
        </p>
        <WaitingAnswers outbox={session.outbox} />
      </div>
      <ProgressPanel session={session} />
    </>
  );
}

function NoQuestion({ session }: { session: Session }): JSX.Element {
  const { finished } = useStore(session.shown);
  const up = useStore(link).kind === 'up';
  return (
    <div class="card empty">
      <p role="status">{finished ? 'There is no question left for you now. Thank you.' : up ? 'The next question is on its way …' : 'Questions go on when the server is back.'}</p>
      <Lesser session={session} />
    </div>
  );
}

function Ask({ question, session }: { question: Question; session: Session }): JSX.Element {
  const anchor = useObject(question.anchor);
  const left = useObject(question.left);
  const right = useObject(question.right);
  const all = [anchor, left, right];
  return (
    <section class="ask" aria-labelledby="ask-title">
      <h2 id="ask-title">Which of the two below is more like this one?</h2>
      <div class="anchor card">
        <LargeFace object={question.anchor} others={all} />
      </div>
      <div class="choices">
        <button type="button" class="choice card" aria-keyshortcuts="ArrowLeft" onClick={() => session.answer('left')}>
          <LargeFace object={question.left} others={all} />
          <span class="hint">
            <kbd aria-hidden="true">←</kbd> left
          </span>
        </button>
        <button type="button" class="choice card" aria-keyshortcuts="ArrowRight" onClick={() => session.answer('right')}>
          <LargeFace object={question.right} others={all} />
          <span class="hint">
            right <kbd aria-hidden="true">→</kbd>
          </span>
        </button>
      </div>
      <Lesser session={session} />
    </section>
  );
}

function Lesser({ session }: { session: Session }): JSX.Element {
  const { question } = useStore(session.shown);
  return (
    <div class="lesser">
      <button type="button" aria-keyshortcuts="u" onClick={() => void session.undo()}>
        <kbd aria-hidden="true">u</kbd> Undo
      </button>
      <button type="button" aria-keyshortcuts="s" disabled={question === null} onClick={() => session.answer('skip')}>
        <kbd aria-hidden="true">s</kbd> Skip
      </button>
    </div>
  );
}

/** The keys work wherever the focus is, except where keys write or choose. */
function useKeys(session: Session): void {
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      // A key that is held down answers once.
      if (event.repeat || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if ((event.target as Element | null)?.closest?.('input, textarea, select')) return;
      if (event.key === 'ArrowLeft') session.answer('left');
      else if (event.key === 'ArrowRight') session.answer('right');
      else if (event.key === 's') session.answer('skip');
      else if (event.key === 'u') void session.undo();
      else return;
      event.preventDefault();
    }
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [session]);
}
