/** Finds the objects nearest to one that is named, picked or given as numbers, and says why. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { post } from '../lib/api';
import { state } from '../lib/connection';
import { useObject } from '../lib/objects';
import { useGet, useRemote } from '../lib/remote';
import { type Place, go, numberIn, withQuery } from '../lib/router';
import { useStore } from '../lib/store';
import type { Found, Metric, State } from '../lib/types';
import { figure } from '../lib/words';
import { LargeFace } from '../parts/face';
import { Finder } from '../parts/finder';
import { NoModel, Pending } from '../parts/notes';
import { ObjectList } from '../parts/object_list';
import { Picker } from '../parts/picker';
import { VectorForm } from '../parts/vector_form';
import { Why } from '../parts/why';

const METRICS: { name: Metric; words: string; explained: string }[] = [
  { name: 'plain', words: 'plain', explained: 'bits that differ' },
  { name: 'weighted', words: 'weighted', explained: 'weights of the bits that differ' },
  { name: 'expected', words: 'expected', explained: 'weights of the bits that differ, on average over what each bit may be' },
];
const NEIGHBOURS = 20;

export function SearchView({ place }: { place: Place }): JSX.Element {
  const now = useStore(state) as State;
  const [values, setValues] = useState<number[] | null>(null);
  if (!now.model) return <NoModel what="Here the objects nearest to one of them will be found." />;
  const object = numberIn(place.rest, now.objects);
  const metric = METRICS.find((each) => each.name === place.query.get('metric')) ?? METRICS[0]!;
  const why = numberIn(place.query.get('why'), now.objects);
  const open = (picked: number): void => {
    setValues(null);
    go(`/search/${picked}${metric.name === 'plain' ? '' : `?metric=${metric.name}`}`);
  };
  const byVector = object === null && values !== null;

  return (
    <>
      <div class="toolbar">
        <Finder label="Object" onPick={open} />
        <fieldset class="metric">
          <legend>Distance</legend>
          {METRICS.map((each) => (
            <label key={each.name} title={each.explained}>
              <input
                type="radio"
                name="metric"
                checked={each === metric}
                onChange={() => go(withQuery({ metric: each.name === 'plain' ? null : each.name }), 'replace')}
              />
              {each.words}
            </label>
          ))}
        </fieldset>
      </div>
      {place.rest !== null && object === null ? <p class="warn note-line">There is no object {place.rest}.</p> : null}
      {object !== null || byVector ? (
        <div class="columns search-columns">
          <div class="main-column">
            <Results object={object} values={object === null ? values : null} metric={metric} why={why} />
          </div>
          <div class="side-column">
            {object !== null ? <Query object={object} /> : null}
            {object !== null && why !== null ? <Why a={object} b={why} /> : null}
            {object !== null && why === null ? <p class="soft">Choose a neighbour to see why it is near.</p> : null}
          </div>
        </div>
      ) : null}
      <details class="card" open={object === null && !byVector}>
        <summary>Pick an object</summary>
        <Picker total={now.objects} address={(picked) => `/search/${picked}${location.search.replace(/[?&]why=\d+/, '')}`} />
      </details>
      <details class="card">
        <summary>Search with numbers of your own</summary>
        <VectorForm
          onSearch={(given) => {
            setValues(given);
            go(`/search${metric.name === 'plain' ? '' : `?metric=${metric.name}`}`);
          }}
        />
      </details>
    </>
  );
}

interface ResultProperties {
  object: number | null;
  values: number[] | null;
  metric: (typeof METRICS)[number];
  why: number | null;
}

function Results({ object, values, metric, why }: ResultProperties): JSX.Element {
  const byObject = useGet<Found>(object === null ? null : `/api/search?object=${object}&k=${NEIGHBOURS}&metric=${metric.name}`);
  const byValues = useRemote<Found>(values === null ? null : `${metric.name}:${values.join(',')}`, (signal) =>
    post<Found>('/api/search', { values, k: NEIGHBOURS, metric: metric.name }, signal),
  );
  return (
    <section class="card">
      <h2>Nearest objects</h2>
      <Pending remote={object === null ? byValues : byObject}>
        {(found) => (
          <>
            <p class="soft">
              Distance: {metric.explained}. Found in {figure(found.seconds * 1000)} ms.
              {found.query.code !== undefined ? <Code code={found.query.code} /> : null}
            </p>
            <ObjectList
              entries={found.neighbours.map((each) => ({ object: each.object, note: `distance ${figure(each.distance)}` }))}
              label="Nearest objects"
              {...(object !== null ? { address: (other: number) => `/search/${object}${queryWith(other)}`, current: why } : {})}
            />
          </>
        )}
      </Pending>
    </section>
  );
}

function queryWith(other: number): string {
  const query = new URLSearchParams(location.search);
  query.set('why', String(other));
  return `?${query}`;
}

function Code({ code }: { code: string }): JSX.Element {
  return (
    <>
      {' '}
      Its code: <code>{code}</code>
    </>
  );
}

function Query({ object }: { object: number }): JSX.Element {
  const detail = useObject(object);
  return (
    <section class="card query">
      <h2 class="id">{detail?.id ?? `object ${object}`}</h2>
      {detail?.label != null ? <p class="soft">label {detail.label}</p> : null}
      <LargeFace object={object} />
      <p>
        <a href={`/map?object=${object}`}>Show it on the map</a>
      </p>
    </section>
  );
}
