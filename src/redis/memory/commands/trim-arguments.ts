import { RedisReplyError } from '../../commands.ts';
import { integer, strictId } from '../arguments.ts';
import { NODE_ENTRIES_MAX } from '../listpack.ts';
import { syntaxError } from '../replies.ts';
import type { Trim } from '../stream.ts';

/** `~` without LIMIT removes at most this many entries, so that one command cannot stall a server (S4.13). */
const LIMIT_DEFAULT = 100 * NODE_ENTRIES_MAX;

/** MAXLEN, MINID and LIMIT, as XADD and XTRIM share them (S4.10 to S4.14). */
export class TrimArguments {
  #strategy: Trim['strategy'] | undefined;
  #approximate = false;
  #limit: number | undefined;

  static ofXtrim(argv: readonly string[]): Trim {
    const options = new TrimArguments();
    for (let i = 2; i < argv.length; i++) {
      const next = options.take(argv, i);
      if (next === undefined) throw syntaxError();
      i = next;
    }
    const trim = options.finish();
    if (trim === undefined)
      throw new RedisReplyError('ERR syntax error, XTRIM must be called with a trimming strategy');
    return trim;
  }

  /** Reads one option at `at`; answers the index of its last argument, or undefined when it is none of ours. */
  take(argv: readonly string[], at: number): number | undefined {
    const more = argv.length - 1 - at;
    const option = (argv[at] as string).toUpperCase();
    if (more < 1) return undefined;
    if (option === 'MAXLEN' || option === 'MINID') return this.#takeStrategy(option, argv, at, more);
    if (option !== 'LIMIT') return undefined;
    this.#limit = integer(argv[at + 1]);
    if (this.#limit < 0) throw new RedisReplyError('ERR The LIMIT argument must be >= 0.');
    return at + 1;
  }

  finish(): Trim | undefined {
    if (this.#strategy === undefined) {
      if (!this.#limit) return undefined;
      throw new RedisReplyError('ERR syntax error, LIMIT cannot be used without specifying a trimming strategy');
    }
    if (this.#limit !== undefined && !this.#approximate) {
      throw new RedisReplyError('ERR syntax error, LIMIT cannot be used without the special ~ option');
    }
    const limit = this.#limit ?? (this.#approximate ? LIMIT_DEFAULT : 0);
    return { strategy: this.#strategy, approximate: this.#approximate, limit };
  }

  #takeStrategy(option: 'MAXLEN' | 'MINID', argv: readonly string[], at: number, more: number): number {
    if (this.#strategy !== undefined) {
      throw new RedisReplyError('ERR syntax error, MAXLEN and MINID options at the same time are not compatible');
    }
    let valueAt = at + 1;
    this.#approximate = more >= 2 && argv[valueAt] === '~';
    if (more >= 2 && (argv[valueAt] === '~' || argv[valueAt] === '=')) valueAt++;
    if (option === 'MINID') {
      this.#strategy = { minId: strictId(argv[valueAt]) };
      return valueAt;
    }
    const maxLength = integer(argv[valueAt]);
    if (maxLength < 0) throw new RedisReplyError('ERR The MAXLEN argument must be >= 0.');
    this.#strategy = { maxLength };
    return valueAt;
  }
}
