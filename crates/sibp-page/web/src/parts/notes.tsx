/** Says what is missing, wrong or still on its way. */
import type { ComponentChildren, JSX } from 'preact';
import { state } from '../lib/connection';
import type { Remote } from '../lib/remote';
import { useStore } from '../lib/store';

/** What every view shows that needs a model while there is none. */
export function NoModel({ what }: { what: string }): JSX.Element {
  const now = useStore(state);
  return (
    <div class="card empty">
      <p>{what} There is no model yet.</p>
      {now?.judging ? (
        <p>
          Codes are learned as soon as there are enough answers. <a href="/judge">Answer questions</a>
        </p>
      ) : null}
    </div>
  );
}

/** Stands for data that has not come, or did not. */
export function Pending<T>({ remote, children }: { remote: Remote<T>; children: (data: T) => ComponentChildren }): JSX.Element {
  if (remote.data !== null) {
    return (
      <>
        {remote.error !== null ? <p class="warn note-line">{remote.error} What is shown may be old.</p> : null}
        {children(remote.data)}
      </>
    );
  }
  if (remote.error !== null) return <p class="warn note-line" role="alert">{remote.error}</p>;
  return <p class="soft loading" role="status">Loading …</p>;
}
