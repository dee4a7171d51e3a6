/** Says of one bit who owns it, what drives it, and what it is good for. */
import type { JSX } from 'preact';
import { useGet } from '../lib/remote';
import type { BitDetail } from '../lib/types';
import { figure, percent, signed } from '../lib/words';
import { Bar } from './face';
import { Pending } from './notes';
import { ObjectList } from './object_list';

export function BitPanel({ bit }: { bit: number }): JSX.Element {
  const detail = useGet<BitDetail>(`/api/bits/${bit}`);
  return (
    <section class="card bit-panel" aria-labelledby="bit-title">
      <h2 id="bit-title">Bit {bit}</h2>
      <Pending remote={detail}>{(data) => <Detail data={data} />}</Pending>
    </section>
  );
}

function Detail({ data }: { data: BitDetail }): JSX.Element {
  return (
    <>
      <p>
        {data.kind}; {percent(data.share, 1)} of the objects own it; weight {figure(data.weight)}.{' '}
        <a href={`/map?bit=${data.bit}`}>Show it on the map</a>
      </p>
      {data.without ? <p>{fares(data.without)}</p> : null}
      <div class="panel-columns">
        <div>
          <h3>Surest owners</h3>
          <ObjectList entries={data.surest.map((object) => ({ object }))} label="Surest owners" />
        </div>
        <div>
          <h3>Just not</h3>
          <ObjectList entries={data.just_not.map((object) => ({ object }))} label="Objects that just do not own it" />
        </div>
        {data.drivers.length ? (
          <div>
            <h3>Inputs that drive it</h3>
            <ul class="drivers">
              {data.drivers.map((driver) => (
                <li key={driver.input}>
                  <span class="name">{driver.input}</span>
                  <Bar share={Math.abs(driver.correlation)} negative={driver.correlation < 0} />
                  <span class="value">{signed(driver.correlation)}</span>
                </li>
              ))}
            </ul>
            <p class="soft">Correlation of the input with owning the bit.</p>
          </div>
        ) : null}
      </div>
    </>
  );
}

function fares(without: { agreement: number; agreement_with: number }): string {
  const points = 100 * (without.agreement - without.agreement_with);
  const change = Math.abs(points) < 0.05 ? 'the same as' : `${Math.abs(points).toFixed(1)} points ${points < 0 ? 'less than' : 'more than'}`;
  return `Without it the codes would agree with ${percent(without.agreement, 1)} of the triplets, ${change} the ${percent(without.agreement_with, 1)} with it.`;
}
