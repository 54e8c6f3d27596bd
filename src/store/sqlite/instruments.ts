import type { Instrument, InstrumentClaim, SourceConflict } from '../../core/instrument.ts';
import { err, ok, type Result } from '../../core/result.ts';
import { shardOfSymbol } from '../../core/symbol.ts';
import { NOTHING_CLOSED_US } from '../store.ts';
import { type CheckedTable, checksumOf, rowBytes, rowText, VALUE_SEPARATOR } from './checked-row.ts';
import type { Connection, SqlRow } from './connection.ts';
import { escapeText, unescapeText } from './mark.ts';
import type { InstrumentDigits } from './operations.ts';

/** Ordered by symbol. */
export function listInstruments(connection: Connection): Instrument[] {
  return connection.rows(`SELECT ${INSTRUMENT} FROM instrument ORDER BY symbol`).map(decodeInstrument);
}

/** IDS-2: all claims or none. The instruments come back in the order of the claims. */
export function registerInstruments(
  connection: Connection,
  claims: readonly InstrumentClaim[],
  shards: number,
): Result<Instrument[], SourceConflict> {
  return connection.transaction('write', () => {
    const known = new Map<string, Instrument>();
    const claimed = new Map<string, InstrumentClaim>();
    for (const claim of claims) {
      const owner = find(connection, claim.symbol);
      if (owner !== undefined) known.set(owner.symbol, owner);
      // One list may name a symbol twice, and then must mean the same by it.
      const first = owner ?? claimed.get(claim.symbol);
      if (first !== undefined && !sameClaim(first, claim)) return err(conflict(first, claim));
      claimed.set(claim.symbol, claim);
    }
    let lastId = connection.row('SELECT max(instrument_id) FROM instrument')?.[0] as number | null;
    for (const claim of claimed.values()) {
      if (known.has(claim.symbol)) continue;
      lastId = (lastId ?? 0) + 1;
      known.set(claim.symbol, insert(connection, lastId, claim, shards));
    }
    return ok(claims.map(({ symbol }) => known.get(symbol) as Instrument));
  });
}

/** IDS-4: they only grow. */
export function raiseDigits(connection: Connection, { instrumentId, priceDigits, sizeDigits }: InstrumentDigits): void {
  connection.run(
    `UPDATE instrument SET price_digits = max(price_digits, ?1), size_digits = max(size_digits, ?2),
      checksum = checksum + max(0, ?1 - price_digits) + max(0, ?2 - size_digits) WHERE instrument_id = ?3`,
    [priceDigits, sizeDigits, instrumentId],
  );
}

/** CKPT-10: it only grows. The cast: libsql binds a number as a float, and the difference may be beyond 2^53. */
export function raiseClosedThrough(connection: Connection, instrumentId: number, closedThroughUs: number): void {
  connection.run(
    `UPDATE instrument SET closed_through_us = max(closed_through_us, ?1),
      checksum = checksum + max(0, CAST(?1 AS INTEGER) - closed_through_us) WHERE instrument_id = ?2`,
    [closedThroughUs, instrumentId],
  );
}

/** CKPT-9. Undefined when there is no such instrument. */
export function closedThroughOf(connection: Connection, instrumentId: number): number | undefined {
  const row = connection.row(`SELECT ${INSTRUMENT} FROM instrument WHERE instrument_id = ?`, [instrumentId]);
  return row === undefined ? undefined : decodeInstrument(row).closedThroughUs;
}

const TABLE: CheckedTable = {
  describe: ([symbol]) => `instrument ${symbol}`,
  columns: ['symbol', 'shard', 'source', 'simulated'],
  counters: ['instrument_id', 'price_digits', 'size_digits', 'closed_through_us'],
};
const INSTRUMENT = rowBytes(TABLE);

function find(connection: Connection, symbol: string): Instrument | undefined {
  const row = connection.row(`SELECT ${INSTRUMENT} FROM instrument WHERE symbol = ?`, [symbol]);
  return row === undefined ? undefined : decodeInstrument(row);
}

function insert(connection: Connection, instrumentId: number, claim: InstrumentClaim, shards: number): Instrument {
  const { symbol, source, simulated } = claim;
  const values = [symbol, shardOfSymbol(symbol, shards), escapeText(source), simulated ? 1 : 0];
  const closedThroughUs = NOTHING_CLOSED_US;
  connection.run(
    `INSERT INTO instrument (symbol, shard, source, simulated, instrument_id, closed_through_us, checksum)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [...values, instrumentId, closedThroughUs, checksumOf(values) + instrumentId + closedThroughUs],
  );
  return { instrumentId, symbol, source, simulated, priceDigits: 0, sizeDigits: 0, closedThroughUs };
}

function conflict(owner: InstrumentClaim, claimed: InstrumentClaim): SourceConflict {
  const { symbol, source, simulated } = owner;
  return { symbol, owner: { symbol, source, simulated }, claimed };
}

function sameClaim(a: InstrumentClaim, b: InstrumentClaim): boolean {
  return a.source === b.source && a.simulated === b.simulated;
}

function decodeInstrument([row]: SqlRow): Instrument {
  const values = rowText(row, TABLE).split(VALUE_SEPARATOR);
  // The checksum has vouched for every one.
  const at = (index: number): string => values[index] as string;
  return {
    instrumentId: Number(at(5)),
    symbol: at(0),
    source: unescapeText(at(2)),
    simulated: at(3) === '1',
    priceDigits: Number(at(6)),
    sizeDigits: Number(at(7)),
    closedThroughUs: Number(at(8)),
  };
}
