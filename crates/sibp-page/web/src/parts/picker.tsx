/** Offers objects to pick from: an even sample, of one label if wanted, others on request. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { state } from '../lib/connection';
import { useObjects } from '../lib/objects';
import { useStore } from '../lib/store';
import { ObjectList } from './object_list';

const OFFERED = 24;

export function Picker({ total, address }: { total: number; address: (object: number) => string }): JSX.Element {
  const objects = useObjects();
  const names = useStore(state)?.labels?.names ?? null;
  const [label, setLabel] = useState<number | null>(null);
  const [turn, setTurn] = useState(0);
  const offered = useMemo(() => sample(total, objects?.labels ?? null, label, turn), [total, objects, label, turn]);
  return (
    <>
      <div class="toolbar">
        {names && objects?.labels ? (
          <label>
            Label{' '}
            <select value={label ?? ''} onChange={(event) => setLabel(event.currentTarget.value === '' ? null : Number(event.currentTarget.value))}>
              <option value="">any</option>
              {names.map((name, ix) => (
                <option key={ix} value={ix}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ) : null}
        <button type="button" onClick={() => setTurn(turn + 1)}>
          Show others
        </button>
      </div>
      <ObjectList entries={offered.map((object) => ({ object }))} label="Objects to pick from" address={address} />
    </>
  );
}

/** Every turn starts elsewhere and steps evenly through the objects. */
function sample(total: number, labels: number[] | null, label: number | null, turn: number): number[] {
  const from = label !== null && labels ? labels.flatMap((each, object) => (each === label ? [object] : [])) : null;
  const n = from?.length ?? total;
  const step = Math.max(1, Math.floor(n / OFFERED));
  return Array.from({ length: Math.min(OFFERED, n) }, (_, ix) => {
    const at = (ix * step + turn * 7) % n;
    return from ? (from[at] as number) : at;
  });
}
