// Looks at every view as a person does, by mouse and by keyboard.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, opened, visited } from './browser.mjs';
import { Server } from './server.mjs';
import { HOSTILE, HOSTILE_OBJECT, World } from './world.mjs';

const world = World.shared();
let browser;
let server;

before(async () => {
  server = await Server.start(...world.pictures(world.path('views.jsonl'), 0));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.end();
});

/** A visitor of this server who saw nothing break. */
const visit = (options, look) => visited(browser, options, look);
const open = (page, path) => opened(page, server.entry(path));

test('the token leaves the address, and each view has a title of its own', async () => {
  await visit({}, async (page) => {
    const titles = new Set();
    for (const path of ['/', '/bits', '/map', '/search', '/judge']) {
      await open(page, path);
      assert.equal(page.url(), server.origin + path);
      titles.add(await page.title());
    }
    assert.equal(titles.size, 5);
  });
});

test('overview: sizes, diagnostics in words, traces, what to do next', async () => {
  await visit({}, async (page) => {
    await open(page, '/');
    const text = await page.textContent('main');
    assert.match(text, /300/);
    assert.match(text, /What to do next/);
    assert.match(text, /What the diagnostics say/);
    assert.ok((await page.locator('.trace canvas').count()) > 0);
    assert.ok((await page.textContent('.headline')).length > 10);
  });
});

test('bits: a click on a column, and arrow keys in the list, lead to a bit', async () => {
  await visit({}, async (page) => {
    await open(page, '/bits');
    const box = await page.locator('.heat canvas').boundingBox();
    await page.mouse.click(box.x + 3, box.y + 100);
    await page.waitForURL('**/bits/0');
    await page.waitForSelector('.bit-panel .objects a');
    assert.match(await page.textContent('.bit-panel'), /Bit 0[\s\S]*of the objects own it[\s\S]*Surest owners[\s\S]*Just not/);
    await page.locator('.bit-list a').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.waitForURL('**/bits/1');
    await page.waitForFunction(() => document.querySelector('#bit-title')?.textContent === 'Bit 1');
    await page.keyboard.press('End');
    await page.waitForFunction(() => document.activeElement.getAttribute('aria-current') === 'true');
    await page.selectOption('.toolbar select', 'share');
    await page.waitForURL('**?by=share');
    const shares = await page.locator('.bit-list a').evaluateAll((rows) => rows.map((row) => Number(/share (\d+)/.exec(row.textContent)[1])));
    assert.deepEqual(shares, [...shares].sort((a, b) => b - a));
    await page.goBack();
  });
});

test('bits: one that does not exist is said so', async () => {
  await visit({}, async (page) => {
    await open(page, '/bits/99999');
    assert.match(await page.textContent('main'), /There is no bit 99999/);
  });
});

test('map: hover names an object, click opens it in Search, keys and buttons zoom, the box finds', async () => {
  await visit({}, async (page) => {
    await open(page, '/map');
    const canvas = page.locator('.scatter canvas');
    await page.waitForFunction(() => document.querySelector('.scatter canvas').dataset.painted);
    await page.fill('.finder input', 'digit-12');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/map?object=12');
    assert.match(await page.textContent('.marked'), /digit-12/);
    const painted = () => canvas.evaluate((element) => Number(element.dataset.painted));
    const before = await painted();
    await canvas.focus();
    await page.keyboard.press('+');
    await page.waitForFunction((n) => Number(document.querySelector('.scatter canvas').dataset.painted) > n, before);
    await page.click('button[aria-label="Zoom out"]');
    // The mark says where the object lies; the mouse finds it, or one that lies upon it.
    const box = await page.locator('.marker').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForTimeout(100);
    const named = await page.textContent('.marked .id');
    assert.match(named, /^digit-\d+$/);
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForURL(`**/search/${named.slice(6)}`);
    await page.goBack();
    await page.waitForSelector('.scatter canvas');
  });
});

