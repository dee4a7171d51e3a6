/** Lists objects as faces with ids; each is a link, and arrow keys go from one to the next. */
import type { ComponentChildren, JSX } from 'preact';
import { labelOf, useObjects } from '../lib/objects';
import { Face } from './face';
import { useRoving } from './roving';

export interface Entry {
  object: number;
  note?: ComponentChildren;
}

interface Properties {
  entries: Entry[];
  label: string;
  address?: (object: number) => string;
  current?: number | null;
}

export function ObjectList({ entries, label, address = (object) => `/search/${object}`, current = null }: Properties): JSX.Element {
  const objects = useObjects();
  const roving = useRoving(entries.length);
  return (
    <ul class="objects" aria-label={label} onKeyDown={roving.onKeyDown}>
      {entries.map(({ object, note }, ix) => {
        const name = labelOf(objects, object);
        return (
          <li key={object}>
            <a class="object" href={address(object)} {...roving.item(ix)} aria-current={object === current ? 'true' : undefined}>
              <Face object={object} />
              <span class="id">{objects?.ids[object] ?? `object ${object}`}</span>
              {name !== null ? <span class="soft label">{name}</span> : null}
              {note !== undefined ? <span class="soft note">{note}</span> : null}
            </a>
          </li>
        );
      })}
    </ul>
  );
}
