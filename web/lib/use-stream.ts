'use client';

import { useEffect, useEffectEvent, useState } from 'react';
import { systemClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/random.ts';
import { STREAM_SYMBOLS_MAX, type StreamEvent } from './api.ts';
import { type Connection, newConnection } from './connection.ts';
import type { Selection } from './selection.ts';
import { startStream } from './stream.ts';

export interface StreamHandle {
  readonly connection: Connection;
  /** The stream of these symbols and this interval has begun: what happens from now on is heard, or declared missed. */
  readonly open: boolean;
}

/** One live stream for the whole page; it is opened anew when the symbols or the interval change. */
export function useStream(
  symbols: readonly string[],
  { symbol, interval }: Selection,
  onEvent: (event: StreamEvent) => void,
): StreamHandle {
  const [connection, setConnection] = useState<Connection>(() => newConnection(0));
  const wanted = streamSymbols(symbols, symbol).join(',');
  const key = `${interval} ${wanted}`;
  const [openKey, setOpenKey] = useState('');
  const handle = useEffectEvent((event: StreamEvent) => {
    if (event.name === 'snapshot') setOpenKey(key);
    onEvent(event);
  });

  useEffect(() => {
    if (wanted === '') return;
    const stream = startStream({
      symbols: wanted.split(','),
      interval,
      clock: systemClock,
      random: systemRandom,
      connect: (url) => new EventSource(url),
      onEvent: (event) => handle(event),
      onConnection: setConnection,
    });
    const onVisibility = (): void => {
      if (document.visibilityState === 'visible') stream.wake();
    };
    document.addEventListener('visibilitychange', onVisibility);
    window.addEventListener('pageshow', stream.wake);
    window.addEventListener('online', stream.wake);
    window.addEventListener('pagehide', stream.leave);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      window.removeEventListener('pageshow', stream.wake);
      window.removeEventListener('online', stream.wake);
      window.removeEventListener('pagehide', stream.leave);
      stream.stop();
    };
  }, [wanted, interval]);

  return { connection, open: openKey === key };
}

/** The first of the list, and the selected one if the list is longer than a stream may be. */
function streamSymbols(symbols: readonly string[], selected: string | null): readonly string[] {
  const first = symbols.slice(0, STREAM_SYMBOLS_MAX);
  if (selected === null || first.includes(selected) || !symbols.includes(selected)) return first;
  return [...first.slice(0, -1), selected];
}
