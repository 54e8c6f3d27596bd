/**
 * Server-sent events on the wire (WHATWG HTML, 9.2). Data is JSON on one line, and JSON text has no bare line breaks, so
 * no value can end a field or an event early; names and ids are ours and are asserted.
 */
export type LiveEvent = 'snapshot' | 'ticks' | 'candles' | 'heartbeat' | 'bye';

/** One event. `data` is JSON text; `id` becomes the reader's Last-Event-ID. */
export function encodeEvent(event: LiveEvent, data: string, id: string): string {
  return `event: ${event}\nid: ${id}\ndata: ${data}\n\n`;
}

/** The first bytes of every stream, sent with the headers so that proxies pass them on at once (sse.md 3.3). */
export function encodePreamble(retryMs: number): string {
  return `retry: ${retryMs}\n: ok\n\n`;
}

/** Headers that keep every proxy from buffering or compressing the stream (sse.md 3.1). */
export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;
