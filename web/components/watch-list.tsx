'use client';

import { type MouseEvent, memo, useEffect, useRef, useState } from 'react';
import { directionOf, NONE, padDigits, pastDayOf, withSign } from '../lib/format.ts';
import type { Quote } from '../lib/market.ts';
import { hrefOf, type Selection } from '../lib/selection.ts';

interface WatchListProps {
  readonly quotes: readonly Quote[];
  readonly selection: Selection;
  readonly today: string;
  readonly onSelect: (next: Selection) => void;
}

/** Shorter lists need no filter. */
const FILTER_FROM = 9;
const ROWS_MAX = 200;

export function WatchList({ quotes, selection, today, onSelect }: WatchListProps) {
  const [filter, setFilter] = useState('');
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => followSelection(list.current, selection.symbol), [selection.symbol]);
  const matching = quotes.filter((quote) => quote.symbol.toLowerCase().includes(filter.trim().toLowerCase()));
  const rows = matching.slice(0, ROWS_MAX);
  return (
    <nav className="watch" aria-label="Watch list">
      {quotes.length < FILTER_FROM ? null : (
        <input
          className="filter"
          type="search"
          placeholder="Filter symbols"
          aria-label="Filter symbols"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      <ul className="watch-rows" ref={list}>
        <li className="watch-head" aria-hidden="true">
          <span>Symbol</span>
          <span>Last</span>
          <span>Change</span>
          <span>%</span>
        </li>
        {rows.map((quote) => (
          <WatchRow
            key={quote.symbol}
            quote={quote}
            href={hrefOf({ ...selection, symbol: quote.symbol })}
            pastDay={pastDayOf(quote.lastTsMs, today)}
            selected={quote.symbol === selection.symbol}
            onClick={(event) => {
              if (!isPlainClick(event)) return;
              event.preventDefault();
              onSelect({ ...selection, symbol: quote.symbol });
            }}
          />
        ))}
      </ul>
      {matching.length > rows.length ? (
        <p className="watch-more">{matching.length - rows.length} more: filter to find them.</p>
      ) : null}
    </nav>
  );
}

interface WatchRowProps {
  readonly quote: Quote;
  readonly href: string;
  /** Of an old price: it has its date beside it, and none of the colours of live ones. */
  readonly pastDay: string | null;
  readonly selected: boolean;
  readonly onClick: (event: MouseEvent) => void;
}

/** A click closes over the same selection as the href, so the href stands for both. */
const WatchRow = memo(
  function WatchRow({ quote, href, pastDay, selected, onClick }: WatchRowProps) {
    const direction = (change: string | null) => (pastDay === null ? directionOf(change) : 'flat');
    const moved = pastDay === null && quote.moves > 0;
    return (
      <li>
        <a
          className="row"
          href={href}
          aria-current={selected ? 'true' : undefined}
          data-symbol={quote.symbol}
          onClick={onClick}
        >
          <span className="row-symbol">
            <span className="row-name">{quote.symbol}</span>
            {quote.simulated ? (
              <abbr className="mark" title="Simulated data" data-mark="simulated">
                SIM
              </abbr>
            ) : null}
          </span>
          <span className="row-last">
            <span className="flash" key={quote.moves} data-move={moved ? (quote.move ?? undefined) : undefined}>
              {quote.last === null ? NONE : padDigits(quote.last, quote.priceDigits)}
            </span>
            {pastDay === null ? null : <span className="row-day">{pastDay}</span>}
          </span>
          <span className="row-change" data-direction={direction(quote.change)}>
            {quote.change === null ? NONE : withSign(padDigits(quote.change, quote.priceDigits))}
          </span>
          <span className="row-change" data-direction={direction(quote.changePercent)}>
            {quote.changePercent === null ? NONE : `${withSign(padDigits(quote.changePercent, 2))}%`}
          </span>
        </a>
      </li>
    );
  },
  (before, after) =>
    before.quote === after.quote &&
    before.href === after.href &&
    before.pastDay === after.pastDay &&
    before.selected === after.selected,
);

/** A modified click opens a tab or a window, as on any link. */
function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
}

/** Keys move the selection: bring it into view inside the list, and the focus along if it was there. */
function followSelection(list: HTMLElement | null, symbol: string | null): void {
  const row = [...(list?.querySelectorAll<HTMLElement>('a') ?? [])].find((link) => link.dataset['symbol'] === symbol);
  if (list === null || row === undefined) return;
  if (list.contains(document.activeElement)) row.focus();
  else if (list.scrollHeight > list.clientHeight) row.scrollIntoView({ block: 'nearest' });
}
