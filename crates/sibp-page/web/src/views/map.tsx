/** Shows all objects in the plane of the codes' principal axes, coloured by label or by a bit. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { getBytes } from '../lib/api';
import { state } from '../lib/connection';
import { labelOf, useObjects } from '../lib/objects';
import { binary, categorical } from '../lib/palette';
import { useRemote } from '../lib/remote';
import { type Place, go, numberIn, withQuery } from '../lib/router';
import { useStore } from '../lib/store';
import { colours } from '../lib/theme';
import type { Objects, State } from '../lib/types';
import { percent } from '../lib/words';
import { Scatter } from '../map/scatter';
import { spread } from '../map/spread';
import { Face } from '../parts/face';
import { Finder } from '../parts/finder';
import { NoModel, Pending } from '../parts/notes';

interface Loaded {
  points: Float32Array;
  explained: number[];
}

async function loadMap(signal: AbortSignal): Promise<Loaded> {
  const { bytes, headers } = await getBytes('/api/map', signal);
  return { points: spread(new Float32Array(bytes)), explained: (headers.get('X-Explained') ?? '').split(',').filter(Boolean).map(Number) };
}

export function MapView({ place }: { place: Place }): JSX.Element {
  const now = useStore(state) as State;
  const map = useRemote<Loaded>(now.model ? '/api/map' : null, loadMap);
  if (!now.model) return <NoModel what="Here objects will lie near to those with similar codes." />;
  return <Pending remote={map}>{(data) => <Chart data={data} place={place} now={now} bits={now.model?.bits ?? 0} />}</Pending>;
}

function Chart({ data, place, now, bits }: { data: Loaded; place: Place; now: State; bits: number }): JSX.Element {
  const objects = useObjects();
  useStore(colours);
  const n = data.points.length / 2;
  const asked = numberIn(place.query.get('bit'), bits);
  const bit = asked ?? (now.labels ? null : 0);
  const chosen = numberIn(place.query.get('object'), n);
  const [hovered, setHovered] = useState<number | null>(null);
  const [lit, setLit] = useState<Set<number> | null>(null);
  const owners = useRemote<Uint8Array>(bit === null ? null : `/api/map/bit/${bit}`, async (signal) => new Uint8Array((await getBytes(`/api/map/bit/${bit}`, signal)).bytes));
  const names = bit === null ? (now.labels?.names ?? []) : ['does not own it', 'owns it'];
  const shades = useMemo(() => shadesOf(n, bit === null ? (objects?.labels ?? null) : owners.data, names.length), [n, bit, objects, owners.data]);
  const [off, on] = binary();
  const inks = useMemo(() => (bit === null ? [...names.map((_, ix) => categorical(ix)), off] : [off, on]), [bit, names.length, off, on]);
  const marked = hovered ?? chosen;

  return (
    <div class="columns">
      <div class="main-column">
        <Scatter
          points={data.points}
          shades={shades}
          inks={inks}
          lit={lit}
          marked={marked}
          follow={hovered === null}
          onHover={setHovered}
          onPick={(object) => go(`/search/${object}`)}
        />
        <p class="soft">
          {data.explained.length === 2 ? `The axes hold ${percent(data.explained[0] ?? 0)} and ${percent(data.explained[1] ?? 0)} of the codes’ variance. ` : null}
          Objects with the same code stand together in a disc.
        </p>
      </div>
      <div class="side-column">
        <section class="card">
          <h2>Colour</h2>
          <label>
            by{' '}
            <select
              value={bit === null ? 'label' : String(bit)}
              onChange={(event) => {
                const value = event.currentTarget.value;
                setLit(null);
                go(withQuery({ bit: value === 'label' ? null : value }), 'replace');
              }}
            >
              {now.labels ? <option value="label">label</option> : null}
              {Array.from({ length: bits }, (_, ix) => (
                <option key={ix} value={ix}>
                  bit {ix}
                </option>
              ))}
            </select>
          </label>
          <Legend names={names} inks={inks} lit={lit} setLit={setLit} />
        </section>
        <section class="card">
          <Finder label="Find an object" onPick={(object) => go(withQuery({ object: String(object) }), 'replace')} />
          <Marked object={marked} objects={objects} />
        </section>
      </div>
    </div>
  );
}

/** Objects without a label get the colour after the last. */
function shadesOf(n: number, source: ArrayLike<number> | null, none: number): Uint8Array {
  const shades = new Uint8Array(n);
  for (let object = 0; object < n; object++) {
    const shade = source ? (source[object] ?? -1) : -1;
    shades[object] = shade >= 0 && shade < 255 ? shade : Math.min(none, 255);
  }
  return shades;
}

interface LegendProperties {
  names: string[];
  inks: string[];
  lit: Set<number> | null;
  setLit: (lit: Set<number> | null) => void;
}

/** Pressing a name shows its objects alone; more can be pressed. */
function Legend({ names, inks, lit, setLit }: LegendProperties): JSX.Element {
  function toggle(ix: number): void {
    const next = new Set(lit ?? []);
    if (!next.delete(ix)) next.add(ix);
    setLit(next.size ? next : null);
  }
  return (
    <ul class="legend" aria-label="Colours">
      {names.map((name, ix) => (
        <li key={ix}>
          <button type="button" aria-pressed={lit?.has(ix) ?? false} onClick={() => toggle(ix)}>
            <i style={{ background: inks[ix] }} />
            <span>{name}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Marked({ object, objects }: { object: number | null; objects: Objects | null }): JSX.Element {
  if (object === null) return <p class="soft marked-empty">Point at an object, or find one by its id.</p>;
  const name = labelOf(objects, object);
  return (
    <div class="marked">
      <Face object={object} />
      <div>
        <b class="id">{objects?.ids[object] ?? `object ${object}`}</b>
        {name !== null ? <div class="soft">{name}</div> : null}
        <a href={`/search/${object}`}>Open in Search</a>
      </div>
    </div>
  );
}
