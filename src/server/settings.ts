import { TickerError } from '../core/errors.ts';

/**
 * Every setting, once: flags, environment, `--help`, docs/settings.md and validation come from this table. A flag wins
 * over the environment, the environment over the default.
 */
export interface Setting {
  readonly name: string;
  readonly flag: string;
  readonly env: string;
  readonly type: 'port' | 'integer' | 'text' | 'list' | 'flag';
  readonly unit?: string;
  readonly default: string;
  readonly min?: number;
  readonly max?: number;
  readonly why: string;
}

const GIB = 1024 ** 3;

export const SETTINGS = [
  {
    name: 'httpPort',
    flag: '--http-port',
    env: 'TICKER_HTTP_PORT',
    type: 'port',
    default: '4400',
    why: 'Where the API and the event stream listen.',
  },
  {
    name: 'webPort',
    flag: '--web-port',
    env: 'TICKER_WEB_PORT',
    type: 'port',
    default: '3000',
    why: 'Where the page listens.',
  },
  {
    name: 'host',
    flag: '--host',
    env: 'TICKER_HOST',
    type: 'text',
    default: '127.0.0.1',
    why: 'Address both listen on. There is no login yet: anything but loopback shows the data to whoever can reach it.',
  },
  {
    name: 'dataDir',
    flag: '--data-dir',
    env: 'TICKER_DATA_DIR',
    type: 'text',
    default: './data',
    why: 'Directory of the embedded store. One process at a time writes to it.',
  },
  {
    name: 'web',
    flag: '--web',
    env: 'TICKER_WEB',
    type: 'flag',
    default: 'true',
    why: 'Whether to serve the page; `--no-web` leaves the API alone.',
  },
  {
    name: 'logLevel',
    flag: '--log-level',
    env: 'TICKER_LOG_LEVEL',
    type: 'text',
    default: 'warn',
    why: 'Least severe log line: trace, debug, info, warn, error, fatal or silent. Logs are JSON lines on standard error.',
  },
  {
    name: 'simSeed',
    flag: '--sim-seed',
    env: 'TICKER_SIM_SEED',
    type: 'integer',
    default: '1',
    min: 0,
    max: 4_294_967_295,
    why: 'Seed of the simulated feed: the same seed and start give the same ticks.',
  },
  {
    name: 'simSymbols',
    flag: '--sim-symbols',
    env: 'TICKER_SIM_SYMBOLS',
    type: 'list',
    default: 'ACME,GLOBEX,HOOLI,INITECH,UMBRELLA',
    why: 'Symbols of the simulated feed, joined by commas. Invented names, so that the same store can hold real trades as well.',
  },
  {
    name: 'simRate',
    flag: '--sim-rate',
    env: 'TICKER_SIM_RATE',
    type: 'integer',
    unit: 'ticks per second, all symbols together',
    default: '20',
    min: 1,
    max: 100_000,
    why: 'Speed of the simulated feed.',
  },
  {
    name: 'simStartMs',
    flag: '--sim-start-ms',
    env: 'TICKER_SIM_START_MS',
    type: 'integer',
    unit: 'Unix ms',
    default: '0',
    min: 0,
    max: 7_258_118_400_000,
    why: 'Event time of the first simulated tick; 0 = half an hour before the first start, so that a new chart is not empty. However far behind, the simulation catches up; only after a stop of more than an hour it skips ahead to an hour ago and declares the gap.',
  },
  {
    name: 'flushMs',
    flag: '--flush-ms',
    env: 'TICKER_FLUSH_MS',
    type: 'integer',
    unit: 'ms',
    default: '100',
    min: 1,
    max: 10_000,
    why: 'Longest time a tick waits before its candles are committed. Less is fresher, more is cheaper.',
  },
  {
    name: 'diskCapBytes',
    flag: '--disk-cap',
    env: 'TICKER_DISK_CAP',
    type: 'integer',
    unit: 'bytes',
    default: String(10 * GIB),
    min: 16 * 1024 ** 2,
    max: Number.MAX_SAFE_INTEGER,
    why: 'Size limit of the embedded store. Above it the oldest simulated data goes first, up to the hours still being written; imported data is never removed, and an import stops at the limit.',
  },
  {
    name: 'sseConnectionsMax',
    flag: '--sse-connections-max',
    env: 'TICKER_SSE_CONNECTIONS_MAX',
    type: 'integer',
    unit: 'connections',
    default: '5000',
    min: 1,
    max: 100_000,
    why: 'Event streams served at once; a newcomer beyond it is asked to come back later.',
  },
  {
    name: 'sseBufferBytes',
    flag: '--sse-buffer-bytes',
    env: 'TICKER_SSE_BUFFER_BYTES',
    type: 'integer',
    unit: 'bytes',
    default: '262144',
    min: 16_384,
    max: 67_108_864,
    why: 'Bytes kept for one slow reader. Beyond it the reader gets a fresh snapshot instead of what it missed.',
  },
] as const satisfies readonly Setting[];

