/** Turns pointers and the wheel into pan, zoom, hover and click. */

export interface Moves {
  pan: (dx: number, dy: number) => void;
  zoom: (factor: number, x: number, y: number) => void;
  hover: (x: number | null, y: number | null) => void;
  click: (x: number, y: number) => void;
}

/** A pointer that moved less than this was a click. */
const STILL = 5;

export class Gesture {
  #down = new Map<number, { x: number; y: number }>();
  #travelled = 0;
  #abort = new AbortController();

  constructor(
    private element: HTMLElement,
    private moves: Moves,
  ) {
    const options = { signal: this.#abort.signal };
    element.addEventListener('pointerdown', (event) => this.#press(event), options);
    element.addEventListener('pointermove', (event) => this.#move(event), options);
    element.addEventListener('pointerup', (event) => this.#release(event, true), options);
    element.addEventListener('pointercancel', (event) => this.#release(event, false), options);
    element.addEventListener('pointerleave', () => moves.hover(null, null), options);
    element.addEventListener('wheel', (event) => this.#wheel(event), { ...options, passive: false });
  }

  end(): void {
    this.#abort.abort();
  }

  #place(event: MouseEvent): { x: number; y: number } {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    if (this.#down.size === 0) this.#travelled = 0;
    this.#down.set(event.pointerId, this.#place(event));
  }

  #move(event: PointerEvent): void {
    const to = this.#place(event);
    const from = this.#down.get(event.pointerId);
    if (!from) return this.moves.hover(to.x, to.y);
    this.#travelled += Math.hypot(to.x - from.x, to.y - from.y);
    if (this.#travelled >= STILL) {
      const other = [...this.#down].find(([id]) => id !== event.pointerId)?.[1];
      if (other) this.#pinch(from, to, other);
      else this.moves.pan(to.x - from.x, to.y - from.y);
    }
    this.#down.set(event.pointerId, to);
  }

  #pinch(from: { x: number; y: number }, to: { x: number; y: number }, other: { x: number; y: number }): void {
    const before = Math.hypot(from.x - other.x, from.y - other.y);
    const after = Math.hypot(to.x - other.x, to.y - other.y);
    if (before > 0) this.moves.zoom(after / before, (to.x + other.x) / 2, (to.y + other.y) / 2);
    this.moves.pan((to.x - from.x) / 2, (to.y - from.y) / 2);
  }

  #release(event: PointerEvent, meant: boolean): void {
    const alone = this.#down.size === 1;
    if (!this.#down.delete(event.pointerId)) return;
    const { x, y } = this.#place(event);
    if (meant && alone && this.#travelled < STILL) this.moves.click(x, y);
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const { x, y } = this.#place(event);
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    this.moves.zoom(Math.exp(-event.deltaY * lines * 0.0015), x, y);
  }
}
