/**
 * The seam to Redis: everything above `src/redis` is written once against it. The in-memory Redis (embedded default)
 * and the client of a real server both implement it, with the same replies.
 */
export interface Redis {
  /** Opens a connection. A blocking read occupies its connection, so each blocking reader opens one of its own. */
  connect(): RedisConnection;
  close(): Promise<void>;
}

export interface RedisConnection {
  /** Sends one command and returns its reply. An error reply rejects with RedisReplyError. */
  call(...command: readonly RedisArgument[]): Promise<Reply>;
  /** Runs a script: by digest, healing NOSCRIPT once. On the in-memory Redis its TypeScript twin runs. */
  run(script: Script, keys: readonly string[], args: readonly RedisArgument[]): Promise<Reply>;
  /** Calls `listener` for each message on `channel` until the returned function is called. A hint, never the truth (D7). */
  subscribe(channel: string, listener: (message: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export type RedisArgument = string | number;

/** A reply in RESP2 shape: bulk strings as text, integers as numbers, arrays as arrays, null as null. */
export type Reply = string | number | null | readonly Reply[];

/** A script in two bodies: Lua for servers, and a twin over the same commands for the in-memory Redis (design.md). */
export interface Script {
  readonly name: string;
  readonly lua: string;
  readonly twin: ScriptTwin;
}

/** `call` runs a command at once, inside the script's atomic step, with the server's frozen time. */
export type ScriptTwin = (call: ScriptCall, keys: readonly string[], args: readonly string[]) => Reply;
export type ScriptCall = (...command: readonly RedisArgument[]) => Reply;

/** An error reply. `kind` is its first word: BUSYGROUP, NOGROUP, WRONGTYPE, ERR .. */
export class RedisReplyError extends Error {
  readonly kind: string;

  constructor(message: string) {
    super(message);
    this.name = 'RedisReplyError';
    this.kind = /^[A-Z]+/.exec(message)?.[0] ?? 'ERR';
  }
}
