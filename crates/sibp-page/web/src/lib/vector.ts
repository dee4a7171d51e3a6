/** Reads a vector that was pasted or uploaded: numbers with any separators, JSON, or NumPy's .npy. */

/** A sentence for people about a text that is no vector. */
export class NoVector extends Error {}

export function fromText(text: string): number[] {
  const words = text.replace(/[[\]();]/g, ' ').split(/[\s,]+/).filter(Boolean);
  if (!words.length) throw new NoVector('There are no numbers yet.');
  return words.map((word, ix) => {
    const value = Number(word);
    if (!Number.isFinite(value)) throw new NoVector(`Number ${ix + 1} is “${word}”, which is not a number.`);
    return value;
  });
}

const READERS: Record<string, { size: number; read: (view: DataView, at: number) => number }> = {
  '<f8': { size: 8, read: (view, at) => view.getFloat64(at, true) },
  '<f4': { size: 4, read: (view, at) => view.getFloat32(at, true) },
  '<i8': { size: 8, read: (view, at) => Number(view.getBigInt64(at, true)) },
  '<i4': { size: 4, read: (view, at) => view.getInt32(at, true) },
  '|u1': { size: 1, read: (view, at) => view.getUint8(at) },
};

/** One row, or a plain vector, of an .npy file. */
export function fromNpy(bytes: ArrayBuffer): number[] {
  const view = new DataView(bytes);
  if (bytes.byteLength < 12 || view.getUint32(0) !== 0x934e554d) throw new NoVector('This is not an .npy file.');
  const long = view.getUint8(6) > 1;
  const start = long ? 12 : 10;
  const length = long ? view.getUint32(8, true) : view.getUint16(8, true);
  const header = new TextDecoder('latin1').decode(bytes.slice(start, start + length));
  const kind = /'descr':\s*'([^']+)'/.exec(header)?.[1] ?? '';
  const shape = (/'shape':\s*\(([^)]*)\)/.exec(header)?.[1] ?? '').split(',').map((part) => part.trim()).filter(Boolean).map(Number);
  const reader = READERS[kind];
  if (!reader) throw new NoVector(`Numbers of the kind ${kind} are not read here; save float64.`);
  if (shape.slice(0, -1).some((side) => side !== 1)) throw new NoVector(`The file holds ${shape.join(' × ')} numbers; one row is needed.`);
  const n = shape.reduce((product, side) => product * side, 1);
  if (start + length + n * reader.size > bytes.byteLength) throw new NoVector('The file ends too early.');
  return Array.from({ length: n }, (_, ix) => reader.read(view, start + length + ix * reader.size));
}

export async function fromFile(file: File): Promise<number[]> {
  return file.name.endsWith('.npy') ? fromNpy(await file.arrayBuffer()) : fromText(await file.text());
}
