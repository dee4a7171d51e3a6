// Starts and ends `sibp page`, and reads what it wrote.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

export const BIN = process.env.SIBP_BIN ?? 'sibp';
const PATIENCE = 60_000;

/** Runs the command to its end; a failure is an error that holds what it said. */
export function sibp(...args) {
  const run = spawnSync(BIN, args, { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`sibp ${args.join(' ')}: ${run.stderr || run.error}`);
  return run.stdout;
}

/** A port that is free now, for servers that come back at the same place. */
export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

export class Server {
  /** Starts `sibp page ARGS` and waits for the address that it prints. */
  static async start(...args) {
    const child = spawn(BIN, ['page', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const address = await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no address within ${PATIENCE} ms: ${said}`)), PATIENCE);
      const hear = (chunk) => {
        said += chunk;
        const match = /http:\/\/127\.0\.0\.1:\d+\/\S*token=\S+/.exec(said);
        if (match) {
          clearTimeout(timer);
          resolve(match[0]);
        }
      };
      child.stdout.setEncoding('utf8').on('data', hear);
      child.stderr.setEncoding('utf8').on('data', hear);
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`sibp page ended with ${code}: ${said}`)));
    });
    return new Server(child, new URL(address));
  }

  constructor(child, address) {
    this.child = child;
    this.address = address;
  }

  get origin() {
    return this.address.origin;
  }

  /** The address of a view, with the token that lets a browser in. */
  entry(path = '/') {
    const url = new URL(path, this.origin);
    url.searchParams.set('token', this.address.searchParams.get('token'));
    return url.href;
  }

  async end(signal = 'SIGINT') {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill(signal);
    await gone;
  }
}

/** The records of a journal. */
export function journal(path) {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
}
