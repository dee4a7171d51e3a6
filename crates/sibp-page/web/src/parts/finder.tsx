/** Finds an object by its id: a text box with a list of what fits, after the pattern of ARIA's combobox. */
import type { JSX } from 'preact';
import { useId, useMemo, useState } from 'preact/hooks';
import { labelOf, useObjects } from '../lib/objects';
import { matches } from './matches';

interface Properties {
  label: string;
  onPick: (object: number) => void;
}

export function Finder({ label, onPick }: Properties): JSX.Element {
  const objects = useObjects();
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const id = useId();
  const found = useMemo(() => (open && objects ? matches(objects.ids, text) : []), [open, objects, text]);

  function pick(object: number): void {
    setText(objects?.ids[object] ?? '');
    setOpen(false);
    onPick(object);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!open) return setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((active + step + found.length) % Math.max(found.length, 1));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const object = found[active];
      if (object !== undefined) pick(object);
      else setOpen(true);
    } else if (event.key === 'Escape') {
      setOpen(false);
    }
  }

  return (
    <div class="finder">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        placeholder="id"
        aria-expanded={open && found.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={open && found.length ? `${id}-${active}` : undefined}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
          setOpen(true);
        }}
        onFocus={() => setOpen(text !== '')}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={label} hidden={!open || found.length === 0}>
        {found.map((object, ix) => (
          <li
            key={object}
            id={`${id}-${ix}`}
            role="option"
            aria-selected={ix === active}
            // The box keeps the focus, so that its blur does not close the list before the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => pick(object)}
          >
            <span>{objects?.ids[object]}</span>
            <span class="soft">{labelOf(objects, object) ?? ''}</span>
          </li>
        ))}
      </ul>
      {open && text !== '' && objects && found.length === 0 ? <p class="soft nothing">No id holds “{text}”.</p> : null}
    </div>
  );
}
