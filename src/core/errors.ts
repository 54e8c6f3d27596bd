/**
 * Faults. Every one has a code, a cause and a fix, and stands in this table and nowhere else; `docs/errors.md` is
 * generated from it. A retired code is never used again.
 */
export const ERRORS = {
  SETTING_INVALID: {
    httpStatus: 500,
    cause: 'A flag or an environment variable has a value Ticker cannot use.',
    fix: 'Correct the setting that the message names; `ticker <command> --help` and docs/settings.md list them all.',
  },
  USAGE: {
    httpStatus: 400,
    cause: 'A command was called in a way it does not understand.',
    fix: 'Read the message and `ticker <command> --help`.',
  },
  REQUEST_INVALID: {
    httpStatus: 400,
    cause: 'A query parameter is missing, unknown or has a value outside its range.',
    fix: 'Correct the parameter that the message names; docs/http.md lists them.',
  },
  NOT_FOUND: {
    httpStatus: 404,
    cause: 'The path does not exist.',
    fix: 'docs/http.md lists the paths.',
  },
  SYMBOL_UNKNOWN: {
    httpStatus: 404,
    cause: 'No tick of this symbol has ever been stored.',
    fix: 'GET /v1/symbols lists the known ones; names are case sensitive.',
  },
  METHOD_NOT_ALLOWED: {
    httpStatus: 405,
    cause: 'The path exists but not for this HTTP method.',
    fix: 'Every path of this version is read with GET.',
  },
  NOT_READY: {
    httpStatus: 503,
    cause: 'The process is starting, draining, or has lost a part it needs.',
    fix: 'Retry; GET /v1/status says which part is missing.',
  },
  INTERNAL: {
    httpStatus: 500,
    cause: 'Ticker met a state it did not expect.',
    fix: 'The log has the stack of this request id; please report it.',
  },
  PORT_TAKEN: {
    httpStatus: 500,
    cause: 'Another process listens on the port.',
    fix: 'Stop that process, or choose another port with the setting that the message names.',
  },
  STORE_LOCKED: {
    httpStatus: 500,
    cause: 'Another Ticker process writes to this store.',
    fix: 'Stop the process that the message names, or choose another place with --data-dir or --store.',
  },
  STORE_UNUSABLE: {
    httpStatus: 500,
    cause: 'The store cannot be opened, read or written.',
    fix: 'Check that the path exists, is writable, has free space, and holds a Ticker store. A damaged store: restore it, or import its trades again into a new one.',
  },
  STORE_NEWER: {
    httpStatus: 500,
    cause: 'The store was written by a later version of Ticker.',
    fix: 'Install that version or a later one; a store never goes back.',
  },
  STORE_SHARDS: {
    httpStatus: 500,
    cause: 'The store was made for another number of shards.',
    fix: 'Start with the number of shards that the message names.',
  },
  DISK_CAP: {
    httpStatus: 507,
    cause: 'The store has reached its size limit and retention has nothing left that it may remove.',
    fix: 'Raise TICKER_DISK_CAP, or shorten the retention.',
  },
  SOURCE_CONFLICT: {
    httpStatus: 409,
    cause: 'The symbol belongs to another source in this store; real and simulated trades never meet in one candle.',
    fix: 'Use another store for these trades, or another symbol.',
  },
  INPUT_INVALID: {
    httpStatus: 400,
    cause: 'A row of the input is not a valid trade, or the input cannot be read.',
    fix: 'Correct what the message names; bad rows can be counted and left out with --skip-bad. Nothing of the file was written.',
  },
  INPUT_FORMAT: {
    httpStatus: 400,
    cause: 'The input is not in a format Ticker knows, or a required column is missing.',
    fix: 'docs/formats.md has the columns and their names.',
  },
  WEB_UNAVAILABLE: {
    httpStatus: 500,
    cause: 'The page could not be built or started.',
    fix: 'The lines above say why. `ticker start --no-web` runs everything but the page.',
  },
  STREAM_FOREIGN: {
    httpStatus: 500,
    cause: 'Another program writes to the tick stream.',
    fix: 'Find the client that writes to the keys named in the message, and stop it.',
  },
  REDIS_REPLY: {
    httpStatus: 500,
    cause: 'Redis answered with an error.',
    fix: 'The message has the answer; the Redis documentation of the command explains it.',
  },
  REDIS_UNREACHABLE: {
    httpStatus: 503,
    cause: 'The connection to Redis is closed or was lost.',
    fix: 'Check that the server runs and can be reached; Ticker goes on by itself when it is back.',
  },
  TICK_INVALID: {
    httpStatus: 500,
    cause: 'A tick was to be published that is not a valid trade; nothing of its batch was written.',
    fix: 'The message names the field and the reason; correct the feed that made it.',
  },
} as const satisfies Record<string, { httpStatus: number; cause: string; fix: string }>;

export type ErrorCode = keyof typeof ERRORS;

export class TickerError extends Error {
  readonly code: ErrorCode;
  /** Machine-readable particulars: the field, the file, the line, the port. */
  readonly details: Readonly<Record<string, string | number>>;

  constructor(
    code: ErrorCode,
    message: string,
    more: { cause?: unknown; details?: Record<string, string | number> } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'TickerError';
    this.code = code;
    this.details = more.details ?? {};
  }

  get httpStatus(): number {
    return ERRORS[this.code].httpStatus;
  }

  get fix(): string {
    return ERRORS[this.code].fix;
  }
}

/** For our own mistakes: stays on in production. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new TickerError('INTERNAL', message);
}
