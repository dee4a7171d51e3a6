/** Takes a vector of inputs: pasted, or from a file. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { state } from '../lib/connection';
import { useStore } from '../lib/store';
import { fromFile, fromText } from '../lib/vector';

export function VectorForm({ onSearch }: { onSearch: (values: number[]) => void }): JSX.Element {
  const inputs = useStore(state)?.model?.inputs ?? null;
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const id = useId();

  function search(make: () => number[]): void {
    try {
      const values = make();
      if (inputs !== null && values.length !== inputs) throw new Error(`There are ${values.length} numbers; the model has ${inputs} inputs.`);
      setProblem(null);
      onSearch(values);
    } catch (error) {
      setProblem((error as Error).message);
    }
  }

  async function upload(file: File | undefined): Promise<void> {
    if (!file) return;
    try {
      const values = await fromFile(file);
      setText(values.join(', '));
      search(() => values);
    } catch (error) {
      setProblem((error as Error).message);
    }
  }

  return (
    <form
      class="vector"
      onSubmit={(event) => {
        event.preventDefault();
        search(() => fromText(text));
      }}
    >
      <label for={`${id}-text`}>{inputs === null ? 'Numbers' : `${inputs} numbers, in the order of the inputs`}</label>
      <textarea id={`${id}-text`} rows={4} spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <div class="toolbar">
        <button type="submit" class="primary">
          Search
        </button>
        <label>
          or a file (.csv, .txt, .json, .npy) <input type="file" accept=".csv,.txt,.json,.npy" onChange={(event) => void upload(event.currentTarget.files?.[0])} />
        </label>
      </div>
      {problem !== null ? (
        <p class="warn note-line" role="alert">
          {problem}
        </p>
      ) : null}
    </form>
  );
}
