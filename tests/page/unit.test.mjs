// Checks the browser code that needs no browser: places on the map, ids that fit, vectors that are read.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const WEB = fileURLToPath(new URL('../../crates/sibp-page/web/', import.meta.url));
let folder;
let code;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sibp-page-unit-'));
  const { build } = await import(pathToFileURL(join(WEB, 'node_modules/esbuild/lib/main.js')).href);
  const entry = ['map/grid', 'map/spread', 'map/window', 'map/painter', 'lib/vector', 'lib/words', 'parts/matches', 'parts/label_groups']
    .map((name) => `export * from './${name}';`)
    .join('\n');
  // What is imported beside them asks the browser for its colours.
  const banner = { js: 'globalThis.document ??= {documentElement:{}}; globalThis.getComputedStyle ??= () => ({getPropertyValue: () => ""}); globalThis.matchMedia ??= () => ({matches: false, addEventListener() {}});' };
  const result = await build({ stdin: { contents: entry, resolveDir: join(WEB, 'src'), loader: 'ts' }, bundle: true, write: false, format: 'esm', banner });
  writeFileSync(join(folder, 'code.mjs'), result.outputFiles[0].contents);
  code = await import(pathToFileURL(join(folder, 'code.mjs')).href);
});

after(() => rmSync(folder, { recursive: true }));

/** Numbers that are the same on every run. */
function* numbers(seed = 1) {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

test('the grid finds the object that a look at all of them finds', () => {
  const next = numbers();
  const draw = () => next.next().value;
  for (const n of [1, 2, 50, 3000]) {
    const points = Float32Array.from({ length: 2 * n }, () => draw() * 4 - 2);
    const grid = new code.Grid(points);
    for (let trial = 0; trial < 300; trial++) {
      const [x, y, reach] = [draw() * 6 - 3, draw() * 6 - 3, draw()];
      const far = (object) => Math.hypot(points[2 * object] - x, points[2 * object + 1] - y);
      const best = Array.from({ length: n }, (_, object) => object).reduce((a, b) => (far(b) < far(a) ? b : a));
      const found = grid.nearest(x, y, reach);
      if (far(best) > reach) assert.equal(found, null);
      else assert.ok(far(found) <= far(best) + 1e-6, `${found} instead of ${best}`);
    }
  }
});

test('objects of one place are laid apart, others stay where they are', () => {
  const points = Float32Array.from([0, 0, 0, 0, 0, 0, 1, 1]);
  const laid = code.spread(points);
  assert.deepEqual([...laid.slice(0, 2), ...laid.slice(6)], [0, 0, 1, 1]);
  const places = new Set([0, 1, 2].map((object) => `${laid[2 * object]},${laid[2 * object + 1]}`));
  assert.equal(places.size, 3);
  assert.ok([...laid.slice(0, 6)].every((value) => Math.abs(value) < 0.2));
});

test('zooming keeps the place under the pointer', () => {
  const whole = code.fit({ left: -1, right: 3, top: 0, bottom: 2 }, 800, 600);
  const near = code.zoom(whole, 2.5, 200, 100, whole);
  assert.ok(Math.abs((200 - whole.x) / whole.scale - (200 - near.x) / near.scale) < 1e-9);
  assert.ok(Math.abs((100 - whole.y) / whole.scale - (100 - near.y) / near.scale) < 1e-9);
  assert.equal(near.scale, 2.5 * whole.scale);
});

test('discs are painted in their colour, within the picture', () => {
  const [width, height] = [20, 10];
  const image = { width, height, data: new Uint8ClampedArray(4 * width * height) };
  let shown = null;
  const context = { canvas: { width, height }, createImageData: () => image, putImageData: (what) => (shown = what) };
  // The second lies on the border and the third outside: neither may write where it does not belong.
  const picture = { points: Float32Array.from([5, 5, 19.9, 5, 500, 5]), colours: Uint8Array.from([1, 0, 0]), inks: ['#ff0000', '#00ff00'], ground: '#102030', lit: null };
  new code.Painter().paint(context, picture, { scale: 1, x: 0, y: 0 }, 2, 1);
  const pixel = (x, y) => [...shown.data.slice(4 * (y * width + x), 4 * (y * width + x) + 4)];
  assert.deepEqual(pixel(5, 5), [0, 255, 0, 255]);
  assert.deepEqual(pixel(12, 5), [16, 32, 48, 255]);
  assert.deepEqual(pixel(0, 5), [16, 32, 48, 255]);
  assert.deepEqual(pixel(0, 6), [16, 32, 48, 255]);
});

test('the very id comes first, then beginnings, then what holds the text', () => {
  const ids = ['xab', 'abc', 'AB', 'b', 'abd'];
  assert.deepEqual(code.matches(ids, ' ab '), [2, 1, 4, 0]);
  assert.deepEqual(code.matches(ids, 'zz'), []);
  assert.equal(code.matches(Array.from({ length: 99 }, (_, ix) => `id ${ix}`), 'id').length, 12);
});

test('vectors are read from text, JSON and .npy, and mistakes are named', () => {
  assert.deepEqual(code.fromText('1, 2.5;-3e2\n4'), [1, 2.5, -300, 4]);
  assert.deepEqual(code.fromText('[1, [2, 3]]'), [1, 2, 3]);
  assert.throws(() => code.fromText('1 two 3'), /Number 2 is “two”/);
  assert.throws(() => code.fromText('  '), /no numbers/);
  assert.deepEqual(code.fromNpy(npy([1, 3], '<f8', Float64Array.from([1, 2, 3]))), [1, 2, 3]);
  assert.deepEqual(code.fromNpy(npy([2], '<f4', Float32Array.from([0.5, 2]))), [0.5, 2]);
  assert.throws(() => code.fromNpy(npy([2, 2], '<f8', new Float64Array(4))), /one row is needed/);
  assert.throws(() => code.fromNpy(npy([9], '<f8', new Float64Array(2))), /ends too early/);
  assert.throws(() => code.fromNpy(new ArrayBuffer(40)), /not an .npy file/);
});

function npy(shape, descr, values) {
  const header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.join(', ')},), }\n`;
  const head = Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), Buffer.from([header.length & 255, header.length >> 8]), Buffer.from(header)]);
  const all = Buffer.concat([head, Buffer.from(values.buffer)]);
  return all.buffer.slice(all.byteOffset, all.byteOffset + all.length);
}

test('numbers are written as people read them', () => {
  assert.deepEqual([0, 12, -3, 1234567, 0.12345, 1e-9, null, NaN].map(code.figure), ['0', '12', '−3', '1.2e+6', '0.123', '1.0e−9', '–', '–']);
  assert.equal(code.count(1, 'bit'), '1 bit');
  assert.equal(code.count(2000, 'bit'), '2,000 bits');
  assert.equal(code.percent(0.8345, 1), '83.5 %');
});

test('rows of one label make one group', () => {
  assert.deepEqual(code.groups([4, 0, 2], [1, 0, 0, 0, 1], ['a', 'b']), [
    { name: 'b', start: 0, rows: 2 },
    { name: 'a', start: 2, rows: 1 },
  ]);
});
