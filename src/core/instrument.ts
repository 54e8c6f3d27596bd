import type { Decimal } from './decimal.ts';

/** D1: a symbol is unique in a store and belongs to one source for ever; that is how real and simulated never meet. */
export interface Instrument extends InstrumentClaim {
  /** Small integer of this store. */
  readonly instrumentId: number;
  /** Most decimal places seen: for display, never for rounding. */
  readonly priceDigits: number;
  readonly sizeDigits: number;
  /** All candles that end at or before this instant are closed (end of an imported file), Unix microseconds. */
  readonly closedThroughUs: number;
}

/** What a source says when it first brings a symbol. */
export interface InstrumentClaim {
  readonly symbol: string;
  readonly source: string;
  readonly simulated: boolean;
}

/** Another source already owns the symbol. */
export interface SourceConflict {
  readonly symbol: string;
  readonly owner: InstrumentClaim;
  readonly claimed: InstrumentClaim;
}

export function describeConflict({ symbol, owner, claimed }: SourceConflict): string {
  const kind = (claim: InstrumentClaim): string => (claim.simulated ? 'simulated' : 'real');
  return `${symbol} is ${kind(owner)} data of source '${owner.source}' in this store; ${kind(claimed)} trades of source '${claimed.source}' cannot join it`;
}

/** The widest of two decimal places, for the running maximum an instrument keeps. */
export function widestDigits(current: number, value: Decimal): number {
  return value.digits > current ? value.digits : current;
}
