// Looks at the page without a model, with texts and with numbers, and when a model is swapped in.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { launch, serious, visitor } from './browser.mjs';
import { Server } from './server.mjs';
import { World } from './world.mjs';

const world = World.shared();
let browser;
let server;

before(async () => {
  browser = await launch();
});

afterEach(async () => {
  await server?.end();
  server = null;
});

after(async () => {
  await browser?.close();
});

test('without a model every view says so, and questions are asked', async () => {
  server = await Server.start(world.inputs, ...world.columns, '--judgements', world.path('none.jsonl'));
  const { context, page, problems } = await visitor(browser, { judge: 'Ada' });
  for (const path of ['/bits', '/map', '/search']) {
    await page.goto(server.entry(path));
    await page.waitForSelector('text=/There is no model yet/');
  }
  await page.goto(server.entry('/'));
  await page.waitForSelector('.headline');
  // Inputs without pictures or texts are shown as numbers.
  await page.goto(server.entry('/judge'));
  await page.waitForSelector('.ask .choice .numbers');
  assert.match(await page.textContent('.ask .anchor'), /pixel 0\.0/);
  assert.deepEqual(await serious(page), []);
  await page.keyboard.press('ArrowLeft');
  await page.waitForSelector('text=/1 answer/');
  assert.deepEqual(problems, []);
  await context.close();
});

test('texts are shown as texts', async () => {
  server = await Server.start(world.model, world.texts, ...world.columns, '--text', 'note', '--judgements', world.path('texts.jsonl'));
  const { context, page, problems } = await visitor(browser, { judge: 'Ada' });
  await page.goto(server.entry('/judge'));
  await page.waitForSelector('.ask .choice .whole-text');
  assert.match(await page.textContent('.ask .anchor'), /A text about/);
  // Whoever does not see the page hears the text of a choice, and which one it is.
  await page.getByRole('button', { name: /A text about .* left/ }).waitFor();
  assert.deepEqual(await serious(page), []);
  await page.goto(server.entry('/search/7'));
  await page.waitForSelector('.query .whole-text');
  assert.match(await page.textContent('.query .whole-text'), /A text about <img src=x onerror=alert\(1\)>/);
  assert.deepEqual(problems, []);
  await context.close();
});

test('without a file for answers nobody is asked anything', async () => {
  server = await Server.start(world.model, world.inputs, ...world.columns);
  const { context, page } = await visitor(browser, { judge: 'Ada' });
  await page.goto(server.entry('/judge'));
  await page.waitForSelector('text=/--judgements FILE/');
  await context.close();
});

test('a new model is shown without a reload, and what was shown stays until it is there', async () => {
  server = await Server.start(...world.pictures(world.path('swap.jsonl'), 0));
  const { context, page } = await visitor(browser);
  let version = 1;
  const answer = async (route, change) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change(await response.json()) });
  };
  await page.route('**/api/state', (route) => answer(route, (state) => ({ ...state, version })));
  await page.route('**/api/overview', (route) => answer(route, (overview) => ({ ...overview, version, headline: `model ${version}` })));
  // The events of the real server would set the version back.
  await page.route('**/api/events', (route) => route.abort());
  await page.goto(server.entry('/'));
  await page.waitForSelector('text=model 1');
  version = 2;
  await page.waitForSelector('text=model 2');
  await context.close();
});
