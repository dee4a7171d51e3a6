/** Says why two objects are near or far: the bits in which they differ and agree, with what drives each. */
import type { JSX } from 'preact';
import { useObjects } from '../lib/objects';
import { useGet } from '../lib/remote';
import type { ExplainedBit, Explanation } from '../lib/types';
import { count, figure, percent } from '../lib/words';
import { Bar, Face } from './face';
import { Pending } from './notes';

export function Why({ a, b }: { a: number; b: number }): JSX.Element {
  const objects = useObjects();
  const remote = useGet<Explanation>(`/api/explain?a=${a}&b=${b}`);
  const name = (object: number): string => objects?.ids[object] ?? `object ${object}`;
  return (
    <section class="card why" aria-labelledby="why-title">
      <h2 id="why-title">
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
          {list(differ)}
        </>
      ) : null}
      {both.length ? (
        <>
          <h3>Both own</h3>
          {list(both)}
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

function Reason({ bit, names, heaviest }: { bit: ExplainedBit; names: [string, string]; heaviest: number }): JSX.Element {
  const who = bit.agrees ? null : `only ${bit.a ? names[0] : names[1]}`;
  return (
    <li>
      <a href={`/bits/${bit.bit}`}>bit {bit.bit}</a>
      <Bar share={Math.abs(bit.weight ?? 0) / heaviest} />
      <span class="value">{figure(bit.weight)}</span>
      <span class="soft what">
        {who !== null ? <span class="id">{who}; </span> : null}
        {percent(bit.share)} own it
        {bit.probabilities ? `; owned with probability ${figure(bit.probabilities[0])} and ${figure(bit.probabilities[1])}` : ''}
        {bit.drivers.length ? `; driven by ${bit.drivers.slice(0, 3).map(([input, correlation]) => `${input} (${figure(correlation)})`).join(', ')}` : ''}
      </span>
    </li>
  );
}
