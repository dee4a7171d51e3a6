/** Draws a quantity of every chain against sweeps, with uPlot. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { categorical } from '../lib/palette';
import { useStore } from '../lib/store';
import { colours } from '../lib/theme';
import type { Trace } from '../lib/types';
import { figure } from '../lib/words';

const HEIGHT = 150;

/** A little room above and below, also for what never changes. */
function rangeOf(_: uPlot, low: number | null, high: number | null): [number, number] {
  const [from, to] = [low ?? 0, high ?? 1];
  const room = to > from ? 0.08 * (to - from) : 0.05 * Math.abs(to) || 1;
  return [from - room, to + room];
}

export function TraceChart({ trace }: { trace: Trace }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const now = useStore(colours);

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const axis = { stroke: now.soft, grid: { stroke: now.faint, width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif' };
    const plot = new uPlot(
      {
        width: Math.max(element.clientWidth, 100),
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false }, y: { range: rangeOf } },
        axes: [{ ...axis, size: 26, space: 60 }, { ...axis, size: 52, space: 34, values: (_, ticks) => ticks.map((tick) => figure(tick)) }],
        series: [{}, ...trace.chains.map((_, ix) => ({ stroke: categorical(ix), width: 1.25, points: { show: false } }))],
      },
      [trace.sweeps, ...trace.chains] as uPlot.AlignedData,
      element,
    );
    const watch = new ResizeObserver(() => plot.setSize({ width: Math.max(element.clientWidth, 100), height: HEIGHT }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [trace, now]);

  const last = trace.chains.map((chain) => figure(chain[chain.length - 1] ?? null)).join(', ');
  return (
    <figure class="trace">
      <figcaption>{trace.name}</figcaption>
      <div ref={place} role="img" aria-label={`${trace.name} by sweep; the chains end at ${last}`} />
    </figure>
  );
}
