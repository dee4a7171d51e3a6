// Measures `sibp page` in chromium with many objects, and prints a table of figures beside what they may be.
//   make bench-page            or, for some of them: scripts/page.sh bench bundle view search questions
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, visitor } from '../../tests/page/browser.mjs';
import { Server, sibp } from '../../tests/page/server.mjs';
import { blobs, writeNpy } from './data.mjs';

const DIST = fileURLToPath(new URL('../../crates/sibp-page/web/dist/', import.meta.url));
const INPUTS = 16;
const CLASSES = 12;
const rows = [];
const folder = mkdtempSync(join(tmpdir(), 'sibp-bench-page-'));
const at = (name) => join(folder, name);

function report(what, value, unit, limit) {
  rows.push({ what, value, unit, limit });
  console.error(`${what}: ${value.toFixed(1)} ${unit}`);
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const worst = (values) => Math.max(...values);

/** Inputs of `n` objects around a few centres, and their labels. */
function data(name, n) {
  const { inputs, labels } = blobs(n, INPUTS, CLASSES);
  writeNpy(at(`${name}.npy`), [n, INPUTS], inputs);
  writeNpy(at(`${name}-labels.npy`), [n], labels);
}

/** A model of few objects gives codes to as many as are shown. */
function fit(name, ...more) {
  const args = ['--seed', '1', '--transform', 'standardise', '--per-object', '10', '--quiet', '-o', at(`${name}.sibp`), ...more];
  sibp('fit', at(`${name}.npy`), '--labels', at(`${name}-labels.npy`), ...args);
}

async function bundle() {
  const bytes = readdirSync(DIST).reduce((sum, name) => sum + readFileSync(join(DIST, name)).length, 0);
  report('bundle', bytes / 1000, 'kB', 300);
}

async function view(browser) {
  data('many', 100_000);
  const server = await Server.start(at('small.sibp'), at('many.npy'), '--labels', at('many-labels.npy'));
  try {
    const first = [];
    for (let turn = 0; turn < 5; turn++) {
      const { context, page } = await visitor(browser);
      const began = performance.now();
      await page.goto(server.entry('/'));
      await page.waitForSelector('.headline');
      first.push(performance.now() - began);
      await context.close();
    }
    report('first view, 100,000 objects (first visit)', first[0], 'ms', 1000);
    report('first view, 100,000 objects (median of 5 visitors)', median(first), 'ms', 1000);
    await map(browser, server);
  } finally {
    await server.end();
  }
}

async function map(browser, server) {
  const { context, page } = await visitor(browser);
  const began = performance.now();
  await page.goto(server.entry('/map'));
  await page.waitForFunction(() => document.querySelector('.scatter canvas')?.dataset.painted && document.querySelector('.legend button'));
  report('map of 100,000 objects, until it is drawn', performance.now() - began, 'ms', null);
  await page.waitForTimeout(1000);
  const times = [];
  for (const key of [...'+++---+-+-', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', ...'+-+-+-']) {
    const before = await page.evaluate(() => document.querySelector('.scatter canvas').dataset.painted);
    await page.locator('.scatter canvas').press(key);
    await page.waitForFunction((n) => document.querySelector('.scatter canvas').dataset.painted !== n, before);
    times.push(Number(await page.evaluate(() => document.querySelector('.scatter canvas').dataset.milliseconds)));
  }
  report('redraw of 100,000 objects (median)', median(times), 'ms', 33);
  report('redraw of 100,000 objects (worst of 20)', worst(times), 'ms', 33);
  await context.close();
}

/** Times of requests as the page makes them, in milliseconds. */
function timed(page, requests) {
  return page.evaluate(async (list) => {
    const times = [];
    for (const { path, body } of list) {
      const began = performance.now();
      const options = body ? { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) } : {};
      const response = await fetch(path, options);
      await response.json();
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
      times.push(performance.now() - began);
    }
    return times;
  }, requests);
}

async function search(browser) {
  const n = 1_000_000;
  data('million', n);
  const server = await Server.start(at('small.sibp'), at('million.npy'), '--labels', at('million-labels.npy'));
  try {
    const { context, page } = await visitor(browser);
    // The overview does not ask for the ids of all objects, which would compete with what is measured.
    await page.goto(server.entry('/'));
    await page.waitForSelector('.headline');
    const bits = await page.evaluate(async () => (await (await fetch('/api/state')).json()).model.bits);
    for (const metric of ['plain', 'weighted', 'expected']) {
      const requests = Array.from({ length: 31 }, (_, ix) => ({ path: `/api/search?object=${ix * 31_337}&k=20&metric=${metric}` }));
      const times = await timed(page, requests);
      report(`search of 1,000,000 codes of ${bits} bits, ${metric} (median of 31)`, median(times), 'ms', 50);
      report(`search of 1,000,000 codes of ${bits} bits, ${metric} (worst of 31)`, worst(times), 'ms', null);
    }
    await context.close();
  } finally {
    await server.end();
  }
}

async function questions(browser) {
  data('thousand', 1000);
  fit('thousand', '--sweeps', '200', '--chains', '2', '--draws', '50');
  const server = await Server.start(at('thousand.sibp'), at('thousand.npy'), '--labels', at('thousand-labels.npy'), '--judgements', at('answers.jsonl'));
  try {
    const { context, page } = await visitor(browser, { judge: 'Ada' });
    await page.goto(server.entry('/judge'));
    await page.waitForSelector('.ask .choice .number');
    await page.waitForTimeout(2000);
    // Every judge is new, so that every question has to be taken from the pool, which runs empty.
    const requests = Array.from({ length: 60 }, (_, ix) => ({ path: '/api/judge/next', body: { judge: `judge ${ix}`, n: 1, seen: [] } }));
    const times = await timed(page, requests);
    report('next question by the API, 1,000 objects, 100 draws (median of 60)', median(times), 'ms', 100);
    report('next question by the API, 1,000 objects, 100 draws (worst of 60)', worst(times), 'ms', 100);
    const shown = [];
    for (let turn = 0; turn < 30; turn++) {
      shown.push(await page.evaluate(async () => {
        const now = () => document.querySelector('.ask')?.textContent;
        const before = now();
        const began = performance.now();
        document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' }));
        while (now() === before || !now()) await new Promise(requestAnimationFrame);
        return performance.now() - began;
      }));
      await page.waitForTimeout(150);
    }
    report('from key to next question on the screen (median of 30)', median(shown), 'ms', 100);
    report('from key to next question on the screen (worst of 30)', worst(shown), 'ms', 100);
    await context.close();
  } finally {
    await server.end();
  }
}

const ALL = { bundle, view, search, questions };

async function main() {
  const wanted = process.argv.slice(2);
  const chosen = wanted.length ? wanted : Object.keys(ALL);
  const browser = await launch();
  try {
    if (chosen.some((name) => name === 'view' || name === 'search')) {
      data('small', 2000);
      fit('small', '--sweeps', '20', '--chains', '2', '--max-bits', '64');
    }
    for (const name of chosen) await ALL[name](browser);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const width = Math.max(...rows.map((row) => row.what.length));
  console.log(`${'what'.padEnd(width)}     measured      at most`);
  for (const { what, value, unit, limit } of rows) {
    const bound = limit === null ? '' : `${limit} ${unit}${value > limit ? '  EXCEEDED' : ''}`;
    console.log(`${what.padEnd(width)}  ${`${value.toFixed(1)} ${unit}`.padStart(11)}  ${bound.padStart(11)}`);
  }
  return rows.some((row) => row.limit !== null && row.value > row.limit) ? 1 : 0;
}

process.exitCode = await main();
