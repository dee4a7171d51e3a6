/** Asks the server: JSON in and out, errors as sentences for people. */

/** The server answered that something is wrong. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    sentence: string,
  ) {
    super(sentence);
  }

  /** Whether the same request may succeed later: a full disk or a slow moment, not a mistake in what was asked. */
  get passing(): boolean {
    return this.status >= 500 || this.status === 408 || this.status === 429 || this.status === 401;
  }
}

/** No answer came: the server is gone or does not respond. */
export class Gone extends Error {
  constructor() {
    super('The server does not answer.');
  }
}

let onGone: () => void = () => {};

/** Names who is told when a request gets no answer. */
export function whenGone(listener: () => void): void {
  onGone = listener;
}

async function ask(path: string, options: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { ...options, credentials: 'same-origin', cache: 'no-store' });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    onGone();
    throw new Gone();
  }
  if (!response.ok) throw new Refused(response.status, await sentence(response));
  return response;
}

async function sentence(response: Response): Promise<string> {
  try {
    const body = (await response.json()) as { error?: unknown };
    if (typeof body.error === 'string') return body.error;
  } catch {
    // Not JSON: the status has to do.
  }
  return `The server answered with ${response.status}.`;
}

/** The body; a connection that breaks in its middle is a server that is gone. */
async function body<T>(response: Response, read: (response: Response) => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await read(response);
  } catch (error) {
    if (signal?.aborted) throw error;
    onGone();
    throw new Gone();
  }
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return body(await ask(path, signal ? { signal } : {}), (response) => response.json() as Promise<T>, signal);
}

export async function getBytes(path: string, signal?: AbortSignal): Promise<{ bytes: ArrayBuffer; headers: Headers }> {
  const response = await ask(path, signal ? { signal } : {});
  return { bytes: await body(response, (r) => r.arrayBuffer(), signal), headers: response.headers };
}

export async function post<T>(path: string, content: unknown, signal?: AbortSignal): Promise<T> {
  const options: RequestInit = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(content),
  };
  if (signal) options.signal = signal;
  return body(await ask(path, options), (response) => response.json() as Promise<T>, signal);
}
