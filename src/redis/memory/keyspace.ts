import { wrongType } from './replies.ts';
import { Stream } from './stream.ts';

export type Value =
  | { readonly type: 'string'; readonly text: string }
  | { readonly type: 'hash'; readonly fields: Map<string, string> }
  | { readonly type: 'stream'; readonly stream: Stream };

/** The keys of one database: values, times to live, and which keys blocked readers should look at again. */
export class Keyspace {
  readonly #values = new Map<string, Value>();
  readonly #expiresAtMs = new Map<string, number>();
  readonly #signalled = new Set<string>();
  readonly #isAwaited: (key: string) => boolean;
  #nowMs = 0;

  constructor(isAwaited: (key: string) => boolean) {
    this.#isAwaited = isAwaited;
  }

  /** The time of the command that runs now; it decides what has expired. */
  set nowMs(nowMs: number) {
    this.#nowMs = nowMs;
  }

  get(key: string): Value | undefined {
    if (this.#expiresAtMs.size > 0) {
      const expiresAtMs = this.#expiresAtMs.get(key);
      if (expiresAtMs !== undefined && expiresAtMs <= this.#nowMs) this.delete(key);
    }
    return this.#values.get(key);
  }

  text(key: string): string | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    if (value.type !== 'string') throw wrongType();
    return value.text;
  }

  hash(key: string): Map<string, string> | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    if (value.type !== 'hash') throw wrongType();
    return value.fields;
  }

  hashOrCreate(key: string): Map<string, string> {
    const existing = this.hash(key);
    if (existing !== undefined) return existing;
    const fields = new Map<string, string>();
    this.#values.set(key, { type: 'hash', fields });
    return fields;
  }

  stream(key: string): Stream | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    if (value.type !== 'stream') throw wrongType();
    return value.stream;
  }

  streamOrCreate(key: string): Stream {
    const existing = this.stream(key);
    if (existing !== undefined) return existing;
    const stream = new Stream();
    this.#values.set(key, { type: 'stream', stream });
    this.signal(key);
    return stream;
  }

  setText(key: string, text: string): void {
    this.#signalIfStream(key);
    this.#values.set(key, { type: 'string', text });
  }

  delete(key: string): boolean {
    this.#signalIfStream(key);
    this.#expiresAtMs.delete(key);
    return this.#values.delete(key);
  }

  clear(): void {
    for (const key of this.#values.keys()) this.#signalIfStream(key);
    this.#values.clear();
    this.#expiresAtMs.clear();
  }

  expiresAtMs(key: string): number | undefined {
    return this.#expiresAtMs.get(key);
  }

  expireAt(key: string, expiresAtMs: number): void {
    this.#expiresAtMs.set(key, expiresAtMs);
  }

  persist(key: string): void {
    this.#expiresAtMs.delete(key);
  }

  /** Marks a key on which a blocked reader may now be served, or must learn that it is gone. */
  signal(key: string): void {
    if (this.#isAwaited(key)) this.#signalled.add(key);
  }

  /** The keys marked since the last call, in the order of their marks. */
  takeSignalled(): readonly string[] {
    if (this.#signalled.size === 0) return NONE;
    const keys = [...this.#signalled];
    this.#signalled.clear();
    return keys;
  }

  #signalIfStream(key: string): void {
    if (this.#values.get(key)?.type === 'stream') this.signal(key);
  }
}

const NONE: readonly string[] = [];
