/** Draws agreement on control questions against their number, with its uncertainty. */
import type { JSX } from 'preact';
import type { Progress } from '../lib/types';
import { count, integer, percent } from '../lib/words';

const WIDTH = 320;
const HEIGHT = 150;
const LEFT = 40;
const BOTTOM = 22;
const TOP = 8;
const RIGHT = 10;

export function AgreementChart({ control }: { control: Progress['control'] }): JSX.Element | null {
  const last = control[control.length - 1];
  if (!last) return null;
  const lowest = Math.min(0.4, ...control.map((point) => point.low));
  const floor = Math.max(0, Math.floor(lowest * 10) / 10);
  const x = (answers: number): number => LEFT + ((WIDTH - LEFT - RIGHT) * answers) / Math.max(last.answers, 1);
  const y = (share: number): number => TOP + ((HEIGHT - TOP - BOTTOM) * (1 - share)) / (1 - floor);
  const upper = control.map((point) => `${x(point.answers).toFixed(1)},${y(point.high).toFixed(1)}`);
  const lower = control.map((point) => `${x(point.answers).toFixed(1)},${y(point.low).toFixed(1)}`).reverse();
  const line = control.map((point) => `${x(point.answers).toFixed(1)},${y(point.agreement).toFixed(1)}`);
  const ticks = [floor, 0.5, 0.75, 1].filter((tick, ix, all) => tick >= floor && all.indexOf(tick) === ix && (ix === 0 || tick - floor > 0.06));
  const words = `Agreement on ${count(last.answers, 'control question')}: ${percent(last.agreement)}, between ${percent(last.low)} and ${percent(last.high)}`;
  return (
    <svg class="agreement" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class={tick === 0.5 ? 'chance' : 'grid'} x1={LEFT} x2={WIDTH - RIGHT} y1={y(tick)} y2={y(tick)} />
          <text x={LEFT - 6} y={y(tick) + 4} text-anchor="end">{percent(tick)}</text>
        </g>
      ))}
      <polygon class="band" points={[...upper, ...lower].join(' ')} />
      <polyline class="line" points={line.join(' ')} />
      <circle class="dot" cx={x(last.answers)} cy={y(last.agreement)} r={4} />
      <text x={LEFT} y={HEIGHT - 6}>0</text>
      <text x={WIDTH - RIGHT} y={HEIGHT - 6} text-anchor="end">{integer(last.answers)} control questions</text>
    </svg>
  );
}
