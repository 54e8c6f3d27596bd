import { systemRandom } from '../../../../src/core/random.ts';
import { apiUrl, forwardedHeaders } from '../../../lib/upstream.ts';

export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

/**
 * The live stream under the page's own origin (T4, V8). Server-sent events pass through byte for byte. Refusals keep
 * their status; an API that is down or overloaded is a stream that ends at once, because a native EventSource never
 * comes back from a 5xx.
 */
export async function GET(request: Request): Promise<Response> {
  const upstream = await open(request);
  if (upstream === undefined || upstream.status >= 500 || upstream.status === 429) {
    await upstream?.body?.cancel();
    return new Response(`retry: ${retryMs()}\n: the Ticker API is unreachable\n\n`, { headers: STREAM_HEADERS });
  }
  return new Response(upstream.body, {
    status: upstream.status,
    headers: upstream.ok ? STREAM_HEADERS : { 'content-type': upstream.headers.get('content-type') ?? 'text/plain' },
  });
}

/** The headers alone, and no stream behind them: Next would answer it with a GET that has no end. */
export function HEAD(): Response {
  return new Response(null, { headers: STREAM_HEADERS });
}

/** `no-transform`: a compressing proxy, Next itself included, would hold small events back. */
const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** Undefined when nothing answers. The signal closes the upstream with the reader; without it Next keeps a copy. */
async function open(request: Request): Promise<Response | undefined> {
  try {
    return await fetch(`${apiUrl()}/v1/stream${new URL(request.url).search}`, {
      headers: forwardedHeaders(request, 'text/event-stream'),
      cache: 'no-store',
      redirect: 'manual',
      signal: request.signal,
    });
  } catch (cause) {
    // fetch throws a TypeError for every network failure, and the signal's reason when the reader has left.
    if (cause instanceof TypeError || request.signal.aborted) return undefined;
    throw cause;
  }
}

const RETRY_MIN_MS = 1_000;
const RETRY_SPREAD_MS = 2_000;

function retryMs(): number {
  return Math.round(RETRY_MIN_MS + systemRandom.next() * RETRY_SPREAD_MS);
}
