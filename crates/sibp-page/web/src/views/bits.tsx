/** Shows the codes as a heat map by label, and what is known of one bit. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { state } from '../lib/connection';
import { useObjects } from '../lib/objects';
import { type Place, go, numberIn, withQuery } from '../lib/router';
import { useGet } from '../lib/remote';
import { useStore } from '../lib/store';
import type { Bit, Bits } from '../lib/types';
import { count, figure, integer, percent } from '../lib/words';
import { BitPanel } from '../parts/bit_panel';
import { Bar } from '../parts/face';
import { HeatMap, decodeRows } from '../parts/heat_map';
import { ofKind } from '../lib/palette';
import { NoModel, Pending } from '../parts/notes';
import { useRoving } from '../parts/roving';

const ORDERS: Record<string, { words: string; key: (bit: Bit) => number }> = {
  number: { words: 'number', key: (bit) => bit.bit },
  share: { words: 'share of owners', key: (bit) => -bit.share },
  weight: { words: 'weight', key: (bit) => -(bit.weight ?? 0) },
};

export function BitsView({ place }: { place: Place }): JSX.Element {
  const now = useStore(state);
  const bits = useGet<Bits>(now?.model ? '/api/bits' : null);
  if (!now?.model) return <NoModel what="Here the codes of all objects will be shown." />;
  return <Pending remote={bits}>{(data) => <Loaded data={data} place={place} />}</Pending>;
}

function Loaded({ data, place }: { data: Bits; place: Place }): JSX.Element {
  const objects = useObjects();
  const by = place.query.get('by') ?? 'number';
  const order = ORDERS[by] ?? ORDERS['number']!;
  const sorted = useMemo(() => [...data.bits].sort((a, b) => order.key(a) - order.key(b) || a.bit - b.bit), [data, order]);
  const rows = useMemo(() => decodeRows(data), [data]);
  const wanted = numberIn(place.rest);
  const chosen = sorted.find((bit) => bit.bit === wanted) ?? null;
  const address = (bit: number): string => `/bits/${bit}${location.search}`;

  return (
    <div class="columns">
      <div class="main-column">
        <div class="toolbar">
          <label>
            Order of bits{' '}
            <select value={by} onChange={(event) => go(withQuery({ by: event.currentTarget.value === 'number' ? null : event.currentTarget.value }), 'replace')}>
              {Object.entries(ORDERS).map(([name, { words }]) => (
                <option key={name} value={name}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <Kinds bits={data.bits} />
        </div>
        <HeatMap
          rows={rows}
          order={data.order}
          bits={sorted}
          labels={objects?.labels ?? null}
          chosen={chosen?.bit ?? null}
          onPick={(bit) => go(address(bit))}
        />
        <p class="soft">
          A line is an object ({integer(data.order.length)} shown), a column a bit. Click a column, or choose from the list.
        </p>
      </div>
      <div class="side-column">
        <BitTable bits={sorted} chosen={chosen?.bit ?? null} address={address} />
        {wanted !== null && chosen === null ? <p class="warn note-line">There is no bit {wanted}.</p> : null}
      </div>
      {chosen ? <BitPanel bit={chosen.bit} /> : null}
    </div>
  );
}

function Kinds({ bits }: { bits: Bit[] }): JSX.Element {
  const kinds = (['given', 'learned', 'unsupervised'] as const).map((kind) => ({ kind, n: bits.filter((bit) => bit.kind === kind).length }));
  return (
    <p class="keys">
      {kinds
        .filter(({ n }) => n > 0)
        .map(({ kind, n }) => (
          <span class="key" key={kind}>
            <i style={{ background: ofKind(kind) }} /> {n} {kind}
          </span>
        ))}
    </p>
  );
}

function BitTable({ bits, chosen, address }: { bits: Bit[]; chosen: number | null; address: (bit: number) => string }): JSX.Element {
  const heaviest = Math.max(1e-12, ...bits.map((bit) => Math.abs(bit.weight ?? 0)));
  // Weights that are all the same, as where they are fixed, are said once.
  const even = bits.every((bit) => bit.weight === bits[0]?.weight);
  const row = even ? 'bit-row even' : 'bit-row';
  const start = Math.max(0, bits.findIndex((bit) => bit.bit === chosen));
  const roving = useRoving(bits.length, start, (ix) => go(address((bits[ix] as Bit).bit), 'replace'));
  return (
    <section class="card">
      <h2>
        {count(bits.length, 'bit')}
        {even ? <span class="soft">, each of weight {figure(bits[0]?.weight)}</span> : null}
      </h2>
      <p class={`${row} head soft`} aria-hidden="true">
        <span>bit</span>
        <span>share</span>
        <span />
        {even ? null : <span>weight</span>}
      </p>
      <ul class="bit-list" aria-label="Bits" onKeyDown={roving.onKeyDown}>
        {bits.map((bit, ix) => (
          <li key={bit.bit}>
            <a
              class={row}
              href={address(bit.bit)}
              aria-current={bit.bit === chosen ? 'true' : undefined}
              {...roving.item(ix)}
            >
              <span>
                <span class="visually-hidden">bit </span>
                {bit.bit}
                <span class="visually-hidden">, {bit.kind}</span>
              </span>
              <Bar share={bit.share} colour={ofKind(bit.kind)} />
              <span class="n">
                <span class="visually-hidden">, share </span>
                {percent(bit.share)}
              </span>
              {even ? null : <Bar share={Math.abs(bit.weight ?? 0) / heaviest} />}
              {even ? null : (
                <span class="n">
                  <span class="visually-hidden">, weight </span>
                  {figure(bit.weight)}
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
