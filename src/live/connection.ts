/** The rim of a connection: what the hub needs of a socket. */
export interface LiveSocket {
  write(chunk: string): void;
  /** Bytes accepted by `write` that have not left the process yet. */
  bufferedBytes(): number;
  /** Calls back once when the buffer is empty again. */
  onceDrained(listener: () => void): void;
  end(): void;
}

export interface Subscription {
  readonly symbols: ReadonlySet<string>;
  readonly intervals: ReadonlySet<string>;
  /** Equal for equal subscriptions, so that one encoding serves all of them. */
  readonly key: string;
}

/**
 * One reader with a bounded number of bytes (V4). A reader that cannot keep up loses what does not fit and then gets a
 * fresh snapshot that says so: a declared reset, never a silent hole (V3).
 */
export interface LiveConnection {
  readonly subscription: Subscription;
  /** Sends a live chunk; while the reader is being replayed to, it waits in the queue. */
  deliver(chunk: string): void;
  /** Sends now, before anything queued: preamble, snapshot, replay. */
  send(chunk: string): void;
  /** The replay is over: sends the queue and goes live. */
  goLive(): void;
  /** Calls `onRecover` when an overflowed reader has drained: the hub answers with a reset snapshot. */
  readonly overflowed: boolean;
  end(chunk: string): void;
}

export interface ConnectionOptions {
  readonly socket: LiveSocket;
  readonly subscription: Subscription;
  readonly bufferMaxBytes: number;
  /** The reader overflowed and has drained: send it a fresh snapshot. */
  readonly onRecover: (connection: LiveConnection) => void;
}

export function createConnection(options: ConnectionOptions): LiveConnection {
  return new BoundedConnection(options);
}

class BoundedConnection implements LiveConnection {
  readonly subscription: Subscription;
  readonly #options: ConnectionOptions;
  #state: 'replaying' | 'live' | 'overflowed' | 'ended' = 'replaying';
  #queue: string[] = [];
  #queuedBytes = 0;
  /** Events were dropped during the replay: the reader is told after it. */
  #lost = false;

  constructor(options: ConnectionOptions) {
    this.subscription = options.subscription;
    this.#options = options;
  }

  get overflowed(): boolean {
    return this.#lost || this.#state === 'overflowed';
  }

  deliver(chunk: string): void {
    if (this.overflowed || this.#state === 'ended') return;
    const { socket, bufferMaxBytes } = this.#options;
    const fits = this.#queuedBytes + socket.bufferedBytes() + chunk.length <= bufferMaxBytes;
    if (this.#state === 'live') return fits ? socket.write(chunk) : this.#overflow();
    if (fits) {
      this.#queue.push(chunk);
      this.#queuedBytes += chunk.length;
      return;
    }
    this.#lost = true;
    this.#takeQueue();
  }

  send(chunk: string): void {
    if (this.#state !== 'ended') this.#options.socket.write(chunk);
  }

  goLive(): void {
    if (this.#state !== 'replaying') return;
    this.#state = 'live';
    const queued = this.#takeQueue();
    if (queued !== '') this.#options.socket.write(queued);
    const lost = this.#lost;
    this.#lost = false;
    if (lost) this.#overflow();
  }

  end(chunk: string): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#options.socket.write(chunk);
    this.#options.socket.end();
  }

  #takeQueue(): string {
    const queued = this.#queue.join('');
    this.#queue = [];
    this.#queuedBytes = 0;
    return queued;
  }

  #overflow(): void {
    this.#state = 'overflowed';
    const recover = (): void => {
      if (this.#state !== 'overflowed') return;
      this.#state = 'live';
      this.#options.onRecover(this);
    };
    // An idle socket has nothing to drain and would never call back.
    if (this.#options.socket.bufferedBytes() === 0) recover();
    else this.#options.socket.onceDrained(recover);
  }
}
