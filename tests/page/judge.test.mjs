// Follows a judge: name, keys, skip, undo, waiting answers, a server that is killed and comes back.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { NARROW, launch, visitor } from './browser.mjs';
import { Server, freePort, journal } from './server.mjs';
import { World } from './world.mjs';

const world = World.shared();
let browser;
const servers = [];

before(async () => {
  browser = await launch();
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.end('SIGKILL');
});

after(async () => {
  await browser?.close();
});

async function start(args) {
  const server = await Server.start(...args);
  servers.push(server);
  return server;
}

/** The answers that count, in order. */
function answers(path) {
  const records = journal(path);
  const kept = [];
  for (const record of records) {
    if (record.record === 'answer') kept.push(record);
    if (record.record === 'undo') kept.splice(kept.findLastIndex((each) => each.question === record.question && each.judge === record.judge), 1);
  }
  return kept;
}

/** What the judge sees: the pictures of anchor, left and right. */
function pictures(page) {
  return page.locator('.ask img').evaluateAll((images) => images.map((image) => Number(image.getAttribute('src').split('/').pop())));
}

const shown = (page) => page.waitForSelector('.ask .choice img');

/** The pictures of the question that follows another; between two there may be none for a moment. */
async function next(page, before) {
  let now;
  const isThere = async () => {
    now = await pictures(page);
    return now.length === 3 && JSON.stringify(now) !== JSON.stringify(before);
  };
  await until(isThere, 'the next question');
  return now;
}

async function until(check, what) {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(what);
}

test('a judge gives a name, answers by keys and by clicks, skips and takes back', async () => {
  const file = world.path('keys.jsonl');
  const server = await start(world.pictures(file, 0));
  const { context, page, problems } = await visitor(browser);
  await page.goto(server.entry('/judge'));
  await page.fill('.judge-name input', 'Grace');
  await page.keyboard.press('Enter');
  await shown(page);

  const seen = [await pictures(page)];
  const steps = [() => page.keyboard.press('ArrowLeft'), () => page.keyboard.press('ArrowRight'), () => page.keyboard.press('s'), () => page.click('.choice >> nth=1')];
  for (const step of steps) {
    await step();
    seen.push(await next(page, seen.at(-1)));
  }
  await until(() => answers(file).length === 4, 'four answers in the journal');
  assert.deepEqual(answers(file).map((each) => each.answer), ['left', 'right', 'skip', 'right']);
  const asked = answers(file).map((each) => [each.anchor, each.left, each.right].map((id) => world.ids.indexOf(id)));
  assert.deepEqual(asked, seen.slice(0, 4), 'the journal holds what was on the screen');
  assert.ok(answers(file).every((each) => each.judge === 'Grace' && each.milliseconds >= 0 && each.at));

  await page.keyboard.press('u');
  await until(async () => JSON.stringify(await pictures(page)) === JSON.stringify(seen[3]), 'the question that was taken back');
  assert.equal(answers(file).length, 3);
  await page.keyboard.press('ArrowLeft');
  await until(() => answers(file).length === 4, 'the new answer');
  assert.deepEqual(answers(file).map((each) => each.answer), ['left', 'right', 'skip', 'left']);

  // The name is known when the page is opened again, and the question that was open is asked again.
  await until(async () => JSON.stringify(await pictures(page)) === JSON.stringify(seen[4]), 'the fifth question');
  await page.reload();
  await shown(page);
  assert.deepEqual(await pictures(page), seen[4]);
  assert.match(await page.textContent('.judge-line'), /Judging as Grace/);
  assert.deepEqual(problems, []);
  await context.close();
});

