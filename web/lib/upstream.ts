/** Where the Ticker API is: read at every request, so one build serves any machine. No slash at the end. */
export function apiUrl(): string {
  return (process.env['TICKER_API_URL'] || API_URL_DEFAULT).replace(/\/+$/, '');
}

const API_URL_DEFAULT = 'http://127.0.0.1:4400';

/** What a reader's request carries on to the API: who is asking, and where to resume. */
export function forwardedHeaders(request: Request, accept: string): Headers {
  const headers = new Headers({ accept, 'accept-encoding': 'identity' });
  for (const name of ['last-event-id', 'cookie', 'authorization']) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return headers;
}