test('map: dragging moves it and opens nothing; colours by a bit; a name of the legend stands out', async () => {
  await visit({}, async (page) => {
    await open(page, '/map');
    const canvas = page.locator('.scatter canvas');
    const box = await canvas.boundingBox();
    const pixels = () => canvas.evaluate((element) => element.toDataURL().length + element.toDataURL());
    const first = await pixels();
    await page.mouse.move(box.x + 300, box.y + 300);
    await page.mouse.down();
    await page.mouse.move(box.x + 340, box.y + 330, { steps: 4 });
    await page.mouse.up();
    await page.waitForTimeout(100);
    assert.notEqual(await pixels(), first);
    assert.equal(new URL(page.url()).pathname, '/map');
    await page.click('.zoom button:last-child');
    await page.waitForTimeout(100);
    await page.mouse.move(5, 5);
    assert.equal(await pixels(), first);
    await page.locator('.legend button').first().click();
    await page.waitForTimeout(100);
    assert.notEqual(await pixels(), first);
    assert.equal(await page.locator('.legend button').first().getAttribute('aria-pressed'), 'true');
    await page.selectOption('.side-column select', '1');
    await page.waitForURL('**/map?bit=1');
    assert.match(await page.textContent('.legend'), /owns it/);
  });
});

test('search: by id with the keyboard alone, metrics, why, and from neighbour to neighbour', async () => {
  await visit({}, async (page) => {
    await open(page, '/search');
    await page.focus('.finder input');
    await page.keyboard.type('digit-20');
    await page.waitForSelector('[role=option]');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search/20');
    await page.waitForSelector('[aria-label="Nearest objects"] a');
    assert.equal(await page.locator('[aria-label="Nearest objects"] a').count(), 20);
    await page.check('text=weighted');
    await page.waitForURL('**metric=weighted');
    await page.locator('[aria-label="Nearest objects"] a').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL('**why=**');
    await page.waitForSelector('.why h3, .why details');
    assert.match(await page.textContent('.why'), /differ[s]? of \d+/);
    await page.click('text=Search from here');
    await page.waitForFunction(() => !location.search.includes('why'));
    await page.goBack();
    await page.waitForURL('**why=**');
  });
});

test('search: by picking, by pasted numbers, by a file; mistakes are said', async () => {
  await visit({}, async (page) => {
    await open(page, '/search');
    await page.waitForSelector('[aria-label="Objects to pick from"] a');
    await page.click('text=Search with numbers of your own');
    await page.fill('textarea', '1 2 three');
    await page.click('form.vector button');
    assert.match(await page.textContent('form.vector [role=alert]'), /Number 3 is “three”/);
    await page.fill('textarea', '1 2 3');
    await page.click('form.vector button');
    assert.match(await page.textContent('form.vector [role=alert]'), /3 numbers; the model has 64 inputs/);
    await page.fill('textarea', world.values[20].join(', '));
    await page.click('form.vector button');
    await page.waitForSelector('[aria-label="Nearest objects"] a');
    assert.match(await page.textContent('main'), /Its code: [01]+/);
    await page.setInputFiles('input[type=file]', { name: 'row.csv', mimeType: 'text/csv', buffer: Buffer.from(world.values[3].join(',')) });
    await page.waitForFunction((text) => document.querySelector('textarea').value.startsWith(text), world.values[3].slice(0, 8).join(', '));
    await page.click('text=Pick an object');
    await page.locator('[aria-label="Objects to pick from"] a').nth(1).click();
    await page.waitForURL(/\/search\/\d+$/);
  });
});

test('an id that looks like HTML is shown as text, in every view', async () => {
  await visit({ judge: 'Ada' }, async (page) => {
    const shown = async (path) => {
      await open(page, path);
      await page.waitForFunction((id) => document.querySelector('main').textContent.includes(id), HOSTILE);
      assert.equal(await page.locator('img[src="x"]').count(), 0);
    };
    await shown(`/search/${HOSTILE_OBJECT}`);
    await shown(`/search/3?why=${HOSTILE_OBJECT}`);
    await shown(`/map?object=${HOSTILE_OBJECT}`);
    await open(page, '/search');
    // The second handful to pick from holds it.
    await page.click('text=Show others');
    await page.waitForFunction((id) => [...document.querySelectorAll('.objects .id')].some((each) => each.textContent === id), HOSTILE);
    assert.equal(await page.locator('img[src="x"]').count(), 0);
    await page.fill('.finder input', '<img');
    await page.waitForSelector('[role=option]');
    assert.equal(await page.locator('[role=option] span').first().textContent(), HOSTILE);
  });
});

test('an address that is none says so and leads back', async () => {
  await visit({}, async (page) => {
    await open(page, '/search/999999');
    assert.match(await page.textContent('main'), /There is no object 999999/);
  });
});
