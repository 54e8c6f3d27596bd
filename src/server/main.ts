import { systemClock } from '../core/clock.ts';
import { systemRandom } from '../core/random.ts';
import type { Feed } from '../feed/index.ts';
import { createMemoryRedis } from '../redis/index.ts';
import { openSqliteStore } from '../store/index.ts';
import { type HttpServer, startHttp } from './http.ts';
import { SHARDS } from './identity.ts';
import { createLifecycle, type StopFailure } from './lifecycle.ts';
import { createLog } from './log.ts';
import { createMetrics } from './metrics.ts';
import { createPipeline } from './pipeline.ts';
import type { Settings } from './settings.ts';
import { startWeb, type WebServer } from './web.ts';

/**
 * Read this first: from settings to a running Ticker, top to bottom. Then read pipeline.ts, which wires the dataflow.
 */
export interface Ticker {
  readonly apiUrl: string | undefined;
  readonly webUrl: string | undefined;
  /** Resolves when a feed that has an end has been read, and its candles are committed. */
  readonly ended: Promise<void>;
  /** Graceful: stops reading, commits what was read, says goodbye to readers, closes. */
  stop(): Promise<StopFailure[]>;
}

export interface TickerOptions {
  readonly settings: Settings;
  readonly feed: Feed;
  /** Path of the embedded store. */
  readonly storePath: string;
  /** Whether to serve the API; the page follows settings.web. */
  readonly serve: boolean;
  /** Shown when another process finds the store locked. */
  readonly label: string;
  /** One line for the terminal. */
  readonly say: (line: string) => void;
  /** Aborts a start that is under way: it then rejects with the signal's reason, and nothing is left running. */
  readonly stop: AbortSignal;
}

export async function startTicker(options: TickerOptions): Promise<Ticker> {
  const { settings, feed, storePath: path, serve, label: ownerLabel, say, stop } = options;
  const lifecycle = createLifecycle(systemClock);
  const log = createLog(settings.logLevel);
  const metrics = createMetrics();
  const common = { settings, log, metrics, clock: systemClock, random: systemRandom };
  try {
    const store = await openSqliteStore({ path, mode: 'write', ownerLabel, shards: SHARDS, ...common });
    lifecycle.onStop('store', () => store.close());
    stop.throwIfAborted();

    const redis = createMemoryRedis({ clock: systemClock });
    lifecycle.onStop('redis', () => redis.close());

    const pipeline = await createPipeline({ feed, store, redis, ...common });

    let http: HttpServer | undefined;
    if (serve) {
      http = await startHttp({ host: settings.host, port: settings.httpPort, log, metrics, store, ...pipeline });
      lifecycle.onStop('http', http.close);
    }
    lifecycle.onStop('pipeline', pipeline.stop, STOP_PIPELINE_MS);
    pipeline.start();
    stop.throwIfAborted();

    let web: WebServer | undefined;
    if (http !== undefined && settings.web) {
      const { host, webPort: port } = settings;
      web = await startWeb({ host, port, apiUrl: http.url, clock: systemClock, onLine: say, signal: stop });
      lifecycle.onStop('web', web.stop);
    }
    return { apiUrl: http?.url, webUrl: web?.url, ended: pipeline.ended, stop: lifecycle.stop };
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}

/** Longer than the pipeline's own deadlines for its parts. */
const STOP_PIPELINE_MS = 15_000;
