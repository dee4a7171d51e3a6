// Starts Debian's chromium and opens pages in it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const EXECUTABLE = process.env.SIBP_CHROMIUM ?? '/usr/bin/chromium';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const WIDE = { width: 1280, height: 860 };
export const NARROW = { width: 390, height: 844 };

/** A browser with a profile of its own; playwright makes and removes the folder. */
export function launch() {
  return chromium.launch({ executablePath: EXECUTABLE, headless: true, args: FLAGS });
}

/** What axe finds serious or critical in the view that is open. */
export async function serious(page) {
  // The page's policy lets no script in; the driver's own evaluation is exempt from it.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations
    .filter((each) => each.impact === 'serious' || each.impact === 'critical')
    .map((each) => `${page.url()}: ${each.id}: ${each.nodes.map((node) => node.html).join(' | ')}`);
}

/** A fresh visitor: an own storage, and a list of everything that went wrong in the page. */
export async function visitor(browser, { viewport = WIDE, colorScheme = 'light', judge = null } = {}) {
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
  // A judge who was here before; a new one is asked for a name.
  if (judge) await context.addInitScript((name) => localStorage.setItem('sibp.judge', name), judge);
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('dialog', (dialog) => {
    problems.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy|Uncaught/.test(message.text())) problems.push(message.text());
  });
  return { context, page, problems };
}

/** Opens a view and waits until its data are there. */
export async function opened(page, address) {
  await page.goto(address);
  await page.waitForFunction(() => document.querySelector('main') && !/Loading …|on its way/.test(document.querySelector('main').textContent));
  await page.waitForLoadState('networkidle').catch(() => undefined);
}

/** A visitor who looks, saw nothing break, and is gone afterwards. */
export async function visited(browser, options, look) {
  const { context, page, problems } = await visitor(browser, options);
  try {
    await look(page);
    assert.deepEqual(problems, []);
  } finally {
    await context.close();
  }
}
