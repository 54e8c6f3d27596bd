import type { ReactNode } from 'react';
import type { ApiFault } from '../lib/api.ts';
import type { Selection } from '../lib/selection.ts';
import type { CandlesHandle } from '../lib/use-candles.ts';

interface ChartNoticeProps {
  readonly selection: Selection;
  readonly candles: CandlesHandle;
  readonly fault: ApiFault | null;
  readonly symbols: readonly string[];
  readonly onSelect: (next: Selection) => void;
}

/** What stands where candles cannot: why, and what to do about it. */
export function ChartNotice({ selection, symbols, candles, fault, onSelect }: ChartNoticeProps) {
  const { symbol, interval } = selection;
  const { state, reload, loadOlder } = candles;
  if (symbol === null && fault !== null) return <FaultNotice title="No connection to the data" fault={fault} />;
  if (symbol === null) return <EmptyNotice />;
  if (state.load === 'failed' && state.fault?.code === 'SYMBOL_UNKNOWN') {
    return (
      <UnknownNotice symbol={symbol} symbols={symbols} onSelect={(next) => onSelect({ symbol: next, interval })} />
    );
  }
  if (state.load === 'failed' && state.fault !== null) {
    return (
      <FaultNotice title={`No candles of ${symbol}`} fault={state.fault}>
        <button type="button" className="button" onClick={() => void reload(true)}>
          Try again
        </button>
      </FaultNotice>
    );
  }
  if (state.load === 'loading') return <p className="notice-line notice-late">Loading candles</p>;
  if (state.book.candles.length === 0) {
    return (
      <div className="notice">
        <h2>
          No {interval} candles of {symbol} yet
        </h2>
        <p>The first trade draws one. Other intervals may have more.</p>
      </div>
    );
  }
  if (state.older === 'loading') return <p className="notice-line notice-late">Loading older candles</p>;
  if (state.older !== 'failed') return null;
  return (
    <p className="notice-line">
      Older candles did not load.{' '}
      <button type="button" className="link" onClick={() => void loadOlder()}>
        Try again
      </button>
    </p>
  );
}

function FaultNotice({ title, fault, children }: { title: string; fault: ApiFault; children?: ReactNode }) {
  return (
    <div className="notice" role="alert">
      <h2>{title}</h2>
      <p>{fault.message}</p>
      {fault.fix === undefined ? null : <p>{fault.fix}</p>}
      <p className="notice-code">{fault.code}</p>
      {children}
    </div>
  );
}

const CHOICES_MAX = 12;

interface UnknownNoticeProps {
  readonly symbol: string;
  readonly symbols: readonly string[];
  readonly onSelect: (symbol: string) => void;
}

function UnknownNotice({ symbol, symbols, onSelect }: UnknownNoticeProps) {
  return (
    <div className="notice" role="alert">
      <h2>There is no symbol {symbol}</h2>
      <p>
        Once it has been traded or imported it appears here by itself.{symbols.length > 0 ? ' Choose another:' : ''}
      </p>
      <ul className="notice-choices">
        {symbols.slice(0, CHOICES_MAX).map((choice) => (
          <li key={choice}>
            <button type="button" className="button" onClick={() => onSelect(choice)}>
              {choice}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function EmptyNotice() {
  return (
    <div className="notice">
      <h2>No symbols yet</h2>
      <p>
        Import trades with <code>ticker import FILE.csv</code>, or run <code>ticker start</code> with its simulated
        feed. They appear here by themselves.
      </p>
    </div>
  );
}
