import fc from 'fast-check';
import { parseDecimal, parseUnits } from '../../../src/core/decimal.ts';
import type { Tick } from '../../../src/core/tick.ts';
import type { OracleRow } from '../../oracle/oracle.ts';

export type Trade = OracleRow & { seq: bigint };

/** Trades with distinct ids that collide in time, sequence and price as often as real ones do. */
export function arbitraryTrades(symbols: readonly string[]): fc.Arbitrary<Trade[]> {
  const trade = fc.record({
    symbol: fc.constantFrom(...symbols),
    tsUs: fc.oneof(
      fc.bigInt({ min: -5_000_000n, max: 5_000_000n }),
      fc.bigInt({ min: -4_000_000_000_000n, max: 1_800_000_000_000_000n }),
    ),
    ns: fc.bigInt({ min: 0n, max: 1n }),
    seq: fc.oneof(fc.bigInt({ min: 0n, max: 3n }), fc.constant(9_007_199_254_740_995n)),
    id: fc.string({ minLength: 1, maxLength: 6, unit: 'binary' }),
    price: fc.oneof(
      fc.constantFrom('1', '1.0', '1.5', '182.05'),
      fc
        .bigInt({ min: 1n, max: 10n ** 20n })
        .map((units) => `${units / 100n}.${String(units % 100n).padStart(2, '0')}`),
    ),
    size: fc.oneof(fc.constantFrom('0', '1', '100', '0.000001'), fc.bigInt({ min: 0n, max: 10n ** 19n }).map(String)),
  });
  return fc.uniqueArray(trade, { maxLength: 40, selector: (row) => row.id });
}

export function tickOf(row: Trade): Tick {
  const price = parseDecimal(row.price);
  const size = parseDecimal(row.size);
  const seq = parseUnits(String(row.seq));
  if (price === undefined || size === undefined || seq === undefined) throw new Error('not a trade');
  return {
    symbol: row.symbol,
    tsUs: Number(row.tsUs),
    ns: Number(row.ns ?? 0n),
    seq,
    id: row.id,
    price,
    size,
    exchange: '',
    conditions: '',
    side: '',
  };
}
