import type { CandleView } from '../../src/core/candle.ts';
import type { Interval } from '../../src/core/interval.ts';
import { formatStart, legendOf } from '../lib/format.ts';

interface LegendProps {
  readonly candle: CandleView | undefined;
  readonly interval: Interval;
  readonly priceDigits: number;
}

/** The exact numbers of the candle under the crosshair, else of the newest one. */
export function Legend({ candle, interval, priceDigits }: LegendProps) {
  if (candle === undefined) return <div className="legend" />;
  const rose = Number(candle.close) >= Number(candle.open);
  return (
    <div className="legend" data-start={candle.startMs}>
      <p className="legend-time">
        {formatStart(candle.startMs, interval)}
        {candle.state === 'open' ? <span className="legend-open"> forming</span> : null}
      </p>
      <dl data-direction={rose ? 'up' : 'down'}>
        {legendOf(candle, priceDigits).map(({ label, name, value, exact }) => (
          <div key={label}>
            <dt>
              <abbr title={name}>{label}</abbr>
            </dt>
            <dd data-field={label} title={exact}>
              {value}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
