/** Shows how the model stands: its size, how well it agrees with people, its chains, and what to do next. */
import type { JSX } from 'preact';
import { state } from '../lib/connection';
import { categorical } from '../lib/palette';
import { useGet } from '../lib/remote';
import { useStore } from '../lib/store';
import { colours } from '../lib/theme';
import type { Diagnostic, Model, Overview, State, Trace } from '../lib/types';
import { count, figure, integer, percent } from '../lib/words';
import { Interval } from '../parts/interval';
import { Pending } from '../parts/notes';
import { TraceChart } from '../parts/trace_chart';

export function OverviewView(): JSX.Element {
  const now = useStore(state) as State;
  const overview = useGet<Overview>('/api/overview');
  // What the diagnostics say is not said twice.
  const told = new Set(overview.data?.diagnostics.map((each) => each.sentence));
  return (
    <>
      {overview.data ? <p class="headline">{overview.data.headline}</p> : null}
      <div class="columns">
        <div class="main-column">
          <Pending remote={overview}>
            {(data) => (
              <>
                <div class="figures">
                  <Agreement agreement={data.agreement} />
                  {now.model ? <Size model={now.model} /> : null}
                  <div class="card figure">
                    <h2>Objects</h2>
                    <b>{integer(now.objects)}</b>
                    <span class="soft">
                      {now.model ? count(now.model.inputs, 'input') : null}
                      {now.labels ? `${now.model ? ', ' : ''}${count(now.labels.names.length, 'label')}` : null}
                    </span>
                  </div>
                  {now.judging ? (
                    <div class="card figure">
                      <h2>Answers</h2>
                      <b>{integer(now.answers)}</b>
                      <a href="/judge">Go on judging</a>
                    </div>
                  ) : null}
                </div>
                <Traces traces={data.traces} />
                <Diagnostics list={data.diagnostics} />
              </>
            )}
          </Pending>
        </div>
        <aside class="side-column" aria-label="What to do">
          <Sentences title="What to do next" list={now.next} />
          <Sentences title="Mind" list={now.warnings.filter((warning) => !told.has(warning))} warn />
        </aside>
      </div>
    </>
  );
}

function Agreement({ agreement }: { agreement: Overview['agreement'] }): JSX.Element {
  return (
    <div class="card figure wide">
      <h2>Agreement on held-out triplets</h2>
      {agreement ? (
        <>
          <b>{percent(agreement.value, 1)}</b>
          <Interval {...agreement} />
          <span class="soft">
            {percent(agreement.low, 1)} to {percent(agreement.high, 1)}, from {count(agreement.questions, 'triplet')}
          </span>
        </>
      ) : (
        <span class="soft">Not known: no triplets were held out.</span>
      )}
    </div>
  );
}

function Size({ model }: { model: Model }): JSX.Element {
  const parts = [
    [model.given, 'given'],
    [model.learned, 'learned'],
    [model.unsupervised, 'unsupervised'],
  ].filter(([n]) => Number(n) > 0);
  return (
    <div class="card figure">
      <h2>Bits</h2>
      <b>{integer(model.bits)}</b>
      <span class="soft">{parts.map(([n, kind]) => `${n} ${kind}`).join(', ')}</span>
      <span class="soft">{model.kind}</span>
    </div>
  );
}

function Sentences({ title, list, warn = false }: { title: string; list: string[]; warn?: boolean }): JSX.Element | null {
  if (!list.length) return null;
  return (
    <section class={warn ? 'card warn' : 'card next'}>
      <h2>{title}</h2>
      <ul>
        {list.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

function Diagnostics({ list }: { list: Diagnostic[] }): JSX.Element | null {
  if (!list.length) return null;
  return (
    <section class="card">
      <h2>What the diagnostics say</h2>
      <p class="soft">The number is R-hat: chains that tell the same story have values near 1.</p>
      <ul class="diagnostics">
        {list.map((each) => {
          const verdict = verdictOf(each);
          return (
            <li key={each.name} class={verdict.kind}>
              <span class="mark" aria-hidden="true">
                {verdict.mark}
              </span>
              <span class="name">
                {each.name} <span class="visually-hidden">({verdict.words})</span>
              </span>
              <span class="value">{typeof each.value === 'number' ? figure(each.value) : (each.value ?? '')}</span>
              <span class="sentence">{each.sentence}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** A quantity that has no value yet is neither good nor poor. */
function verdictOf(each: Diagnostic): { kind: string; mark: string; words: string } {
  if (!each.good) return { kind: 'poor', mark: '!', words: 'needs attention' };
  if (each.value === null) return { kind: 'open', mark: '?', words: 'not known' };
  return { kind: 'good', mark: '✓', words: 'good' };
}

function Traces({ traces }: { traces: Trace[] }): JSX.Element | null {
  useStore(colours);
  if (!traces.length) return null;
  const chains = Math.max(...traces.map((trace) => trace.chains.length));
  return (
    <section class="card">
      <h2>Chains, by sweep</h2>
      <div class="traces">
        {traces.map((trace) => (
          <TraceChart key={trace.name} trace={trace} />
        ))}
      </div>
      <p class="keys soft" aria-hidden="true">
        {Array.from({ length: chains }, (_, ix) => (
          <span class="key" key={ix}>
            <i style={{ background: categorical(ix) }} /> chain {ix + 1}
          </span>
        ))}
      </p>
    </section>
  );
}
