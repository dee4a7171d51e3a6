// Looks at every view in both widths and both themes with axe and by the Tab key, and takes pictures of them.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NARROW, WIDE, launch, opened, serious, visited } from './browser.mjs';
import { Server } from './server.mjs';
import { World } from './world.mjs';

const SHOTS = process.env.SIBP_SCREENSHOTS ?? fileURLToPath(new URL('../../target/page-screenshots/', import.meta.url));
const VIEWS = ['/', '/bits', '/bits/1', '/map', '/map?bit=0&object=3', '/search', '/search/12?why=3', '/judge'];
const world = World.shared();
let browser;
let server;

before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  server = await Server.start(...world.pictures(world.path('looks.jsonl'), 0));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.end();
});

/** A visitor of this server who saw nothing break. */
const visit = (options, look) => visited(browser, options, look);
const open = (page, path) => opened(page, server.entry(path));

for (const [name, viewport] of [['1280', WIDE], ['390', NARROW]]) {
  for (const colorScheme of ['light', 'dark']) {
    test(`every view at ${name} px, ${colorScheme}: nothing serious for axe, no sideways scroll, a picture`, async () => {
      await visit({ viewport, colorScheme, judge: 'Ada' }, async (page) => {
        for (const path of VIEWS) {
          await open(page, path);
          const label = `${path.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'overview'}-${name}-${colorScheme}`;
          await page.screenshot({ path: join(SHOTS, `${label}.png`) });
          const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          assert.ok(over <= 0, `${label}: ${over} px too wide`);
          assert.deepEqual(await serious(page), []);
        }
      });
    });
  }
}

test('the skip link and the Tab key lead through a view, and focus can be seen', async () => {
  await visit({}, async (page) => {
    await open(page, '/bits');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), 'Skip to the content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1');
    const seen = [];
    for (let step = 0; step < 2; step++) {
      await page.keyboard.press('Tab');
      seen.push(await page.evaluate(() => {
        const element = document.activeElement;
        const style = getComputedStyle(element);
        return { tag: element.tagName, outlined: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 };
      }));
    }
    assert.ok(seen.every((each) => each.outlined), JSON.stringify(seen));
    assert.deepEqual(seen.map((each) => each.tag), ['SELECT', 'A']);
    // A list of bits is one stop, however long it is: nothing follows it in this view.
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.closest('.bit-list')), null);
  });
});
