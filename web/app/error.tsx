'use client';

/** What is left when the page itself fails: say so, and offer the way back. */
export default function PageError({ reset }: { error: Error; reset: () => void }) {
  return (
    <main className="notice notice-page" role="alert">
      <title>Ticker: error</title>
      <h1>The page met an error</h1>
      <p>The data is safe: only its display stopped. Show the page again; if it fails once more, reload it.</p>
      <button type="button" className="button" onClick={reset}>
        Show the page again
      </button>
    </main>
  );
}