test('a key that is held down answers once, and keys in a text box answer nothing', async () => {
  const file = world.path('held.jsonl');
  const server = await start(world.pictures(file, 0));
  const { context, page } = await visitor(browser, { judge: 'Ada' });
  await page.goto(server.entry('/judge'));
  await shown(page);
  await page.keyboard.down('ArrowLeft');
  for (let repeat = 0; repeat < 5; repeat++) await page.keyboard.down('ArrowLeft');
  await page.keyboard.up('ArrowLeft');
  await until(() => answers(file).length === 1, 'one answer');
  await page.click('text=Someone else');
  await page.fill('.judge-name input', 'us');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('u');
  await page.waitForTimeout(300);
  assert.equal(answers(file).length, 1);
  assert.match(await page.inputValue('.judge-name input'), /u/);
  await context.close();
});

test('the next question and its pictures are there before the answer is sent', async () => {
  const server = await start(world.pictures(world.path('ahead.jsonl'), 0));
  const { context, page } = await visitor(browser, { judge: 'Ada' });
  await page.goto(server.entry('/judge'));
  await shown(page);
  await page.waitForLoadState('networkidle').catch(() => undefined);
  await page.waitForTimeout(300);
  // From now on nothing is answered; the next question must still come, with its pictures.
  const first = await pictures(page);
  await context.setOffline(true);
  await page.keyboard.press('ArrowLeft');
  await next(page, first);
  await until(() => page.locator('.ask img').evaluateAll((images) => images.length === 3 && images.every((image) => image.complete && image.naturalWidth > 0)), 'its pictures');
  await context.close();
});

test('a server killed in the middle: answers wait, are seen to wait, and arrive once', async () => {
  const file = world.path('killed.jsonl');
  const port = await freePort();
  let server = await start(world.pictures(file, port));
  const { context, page, problems } = await visitor(browser, { judge: 'Ada' });
  await page.goto(server.entry('/judge'));
  await shown(page);
  await page.keyboard.press('ArrowLeft');
  await until(() => answers(file).length === 1, 'the first answer');
  await page.waitForTimeout(300);

  await server.end('SIGKILL');
  await page.waitForSelector('.banner');
  assert.match(await page.textContent('.banner'), /does not answer[\s\S]*Nothing is lost/);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('s');
  await page.waitForSelector('text=/2 answers wait in this browser/');

  // The server has a new token: the page says what to do, and a second tab lets the first in again.
  server = await start(world.pictures(file, port));
  await page.waitForSelector('text=/does not know this browser/');
  const other = await context.newPage();
  await other.goto(server.entry('/'));
  await page.waitForFunction(() => !document.querySelector('.banner'));
  await until(() => answers(file).length === 3, 'the waiting answers');
  await until(async () => !(await page.textContent('main')).includes('wait in this browser'), 'an empty queue');
  assert.deepEqual(answers(file).map((each) => each.answer), ['left', 'right', 'skip']);
  assert.equal(new Set(answers(file).map((each) => each.client)).size, 3);
  assert.deepEqual(problems, []);
  await context.close();
});

test('an answer whose acknowledgement is lost is sent again and stored once', async () => {
  const file = world.path('lost.jsonl');
  const server = await start(world.pictures(file, 0));
  const { context, page } = await visitor(browser, { judge: 'Ada' });
  await page.goto(server.entry('/judge'));
  await shown(page);
  let sent = 0;
  await page.route('**/api/judge/answer', async (route) => {
    sent += 1;
    // The server gets it and answers; the browser never hears of it.
    if (sent === 1) {
      await route.fetch();
      await route.abort();
    } else {
      await route.continue();
    }
  });
  await page.keyboard.press('ArrowLeft');
  await until(() => sent >= 2, 'a second attempt');
  await until(async () => (await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('sibp.answer.')).length)) === 0, 'an empty queue');
  assert.equal(journal(file).filter((each) => each.record === 'answer').length, 1);
  await context.close();
});

test('answers that wait survive a reload and a new tab', async () => {
  const file = world.path('reload.jsonl');
  const server = await start(world.pictures(file, 0));
  const { context, page } = await visitor(browser, { judge: 'Ada' });
  await page.goto(server.entry('/judge'));
  await shown(page);
  await page.route('**/api/judge/answer', (route) => route.abort());
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector('text=/1 answer waits in this browser/');
  assert.equal(journal(file).filter((each) => each.record === 'answer').length, 0);
  await page.close();
  const again = await context.newPage();
  await again.goto(`${server.origin}/judge`);
  await until(() => answers(file).length === 1, 'the answer from before');
  assert.equal(answers(file)[0].answer, 'right');
  await context.close();
});

