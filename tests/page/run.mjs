// Runs all tests of the page: makes the data once, then hands every file of tests to Node's runner.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXECUTABLE } from './browser.mjs';
import { World } from './world.mjs';

const here = dirname(fileURLToPath(import.meta.url));

function main() {
  if (!existsSync(EXECUTABLE)) {
    console.log(`skipped: there is no browser at ${EXECUTABLE}`);
    console.log('page: 0 passed, 0 failed, 1 skipped');
    return 0;
  }
  const world = World.make();
  try {
    const wanted = process.argv.slice(2);
    const files = wanted.length ? wanted : readdirSync(here).filter((name) => name.endsWith('.test.mjs')).sort();
    const args = ['--test', `--test-reporter=${join(here, 'totals.mjs')}`, '--test-concurrency=2', ...files.map((name) => join(here, name))];
    return spawnSync(process.execPath, args, { stdio: 'inherit', env: { ...process.env, SIBP_PAGE_WORLD: world.folder } }).status ?? 1;
  } finally {
    world.remove();
  }
}

process.exitCode = main();