export interface Settings {
  readonly httpPort: number;
  readonly webPort: number;
  readonly host: string;
  readonly dataDir: string;
  readonly web: boolean;
  readonly logLevel: string;
  readonly simSeed: number;
  readonly simSymbols: readonly string[];
  readonly simRate: number;
  readonly simStartMs: number;
  readonly flushMs: number;
  readonly diskCapBytes: number;
  readonly sseConnectionsMax: number;
  readonly sseBufferBytes: number;
}

type SettingName = (typeof SETTINGS)[number]['name'];

/** Reads the settings; `flags` are those given on the command line, by setting name. Frozen, complete and checked. */
export function readSettings(
  flags: Readonly<Record<string, string | boolean | undefined>>,
  env: Readonly<Record<string, string | undefined>>,
): Settings {
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const setting of SETTINGS as readonly Setting[]) {
    const flag = flags[setting.name];
    const given =
      flag !== undefined ? { text: String(flag), by: setting.flag } : { text: env[setting.env], by: setting.env };
    const text = given.text === undefined || given.text === '' ? setting.default : given.text;
    values[setting.name as SettingName] = parseSetting(setting, text, given.by);
  }
  const settings = Object.freeze(values) as unknown as Settings;
  checkRelations(settings);
  return settings;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

function parseSetting(setting: Setting, text: string, by: string): string | number | boolean | readonly string[] {
  switch (setting.type) {
    case 'port':
      return parseInteger(setting, text, by, 0, 65_535);
    case 'integer':
      return parseInteger(setting, text, by, setting.min ?? 0, setting.max ?? Number.MAX_SAFE_INTEGER);
    case 'flag':
      if (text !== 'true' && text !== 'false') throw invalid(by, text, 'is neither true nor false');
      return text === 'true';
    case 'list':
      return text.split(',').map((item) => item.trim());
    case 'text':
      if (setting.name === 'logLevel' && !LOG_LEVELS.includes(text))
        throw invalid(by, text, `is none of ${LOG_LEVELS.join(', ')}`);
      return text;
  }
}

function parseInteger(setting: Setting, text: string, by: string, min: number, max: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw invalid(by, text, `is not a whole number from ${min} to ${max}${setting.unit ? ` (${setting.unit})` : ''}`);
}

function checkRelations(settings: Settings): void {
  if (settings.web && settings.httpPort !== 0 && settings.httpPort === settings.webPort) {
    throw invalid(
      'TICKER_WEB_PORT',
      String(settings.webPort),
      'is also TICKER_HTTP_PORT: the API and the page need a port each',
    );
  }
  if (new Set(settings.simSymbols).size !== settings.simSymbols.length) {
    throw invalid('TICKER_SIM_SYMBOLS', settings.simSymbols.join(','), 'names a symbol twice');
  }
}

function invalid(by: string, text: string, reason: string): TickerError {
  return new TickerError('SETTING_INVALID', `${by}: "${text}" ${reason}`, { details: { setting: by } });
}