test('a full disk is said in the server’s words, and the answer waits', async () => {
  const file = world.path('full.jsonl');
  const server = await start(world.pictures(file, 0));
  const { context, page } = await visitor(browser, { judge: 'Ada' });
  await page.goto(server.entry('/judge'));
  await shown(page);
  let full = true;
  await page.route('**/api/judge/answer', (route) =>
    full ? route.fulfill({ status: 507, contentType: 'application/json', body: '{"error": "the disk is full: free some space"}' }) : route.continue(),
  );
  await page.keyboard.press('ArrowLeft');
  await page.waitForSelector('text=/1 answer waits in this browser to be stored: the disk is full/');
  full = false;
  await until(() => answers(file).length === 1, 'the answer after all');
  await context.close();
});

test('an answer that the server refuses is shown until a person decides', async () => {
  const server = await start(world.pictures(world.path('refused.jsonl'), 0));
  const { context, page } = await visitor(browser, { judge: 'Ada' });
  await page.goto(server.entry('/judge'));
  await shown(page);
  await page.route('**/api/judge/answer', (route) => route.fulfill({ status: 409, contentType: 'application/json', body: '{"error": "this question was answered already"}' }));
  await page.keyboard.press('ArrowLeft');
  await page.waitForSelector('text=/was not taken: this question was answered already/');
  await page.click('text=Discard');
  await until(async () => !(await page.textContent('main')).includes('was not taken'), 'the message is gone');
  await context.close();
});

test('two judges in two browsers have questions of their own', async () => {
  const file = world.path('two.jsonl');
  const server = await start(world.pictures(file, 0));
  const [ada, bo] = [await visitor(browser, { judge: 'Ada' }), await visitor(browser, { judge: 'Bo', viewport: NARROW })];
  for (const { page } of [ada, bo]) {
    await page.goto(server.entry('/judge'));
    await shown(page);
  }
  for (let round = 0; round < 3; round++) {
    for (const { page } of [ada, bo]) {
      const before = await pictures(page);
      await page.click(`.choice >> nth=${round % 2}`);
      await next(page, before);
    }
  }
  await until(() => answers(file).length === 6, 'six answers');
  assert.equal(new Set(answers(file).map((each) => each.question)).size, 6);
  await until(async () => /Ada 3, Bo 3/.test(await ada.page.textContent('.progress')), 'both judges in the progress');
  await ada.context.close();
  await bo.context.close();
});

test('control questions: agreement is drawn with its uncertainty, and the sentence is shown', async () => {
  const server = await start(world.pictures(world.path('control.jsonl'), 0));
  const { context, page } = await visitor(browser, { judge: 'Ada' });
  const control = Array.from({ length: 30 }, (_, ix) => ({ answers: ix + 1, agreement: 0.8, low: 0.8 - 0.4 / Math.sqrt(ix + 1), high: Math.min(1, 0.8 + 0.4 / Math.sqrt(ix + 1)) }));
  const progress = { answers: 200, judges: [{ name: 'Ada', answers: 200 }], control, more: { hundred: 0.02, low: 0, high: 0.04, sentence: 'Another 100 answers would bring 2 points.' } };
  await page.route('**/api/judge/progress', (route) => route.fulfill({ contentType: 'application/json', body: JSON.stringify(progress) }));
  await page.goto(server.entry('/judge'));
  await page.waitForSelector('svg.agreement polygon.band');
  assert.match(await page.getAttribute('svg.agreement', 'aria-label'), /30 control questions: 80 %, between 73 % and 87 %/);
  assert.match(await page.textContent('.progress'), /Another 100 answers would bring 2 points/);
  await context.close();
});
