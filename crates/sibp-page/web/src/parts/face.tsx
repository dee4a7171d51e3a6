/** Shows an object as its picture, its text or its numbers. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { state } from '../lib/connection';
import { useObject } from '../lib/objects';
import { useStore } from '../lib/store';
import type { ObjectDetail } from '../lib/types';
import { figure } from '../lib/words';

/** Pictures below this width are enlarged with sharp pixels. */
const SMALL = 64;

export function imageAddress(object: number): string {
  return `/api/image/${object}`;
}

export function Picture({ object, alt }: { object: number; alt: string }): JSX.Element {
  const [sharp, setSharp] = useState(false);
  const [failed, setFailed] = useState(false);
  if (failed) return <span class="no-picture">no picture</span>;
  return (
    <img
      class={sharp ? 'picture sharp' : 'picture'}
      src={imageAddress(object)}
      alt={alt}
      draggable={false}
      onLoad={(event) => setSharp(event.currentTarget.naturalWidth < SMALL)}
      onError={() => setFailed(true)}
    />
  );
}

/** Bars of an object's first inputs, as a shape that the eye compares. */
export function Profile({ detail }: { detail: ObjectDetail }): JSX.Element {
  const values = detail.values.map((entry) => entry.value ?? 0);
  const largest = Math.max(1e-12, ...values.map(Math.abs));
  const negative = values.some((value) => value < 0);
  const zero = negative ? 20 : 40;
  const step = 64 / Math.max(values.length, 1);
  return (
    <svg class="profile" viewBox="0 0 64 40" preserveAspectRatio="none" aria-hidden="true">
      {values.map((value, ix) => {
        const height = (Math.abs(value) / largest) * (negative ? 20 : 40);
        return <rect key={ix} x={ix * step} width={step * 0.8} y={value >= 0 ? zero - height : zero} height={height} />;
      })}
    </svg>
  );
}

/** A small face, for lists. */
export function Face({ object }: { object: number }): JSX.Element {
  const show = useStore(state)?.show ?? 'numbers';
  const detail = useObject(show === 'images' ? null : object);
  if (show === 'images') return <Picture key={object} object={object} alt="" />;
  if (!detail) return <span class="waiting" aria-hidden="true" />;
  if (show === 'text') return <span class="excerpt">{detail.text ?? ''}</span>;
  return <Profile detail={detail} />;
}

/** A large face: the whole text, or the numbers with their names. `others` share the scale of the bars. */
export function LargeFace({ object, others = [] }: { object: number; others?: (ObjectDetail | null)[] }): JSX.Element {
  const show = useStore(state)?.show ?? 'numbers';
  const detail = useObject(object);
  if (show === 'images') return <Picture key={object} object={object} alt={detail ? `picture of ${detail.id}` : 'picture'} />;
  if (!detail) return <span class="waiting large" aria-label="loading" role="img" />;
  if (show === 'text') return <span class="whole-text">{detail.text ?? ''}</span>;
  return <Numbers detail={detail} others={others} />;
}

const ROWS = 16;

function Numbers({ detail, others }: { detail: ObjectDetail; others: (ObjectDetail | null)[] }): JSX.Element {
  const scale = (ix: number): number =>
    Math.max(1e-12, ...[detail, ...others].map((each) => Math.abs(each?.values[ix]?.value ?? 0)));
  return (
    <span class="numbers">
      {detail.values.slice(0, ROWS).map((entry, ix) => (
        <span class="number" key={ix}>
          <span class="name">{entry.name}</span>
          <Bar share={Math.abs(entry.value ?? 0) / scale(ix)} negative={(entry.value ?? 0) < 0} />
          <span class="value">{figure(entry.value)}</span>
        </span>
      ))}
      {detail.values.length > ROWS ? <span class="soft">and {detail.values.length - ROWS} more</span> : null}
    </span>
  );
}

/** A bar between nothing and all. */
export function Bar({ share, negative = false, colour }: { share: number; negative?: boolean; colour?: string }): JSX.Element {
  const width = `${(100 * Math.min(1, Math.max(0, share))).toFixed(1)}%`;
  return (
    <span class={negative ? 'bar negative' : 'bar'} aria-hidden="true">
      <span style={colour ? { width, background: colour } : { width }} />
    </span>
  );
}
