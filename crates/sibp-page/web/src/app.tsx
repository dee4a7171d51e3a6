/** Draws the frame: skip link, navigation, banner, and the view that the address names. */
import type { ComponentType, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { link, state } from './lib/connection';
import { type Place, place } from './lib/router';
import { useStore } from './lib/store';
import { count } from './lib/words';
import { Banner } from './parts/banner';
import { Icon } from './parts/icons';
import { BitsView } from './views/bits';
import { JudgeView } from './views/judge';
import { MapView } from './views/map';
import { OverviewView } from './views/overview';
import { SearchView } from './views/search';

const VIEWS: { name: string; title: string; view: ComponentType<{ place: Place }> }[] = [
  { name: 'overview', title: 'Overview', view: OverviewView },
  { name: 'bits', title: 'Bits', view: BitsView },
  { name: 'map', title: 'Map', view: MapView },
  { name: 'search', title: 'Search', view: SearchView },
  { name: 'judge', title: 'Judge', view: JudgeView },
];

export function App(): JSX.Element {
  const at = useStore(place);
  const now = useStore(state);
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(at.view);
  const entry = VIEWS.find((each) => each.name === at.view);
  const title = entry?.title ?? 'Not found';

  // A new view is read from its heading on; the first one from the top of the page.
  useEffect(() => {
    document.title = `${title} · sibp`;
    if (before.current !== at.view) {
      heading.current?.focus();
      window.scrollTo(0, 0);
    }
    before.current = at.view;
  }, [at.view]);

  return (
    <>
      <a class="skip" href="#content" onClick={(event) => {
        event.preventDefault();
        heading.current?.focus();
      }}>
        Skip to the content
      </a>
      <header>
        <a class="brand" href="/" aria-label="sibp, overview">
          <Icon name="brand" /> sibp
        </a>
        <nav aria-label="Views">
          {VIEWS.map((each) => (
            <a key={each.name} href={each.name === 'overview' ? '/' : `/${each.name}`} aria-current={each.name === at.view ? 'page' : undefined}>
              <Icon name={each.name} />
              {each.title}
            </a>
          ))}
        </nav>
        <Facts />
      </header>
      <Banner />
      <main id="content" class={`view-${at.view}`}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {entry === undefined ? (
          <p>
            There is nothing at this address. <a href="/">Overview</a>
          </p>
        ) : now === null ? (
          <Waiting />
        ) : (
          <entry.view place={at} />
        )}
      </main>
    </>
  );
}

function Waiting(): JSX.Element {
  const now = useStore(link);
  return <p class="soft" role="status">{now.kind === 'connecting' ? 'Loading …' : 'Waiting for the server …'}</p>;
}

/** What the server holds, and what it is doing now. */
function Facts(): JSX.Element | null {
  const now = useStore(state);
  if (!now) return null;
  const learning = now.learning;
  return (
    <p class="facts">
      <span>{count(now.objects, 'object')}</span>
      {now.model ? <span>{count(now.model.bits, 'bit')}</span> : <span>no model yet</span>}
      {now.judging ? <span>{count(now.answers, 'answer')}</span> : null}
      {learning ? (
        <span class="learning">
          {learning.stage}
          {learning.of > 0 ? <progress value={learning.done} max={learning.of} aria-label={learning.stage} /> : null}
        </span>
      ) : null}
    </p>
  );
}
