import type { Instrument, InstrumentClaim, SourceConflict } from '../../core/instrument.ts';
import { err, ok, type Result } from '../../core/result.ts';
import { shardOfSymbol } from '../../core/symbol.ts';
import type { Connection, SqlRow } from './connection.ts';
import { escapeText, unescapeText } from './mark.ts';
import type { InstrumentDigits } from './operations.ts';

/** Ordered by symbol. */
export function listInstruments(connection: Connection): Instrument[] {
  return connection.rows(`SELECT ${COLUMNS} FROM instrument ORDER BY symbol`).map(decodeInstrument);
}

/** IDS-2: all claims or none. The instruments come back in the order of the claims. */
export function registerInstruments(
  connection: Connection,
  claims: readonly InstrumentClaim[],
  shards: number,
): Result<Instrument[], SourceConflict> {
  return connection.transaction('write', () => {
    const conflict = claims.map((claim) => conflictOf(connection, claim)).find((found) => found !== undefined);
    if (conflict !== undefined) return err(conflict);
    const within = conflictWithin(claims);
    if (within !== undefined) return err(within);
    for (const { symbol, source, simulated } of claims) {
      connection.run(
        'INSERT INTO instrument (symbol, shard, source, simulated) VALUES (?, ?, ?, ?) ON CONFLICT (symbol) DO NOTHING',
        [symbol, shardOfSymbol(symbol, shards), escapeText(source), simulated ? 1 : 0],
      );
    }
    return ok(claims.flatMap(({ symbol }) => find(connection, symbol) ?? []));
  });
}

/** IDS-4: they only grow. */
export function raiseDigits(connection: Connection, { instrumentId, priceDigits, sizeDigits }: InstrumentDigits): void {
  connection.run(
    'UPDATE instrument SET price_digits = max(price_digits, ?), size_digits = max(size_digits, ?) WHERE instrument_id = ?',
    [priceDigits, sizeDigits, instrumentId],
  );
}

/** CKPT-10: it only grows. */
export function raiseClosedThrough(connection: Connection, instrumentId: number, closedThroughUs: number): void {
  connection.run('UPDATE instrument SET closed_through_us = max(closed_through_us, ?) WHERE instrument_id = ?', [
    closedThroughUs,
    instrumentId,
  ]);
}

const COLUMNS = 'instrument_id, symbol, source, simulated, price_digits, size_digits, closed_through_us';

function find(connection: Connection, symbol: string): Instrument | undefined {
  const row = connection.row(`SELECT ${COLUMNS} FROM instrument WHERE symbol = ?`, [symbol]);
  return row === undefined ? undefined : decodeInstrument(row);
}

function conflictOf(connection: Connection, claimed: InstrumentClaim): SourceConflict | undefined {
  const owner = find(connection, claimed.symbol);
  return owner === undefined || sameClaim(owner, claimed) ? undefined : conflict(owner, claimed);
}

/** One list may name a symbol twice, and then must mean the same by it. */
function conflictWithin(claims: readonly InstrumentClaim[]): SourceConflict | undefined {
  const bySymbol = new Map<string, InstrumentClaim>();
  for (const claimed of claims) {
    const first = bySymbol.get(claimed.symbol);
    if (first !== undefined && !sameClaim(first, claimed)) return conflict(first, claimed);
    bySymbol.set(claimed.symbol, claimed);
  }
  return undefined;
}

function conflict(owner: InstrumentClaim, claimed: InstrumentClaim): SourceConflict {
  const { symbol, source, simulated } = owner;
  return { symbol, owner: { symbol, source, simulated }, claimed };
}

function sameClaim(a: InstrumentClaim, b: InstrumentClaim): boolean {
  return a.source === b.source && a.simulated === b.simulated;
}

function decodeInstrument([
  instrumentId,
  symbol,
  source,
  simulated,
  priceDigits,
  sizeDigits,
  closedThroughUs,
]: SqlRow): Instrument {
  return {
    instrumentId: instrumentId as number,
    symbol: symbol as string,
    source: unescapeText(source as string),
    simulated: simulated === 1,
    priceDigits: priceDigits as number,
    sizeDigits: sizeDigits as number,
    closedThroughUs: closedThroughUs as number,
  };
}
