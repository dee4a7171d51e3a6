// Bundles the browser code into dist/. `--check` builds in memory and compares with what is committed, byte by byte.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const LIMIT = 300_000;

/** The notices that the licences of what is bundled ask for. */
function notices() {
  const parts = ['preact', 'uplot'].map((name) => {
    const text = readFileSync(join(here, 'node_modules', name, 'LICENSE'), 'utf8').trim().replaceAll('*/', '* /');
    return `${name}\n\n${text}`;
  });
  return `/*! sibp page. This file holds:\n\n${parts.join('\n\n')}\n*/`;
}

/** Makes every file of dist: name and bytes. */
async function bundle() {
  const result = await build({
    absWorkingDir: here,
    entryPoints: { app: 'src/main.tsx' },
    bundle: true,
    minify: true,
    write: false,
    outdir: 'dist',
    format: 'esm',
    target: ['es2022'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    legalComments: 'none',
    banner: { js: notices() },
  });
  const files = new Map(result.outputFiles.map((file) => [file.path.split('/').pop(), Buffer.from(file.contents)]));
  // The address of a file changes with its content, so that it may be kept for ever.
  let page = readFileSync(join(here, 'src/index.html'), 'utf8');
  for (const name of ['app.js', 'app.css']) {
    const hash = createHash('sha256').update(files.get(name)).digest('hex').slice(0, 16);
    page = page.replace(`/assets/${name}`, `/assets/${name}?v=${hash}`);
  }
  files.set('index.html', Buffer.from(page));
  return files;
}

const files = await bundle();
const total = [...files.values()].reduce((sum, bytes) => sum + bytes.length, 0);
const problems = total > LIMIT ? [`the bundle has ${total} bytes, more than ${LIMIT}`] : [];
mkdirSync(join(here, 'dist'), { recursive: true });
for (const [name, bytes] of files) {
  const path = join(here, 'dist', name);
  if (process.argv.includes('--check')) {
    let committed = null;
    try {
      committed = readFileSync(path);
    } catch {
      // A missing file differs from any other.
    }
    if (!committed?.equals(bytes)) problems.push(`dist/${name} is not what src gives: run \`make page\` and commit it`);
  } else {
    writeFileSync(path, bytes);
  }
}
for (const problem of problems) console.error(`page bundle: ${problem}`);
if (problems.length) process.exit(1);
console.log(`page bundle: ${total} bytes (${[...files].map(([name, bytes]) => `${name} ${bytes.length}`).join(', ')})`);
