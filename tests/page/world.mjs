// Makes what the tests look at: some of the shipped digits with ids and labels, a model of them, and folders that are removed.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sibp } from './server.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OBJECTS = 300;
/** An id that would run a script on a page that took it for HTML. */
export const HOSTILE = '<img src=x onerror=alert(1)>';
export const HOSTILE_OBJECT = 7;

/** A row-major .npy of numbers as arrays. */
export function readNpy(path) {
  const bytes = readFileSync(path);
  const length = bytes.readUInt16LE(8);
  const header = bytes.subarray(10, 10 + length).toString('latin1');
  const [rows, columns = 1] = /'shape': \(([^)]*)\)/.exec(header)[1].split(',').map((part) => part.trim()).filter(Boolean).map(Number);
  const kind = /'descr': '([^']+)'/.exec(header)[1];
  const data = Buffer.from(bytes.subarray(10 + length));
  const read = { '<f8': (at) => data.readDoubleLE(8 * at), '<f4': (at) => data.readFloatLE(4 * at), '<i8': (at) => Number(data.readBigInt64LE(8 * at)), '<i4': (at) => data.readInt32LE(4 * at), '|u1': (at) => data[at] }[kind];
  return Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (_, column) => read(row * columns + column)));
}

export class World {
  /** The one that `run.mjs` made for all files of tests. */
  static shared() {
    return new World(process.env.SIBP_PAGE_WORLD);
  }

  static make() {
    const world = new World(mkdtempSync(join(tmpdir(), 'sibp-page-')));
    world.fit();
    return world;
  }

  constructor(folder) {
    this.folder = folder;
    this.inputs = this.path('digits.csv');
    this.texts = this.path('texts.csv');
    this.model = this.path('digits.sibp');
    this.columns = ['--id-column', 'id', '--label-column', 'kind'];
    this.#digits();
  }

  path(name) {
    return join(this.folder, name);
  }

  #digits() {
    const pixels = readNpy(join(ROOT, 'data/digits/features.npy')).slice(0, OBJECTS);
    const labels = readNpy(join(ROOT, 'data/digits/labels.npy')).slice(0, OBJECTS);
    const header = ['id', ...pixels[0].map((_, ix) => `pixel ${ix >> 3}.${ix & 7}`), 'kind'];
    this.values = pixels;
    this.ids = pixels.map((_, object) => (object === HOSTILE_OBJECT ? HOSTILE : `digit-${object}`));
    const lines = pixels.map((row, object) => [this.ids[object], ...row, `a ${labels[object][0]}`]);
    writeCsv(this.inputs, [header, ...lines]);
    writeCsv(this.texts, [[...header, 'note'], ...lines.map((line) => [...line, `A text about ${line[0]}`])]);
  }

  /** Learns few sweeps: the page is tested, not the model. */
  fit() {
    sibp('fit', this.inputs, ...this.columns, '--seed', '1', '--sweeps', '12', '--chains', '2', '--max-bits', '24', '--transform', 'standardise', '-o', this.model, '--quiet');
  }

  /** Arguments of `sibp page` for these digits as pictures. */
  pictures(journal, port) {
    return [this.model, this.inputs, ...this.columns, '--image-shape', '8x8', '--judgements', journal, '--port', String(port)];
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function writeCsv(path, lines) {
  writeFileSync(path, lines.map((line) => `${line.map(quoted).join(',')}\n`).join(''));
}

function quoted(cell) {
  const text = String(cell);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
