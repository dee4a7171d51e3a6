/** Writes numbers as people read them. */

const whole = new Intl.NumberFormat('en');

export function count(n: number, one: string, many = `${one}s`): string {
  return `${whole.format(n)} ${n === 1 ? one : many}`;
}

export function integer(n: number): string {
  return whole.format(n);
}

export function percent(share: number, digits = 0): string {
  return `${(100 * share).toFixed(digits)} %`;
}

/** Three digits that matter, without an exponent where a person would not write one. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return whole.format(value).replace('-', '−');
  const size = Math.abs(value);
  const text = size >= 1e6 || size < 1e-3 ? value.toExponential(1) : size >= 100 ? value.toFixed(0) : value.toPrecision(3);
  return text.replace('-', '−');
}

export function signed(value: number): string {
  return value > 0 ? `+${figure(value)}` : figure(value);
}
