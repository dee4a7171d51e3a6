/** Asks who judges; the name stays in this browser and is written beside every answer. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';

const KEY = 'sibp.judge';
const LONGEST = 64;

export function storedName(): string | null {
  try {
    return localStorage.getItem(KEY) || null;
  } catch {
    return null;
  }
}

function store(name: string): void {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // Without storage the name is asked for again next time.
  }
}

export function JudgeName({ onName }: { onName: (name: string) => void }): JSX.Element {
  const [name, setName] = useState(storedName() ?? '');
  const id = useId();
  return (
    <form
      class="card judge-name"
      onSubmit={(event) => {
        event.preventDefault();
        const given = name.trim();
        if (!given) return;
        store(given);
        onName(given);
      }}
    >
      <p>You will see one object and two others, and say which of the two is more like the first. There is no wrong answer; if you cannot say, skip.</p>
      <label for={id}>Your name, kept beside your answers</label>
      <div class="toolbar">
        <input id={id} type="text" required maxLength={LONGEST} autocomplete="nickname" value={name} onInput={(event) => setName(event.currentTarget.value)} />
        <button type="submit" class="primary">
          Start
        </button>
      </div>
    </form>
  );
}
