import { apiUrl, forwardedHeaders } from '../../../../lib/upstream.ts';

export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

/**
 * The JSON API under the page's own origin: GET only, status and query passed on, bounded in time and size. Anything
 * that is not JSON is not for this path.
 */
export async function GET(request: Request, context: { params: Promise<{ path: string[] }> }): Promise<Response> {
  const { path } = await context.params;
  const target = targetOf(path, request);
  if (target === undefined) return fault(404, NOT_FOUND);
  try {
    const upstream = await fetch(target, {
      headers: forwardedHeaders(request, 'application/json'),
      cache: 'no-store',
      redirect: 'manual',
      signal: AbortSignal.any([request.signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
    });
    const body = await readJson(upstream);
    if (body === undefined) return fault(502, ANSWER_INVALID);
    return new Response(body, { status: upstream.status, headers: JSON_HEADERS });
  } catch (cause) {
    // fetch throws a TypeError for every network failure, and a DOMException when the time is up or the reader left.
    if (cause instanceof TypeError || cause instanceof DOMException) return fault(502, unreachable());
    throw cause;
  }
}

const ANSWER_TIMEOUT_MS = 10_000;
/** 5000 candles, the most one answer holds, are about 1.6 MB. */
const ANSWER_SIZE_MAX_BYTES = 8 * 1024 * 1024;
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

interface Fault {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

const NOT_FOUND: Fault = {
  code: 'NOT_FOUND',
  message: 'The path does not exist.',
  fix: 'docs/http.md lists the paths.',
};

const ANSWER_INVALID: Fault = {
  code: 'API_ANSWER_INVALID',
  message: `The address answered with something other than JSON of at most ${ANSWER_SIZE_MAX_BYTES} bytes.`,
  fix: 'Check that TICKER_API_URL is the address of a Ticker API.',
};

function unreachable(): Fault {
  return {
    code: 'API_UNREACHABLE',
    message: `The Ticker API at ${apiUrl()} does not answer.`,
    fix: 'Start it with `ticker start`, or set TICKER_API_URL to where it runs. The page reconnects by itself.',
  };
}

function fault(status: number, error: Fault): Response {
  return Response.json({ error }, { status, headers: JSON_HEADERS });
}

/** Undefined when the path would leave /v1/. */
function targetOf(path: readonly string[], request: Request): URL | undefined {
  const base = new URL(`${apiUrl()}/v1/`);
  const target = new URL(path.map(encodeURIComponent).join('/'), base);
  if (target.origin !== base.origin || !target.pathname.startsWith(base.pathname)) return undefined;
  target.search = new URL(request.url).search;
  return target;
}

/** The body as it came; undefined when it is not JSON by its type, or too long. Never reads past the limit. */
async function readJson(upstream: Response): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const isJson = upstream.headers.get('content-type')?.startsWith('application/json') === true;
  if (!isJson || upstream.body === null) {
    await upstream.body?.cancel();
    return undefined;
  }
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of upstream.body) {
    sizeBytes += chunk.length;
    // Leaving the loop cancels the body.
    if (sizeBytes > ANSWER_SIZE_MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  const body = new Uint8Array(sizeBytes);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.length;
  }
  return body;
}
