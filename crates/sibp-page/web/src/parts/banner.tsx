/** Says that the server is gone and that nothing is lost. */
import type { JSX } from 'preact';
import { type Link, link, retryNow } from '../lib/connection';
import { useStore } from '../lib/store';

export function Banner(): JSX.Element {
  const said = words(useStore(link));
  return (
    <div class="banner-place" role="status" aria-live="polite">
      {said ? (
        <div class="banner">
          <span>{said}</span>
          <button type="button" onClick={retryNow}>
            Try now
          </button>
        </div>
      ) : null}
    </div>
  );
}

/** What is wrong and what to do; nothing while all is well. */
function words(now: Link): JSX.Element | null {
  switch (now.kind) {
    case 'gone':
      return (
        <>
          <b>The server does not answer.</b> Nothing is lost: answers wait in this browser and are sent when it is back. Was{' '}
          <code>sibp page</code> stopped?
        </>
      );
    case 'stranger':
      return (
        <>
          <b>The server does not know this browser.</b> Open the address that <code>sibp page</code> printed in its terminal; answers that wait
          here are sent then.
        </>
      );
    case 'ill':
      return (
        <>
          <b>The server has a problem.</b> {now.sentence}
        </>
      );
    default:
      return null;
  }
}
