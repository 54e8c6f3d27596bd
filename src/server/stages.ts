import type { Clock } from '../core/clock.ts';
import { TickerError } from '../core/errors.ts';
import type { Logger } from './log.ts';

/**
 * The running stages: each is started again after a failure, and on the way out they stop in the order of the dataflow,
 * so that nothing that was read is lost.
 */
export interface Stages {
  /** Runs a stage until its phase of the stop. It fails: logged, not ready, and started again after a pause. */
  run(name: string, phase: 'candles' | 'readers', task: (signal: AbortSignal) => Promise<void>): void;
  /** The feed has ended: `ended` resolves as soon as all it brought is committed. */
  feedEnded(): void;
  /** The feed cannot go on, and trying again cannot help. */
  feedFailed(error: TickerError): void;
  readonly ended: Promise<void>;
  notReady(): readonly string[];
  /** Stops the feed, waits until its ticks are in candles, then stops the candles and then the readers. */
  stop(stopFeed: () => Promise<void>): Promise<void>;
}

export interface StagesOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Ticks published and not yet committed. */
  readonly backlog: () => number;
}

const RESTART_PAUSE_MS = 1_000;
const HEALTHY_AFTER_MS = 3_000;
const DRAIN_POLL_MS = 10;
/** A stop does not wait longer for the candles: what is left is read again from the source. */
const DRAIN_MAX_MS = 5_000;

export function createStages(options: StagesOptions): Stages {
  return new SupervisedStages(options);
}

class SupervisedStages implements Stages {
  readonly ended: Promise<void>;
  readonly #options: StagesOptions;
  readonly #phases = { candles: new AbortController(), readers: new AbortController() };
  readonly #running: Record<'candles' | 'readers', Promise<void>[]> = { candles: [], readers: [] };
  readonly #failing = new Set<string>();
  #settle: { resolve: () => void; reject: (error: TickerError) => void } = {
    resolve: () => undefined,
    reject: () => undefined,
  };

  constructor(options: StagesOptions) {
    this.#options = options;
    this.ended = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Whoever waits for the end hears of a failure; nobody has to wait.
    this.ended.catch((error: unknown) => options.log.error({ err: error }, 'the feed cannot go on'));
  }

  run(name: string, phase: 'candles' | 'readers', task: (signal: AbortSignal) => Promise<void>): void {
    this.#running[phase].push(this.#supervise(name, this.#phases[phase].signal, task));
  }

  feedEnded(): void {
    void this.#drained(Number.POSITIVE_INFINITY).then(() => {
      // A stop may have come first; what it left uncommitted is read again from the source.
      if (this.#options.backlog() === 0) this.#settle.resolve();
    });
  }

  feedFailed(error: TickerError): void {
    this.#settle.reject(error);
  }

  notReady(): readonly string[] {
    return [...this.#failing];
  }

  async stop(stopFeed: () => Promise<void>): Promise<void> {
    await stopFeed();
    await this.#drained(DRAIN_MAX_MS);
    for (const phase of ['candles', 'readers'] as const) {
      this.#phases[phase].abort();
      await Promise.all(this.#running[phase]);
    }
  }

  async #supervise(name: string, signal: AbortSignal, task: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, log } = this.#options;
    while (!signal.aborted) {
      // Ready again only when it has held for a while: a stage that fails at once each time is not ready in between.
      const cancel = clock.setTimer(HEALTHY_AFTER_MS, () => this.#failing.delete(name));
      try {
        await task(signal);
      } catch (error) {
        cancel();
        if (signal.aborted) return log.error({ err: error, stage: name }, 'a stage failed as it stopped');
        this.#failing.add(name);
        log.error({ err: error, stage: name }, 'a stage failed; starting it again');
        await clock.sleep(RESTART_PAUSE_MS, signal);
      } finally {
        cancel();
      }
    }
  }

  async #drained(waitMaxMs: number): Promise<void> {
    const { clock, backlog } = this.#options;
    const startedMs = clock.monotonicMs();
    while (backlog() > 0 && clock.monotonicMs() - startedMs < waitMaxMs && !this.#phases.candles.signal.aborted) {
      await clock.sleep(DRAIN_POLL_MS);
    }
  }
}
