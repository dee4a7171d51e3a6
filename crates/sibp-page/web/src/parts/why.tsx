/** Says why two objects are near or far: the bits in which they differ and agree, with what drives each. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { state } from '../lib/connection';
import { useObjects } from '../lib/objects';
import { useGet } from '../lib/remote';
import { useStore } from '../lib/store';
import type { ExplainedBit, Explanation } from '../lib/types';
import { count, figure, percent, signed } from '../lib/words';
import { Bar, Face } from './face';
import { Pending } from './notes';

/** Bits shown at once, and their owners. */
const SHOWN = 5;
const OWNERS = 5;

export function Why({ a, b }: { a: number; b: number }): JSX.Element {
  const objects = useObjects();
  const remote = useGet<Explanation>(`/api/explain?a=${a}&b=${b}`);
  const title = useRef<HTMLHeadingElement>(null);
  const first = useRef(true);
  // Whoever asks why reads on here; an address that is opened begins at the top.
  useEffect(() => {
    if (!first.current || asked()) title.current?.focus();
    first.current = false;
  }, [a, b]);
  const name = (object: number): string => objects?.ids[object] ?? `object ${object}`;
  return (
    <section class="card why" aria-labelledby="why-title">
      <h2 id="why-title" ref={title} tabIndex={-1}>
        Why <span class="id">{name(b)}</span>?
      </h2>
      <div class="pair">
        <Face object={a} />
        <Face object={b} />
      </div>
      <Pending remote={remote}>{(data) => <Reasons data={data} names={[name(a), name(b)]} b={b} />}</Pending>
    </section>
  );
}

function Reasons({ data, names, b }: { data: Explanation; names: [string, string]; b: number }): JSX.Element {
  const heaviest = Math.max(1e-12, ...data.bits.map((bit) => Math.abs(bit.weight ?? 0)));
  const byWeight = (x: ExplainedBit, y: ExplainedBit): number => Math.abs(y.weight ?? 0) - Math.abs(x.weight ?? 0);
  const differ = data.bits.filter((bit) => !bit.agrees).sort(byWeight);
  const both = data.bits.filter((bit) => bit.agrees && bit.a).sort(byWeight);
  const neither = data.bits.filter((bit) => bit.agrees && !bit.a).sort(byWeight);
  const list = (bits: ExplainedBit[]): JSX.Element => (
    <ul class="reasons">
      {bits.map((bit) => (
        <Reason key={bit.bit} bit={bit} names={names} heaviest={heaviest} />
      ))}
    </ul>
  );
  return (
    <>
      <p>
        {count(differ.length, 'bit differs', 'bits differ')} of {data.bits.length}
        {data.weighted !== null ? `; weighted distance ${figure(data.weighted)}` : ''}. <a href={`/search/${b}`}>Search from here</a>
      </p>
      {differ.length ? (
        <>
          <h3>Differ</h3>
          <Some bits={differ} list={list} />
        </>
      ) : null}
      {both.length ? (
        <>
          <h3>Both own</h3>
          <Some bits={both} list={list} />
        </>
      ) : null}
      {neither.length ? (
        <details>
          <summary>Neither owns ({neither.length})</summary>
          {list(neither)}
        </details>
      ) : null}
    </>
  );
}

/** Whether a neighbour was just chosen: its link has the focus. */
function asked(): boolean {
  return document.activeElement?.matches('.objects a') ?? false;
}

/** The heaviest at once, the rest on request. */
function Some({ bits, list }: { bits: ExplainedBit[]; list: (bits: ExplainedBit[]) => JSX.Element }): JSX.Element {
  const rest = bits.slice(SHOWN);
  return (
    <>
      {list(bits.slice(0, SHOWN))}
      {rest.length ? (
        <details>
          <summary>{count(rest.length, 'lighter bit')}</summary>
          {list(rest)}
        </details>
      ) : null}
    </>
  );
}

function Reason({ bit, names, heaviest }: { bit: ExplainedBit; names: [string, string]; heaviest: number }): JSX.Element {
  const who = bit.agrees ? null : `only ${bit.a ? names[0] : names[1]}`;
  const show = useStore(state)?.show;
  return (
    <li>
      <a href={`/bits/${bit.bit}`}>bit {bit.bit}</a>
      <Bar share={Math.abs(bit.weight ?? 0) / heaviest} />
      <span class="value">{figure(bit.weight)}</span>
      <span class="soft what">
        {who !== null ? <span class="id">{who}; </span> : null}
        {percent(bit.share)} own it
        {bit.probabilities ? `; probabilities ${bit.probabilities.map((each) => each.toFixed(2)).join(' and ')}` : ''}
        {bit.drivers.length ? `; by ${bit.drivers.slice(0, 2).map(([input, correlation]) => `${input} (${signed(correlation)})`).join(', ')}` : ''}
      </span>
      {show === 'images' && bit.owners.length ? (
        <span class="owners">
          {bit.owners.slice(0, OWNERS).map((object) => (
            <Face key={object} object={object} />
          ))}
        </span>
      ) : null}
    </li>
  );
}
