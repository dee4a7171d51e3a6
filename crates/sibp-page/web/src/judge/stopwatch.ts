/** Measures how long a question was looked at: the time during which the page could be seen. */

export class Stopwatch {
  #since: number | null = null;
  #before = 0;

  constructor() {
    document.addEventListener('visibilitychange', () => (document.hidden ? this.#pause() : this.#resume()));
  }

  restart(): void {
    this.#before = 0;
    this.#since = null;
    if (!document.hidden) this.#resume();
  }

  milliseconds(): number {
    return Math.round(this.#before + (this.#since === null ? 0 : performance.now() - this.#since));
  }

  #pause(): void {
    this.#before = this.milliseconds();
    this.#since = null;
  }

  #resume(): void {
    this.#since ??= performance.now();
  }
}
