// Makes objects around a few centres, the same on every run, and writes arrays as NumPy does.
import { closeSync, openSync, writeSync } from 'node:fs';

/** Standard normal numbers, two at a time (Box and Muller), from a generator of 32 bits. */
function* normals(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
  for (;;) {
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    const angle = 2 * Math.PI * uniform();
    yield radius * Math.cos(angle);
    yield radius * Math.sin(angle);
  }
}

export function blobs(n, inputs, classes) {
  const centre = normals(1);
  const centres = Float64Array.from({ length: classes * inputs }, () => 2 * centre.next().value);
  const noise = normals(2);
  const values = new Float64Array(n * inputs);
  const labels = new BigInt64Array(n);
  for (let object = 0; object < n; object++) {
    const label = object % classes;
    labels[object] = BigInt(label);
    for (let input = 0; input < inputs; input++) values[object * inputs + input] = centres[label * inputs + input] + noise.next().value;
  }
  return { inputs: values, labels };
}

/** Writes a Float64Array or BigInt64Array of this shape, row by row. */
export function writeNpy(path, shape, values) {
  const kind = values instanceof BigInt64Array ? '<i8' : '<f8';
  const text = `{'descr': '${kind}', 'fortran_order': False, 'shape': (${shape.join(', ')}${shape.length === 1 ? ',' : ''}), }`;
  // NumPy wants the data to begin at a multiple of 64 bytes.
  const header = `${text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11)}\n`;
  const file = openSync(path, 'w');
  writeSync(file, Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), Buffer.from([header.length & 255, header.length >> 8]), Buffer.from(header, 'latin1')]));
  writeSync(file, Buffer.from(values.buffer));
  closeSync(file);
}
