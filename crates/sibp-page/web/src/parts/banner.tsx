/** Says that the server is gone and that nothing is lost. */
import type { JSX } from 'preact';
import { link, retryNow } from '../lib/connection';
import { useStore } from '../lib/store';

export function Banner(): JSX.Element {
  const now = useStore(link);
  return (
    <div class="banner-place" role="status" aria-live="polite">
      {now.kind === 'gone' ? (
        <div class="banner">
          <span>
            <b>The server does not answer.</b> Nothing is lost: answers wait in this browser and are sent when it is back. Was{' '}
            <code>sibp page</code> stopped?
          </span>
          <button type="button" onClick={retryNow}>
            Try now
          </button>
        </div>
      ) : null}
      {now.kind === 'stranger' ? (
        <div class="banner">
          <span>
            <b>The server does not know this browser.</b> Open the address that <code>sibp page</code> printed in its terminal; answers that
            wait here are sent then.
          </span>
          <button type="button" onClick={retryNow}>
            Try now
          </button>
        </div>
      ) : null}
      {now.kind === 'ill' ? (
        <div class="banner">
          <span>
            <b>The server has a problem.</b> {now.sentence}
          </span>
          <button type="button" onClick={retryNow}>
            Try now
          </button>
        </div>
      ) : null}
    </div>
  );
}
