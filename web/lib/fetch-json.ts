import { err, ok, type Result } from '../../src/core/result.ts';
import type { ApiFault } from './api.ts';

/** GETs JSON from our own origin. Failures are values in the API's own words; an aborted request fails as `ABORTED`. */
export async function fetchJson<Value>(url: string, signal: AbortSignal): Promise<Result<Value, ApiFault>> {
  try {
    const response = await fetch(url, { signal, cache: 'no-store' });
    const body: unknown = await response.json();
    if (response.ok) return ok(body as Value);
    return err(
      (body as { error?: ApiFault }).error ?? { code: `HTTP_${response.status}`, message: response.statusText },
    );
  } catch (cause) {
    if (signal.aborted) return err({ code: 'ABORTED', message: 'The request was abandoned.' });
    if (cause instanceof TypeError || cause instanceof SyntaxError) return err(PAGE_UNREACHABLE);
    throw cause;
  }
}

const PAGE_UNREACHABLE: ApiFault = {
  code: 'PAGE_UNREACHABLE',
  message: 'The server of this page does not answer.',
  fix: 'Start it with `ticker start`. The page reconnects by itself.',
};
