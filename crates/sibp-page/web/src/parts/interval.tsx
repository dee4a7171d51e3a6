/** Draws a share with its interval on a line from 0 to 1, or from a half where guessing lies. */
import type { JSX } from 'preact';
import { percent } from '../lib/words';

interface Properties {
  value: number;
  low: number;
  high: number;
  chance?: number;
}

export function Interval({ value, low, high, chance = 0.5 }: Properties): JSX.Element {
  const x = (share: number): number => 300 * share;
  return (
    <svg class="interval" viewBox="-12 0 324 34" role="img" aria-label={`${percent(value, 1)}, between ${percent(low, 1)} and ${percent(high, 1)}`}>
      <line class="axis" x1={0} x2={300} y1={12} y2={12} />
      <line class="chance" x1={x(chance)} x2={x(chance)} y1={5} y2={19} />
      <line class="range" x1={x(low)} x2={x(high)} y1={12} y2={12} />
      <circle class="dot" cx={x(value)} cy={12} r={5} />
      <text x={0} y={32} text-anchor="middle">0</text>
      <text x={x(chance)} y={32} text-anchor="middle">guessing</text>
      <text x={300} y={32} text-anchor="end">100 %</text>
    </svg>
  );
}
