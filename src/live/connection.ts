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

export function createConnection({
  socket,
  subscription,
  bufferMaxBytes,
  onRecover,
}: ConnectionOptions): LiveConnection {
  let state: 'replaying' | 'live' | 'overflowed' | 'ended' = 'replaying';
  let queue: string[] = [];
  let queuedBytes = 0;

  function overflow(): void {
    state = 'overflowed';
    queue = [];
    queuedBytes = 0;
    socket.onceDrained(() => {
      if (state !== 'overflowed') return;
      state = 'live';
      onRecover(connection);
    });
  }

  const connection: LiveConnection = {
    subscription,
    get overflowed() {
      return state === 'overflowed';
    },
    deliver(chunk) {
      if (state === 'overflowed' || state === 'ended') return;
      if (queuedBytes + socket.bufferedBytes() + chunk.length > bufferMaxBytes) return overflow();
      if (state === 'live') return socket.write(chunk);
      queue.push(chunk);
      queuedBytes += chunk.length;
    },
    send(chunk) {
      if (state !== 'ended') socket.write(chunk);
    },
    goLive() {
      if (state !== 'replaying') return;
      state = 'live';
      if (queue.length > 0) socket.write(queue.join(''));
      queue = [];
      queuedBytes = 0;
    },
    end(chunk) {
      if (state === 'ended') return;
      state = 'ended';
      socket.write(chunk);
      socket.end();
    },
  };
  return connection;
}
