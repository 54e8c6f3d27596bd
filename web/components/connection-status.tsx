import { type Connection, displayedPhase, type Phase } from '../lib/connection.ts';

const WORDS: Record<Phase, { readonly label: string; readonly meaning: string }> = {
  connecting: { label: 'Connecting', meaning: 'Waiting for the first event of the live stream.' },
  live: { label: 'Live', meaning: 'Prices and candles arrive as they happen.' },
  reconnecting: { label: 'Reconnecting', meaning: 'The live stream was interrupted; it resumes by itself.' },
  stale: { label: 'Stale', meaning: 'Nothing has been heard for too long: what you see may be old.' },
  closed: { label: 'Closed', meaning: 'The feed is closed: no new trades are expected.' },
};

/** The state of stream and feed in one word, said aloud when it changes. */
export function ConnectionStatus({ connection }: { connection: Connection }) {
  const phase = displayedPhase(connection);
  const { label, meaning } = WORDS[phase];
  return (
    <p className="status" role="status" data-phase={phase} title={meaning}>
      <span className="status-dot" aria-hidden="true" />
      {label}
    </p>
  );
}
