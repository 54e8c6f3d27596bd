import { describe, expect, it } from 'vitest';
import { TickerError } from '../../../src/core/errors.ts';
import { readSettings, SETTINGS, type Setting } from '../../../src/server/settings.ts';

const refusal = (flags: Record<string, string>, env: Record<string, string> = {}): TickerError => {
  try {
    readSettings(flags, env);
  } catch (error) {
    if (error instanceof TickerError) return error;
    throw error;
  }
  throw new Error('accepted');
};

describe('settings', () => {
  it('every default is acceptable, and the result is frozen', () => {
    const settings = readSettings({}, {});
    expect(settings.httpPort).toBe(4400);
    expect(settings.webPort).toBe(3000);
    expect(Object.isFrozen(settings)).toBe(true);
    expect(Object.keys(settings).sort()).toEqual(SETTINGS.map(({ name }) => name).sort());
  });

  it('a flag wins over the environment, an empty variable counts as absent', () => {
    expect(readSettings({ httpPort: '1' }, { TICKER_HTTP_PORT: '2' }).httpPort).toBe(1);
    expect(readSettings({}, { TICKER_HTTP_PORT: '2' }).httpPort).toBe(2);
    expect(readSettings({}, { TICKER_HTTP_PORT: '' }).httpPort).toBe(4400);
  });

  it('Q7 every number outside its range is refused, and the refusal names where it came from', () => {
    for (const setting of (SETTINGS as readonly Setting[]).filter(
      ({ type }) => type === 'integer' || type === 'port',
    )) {
      const max = setting.type === 'port' ? 65_535 : (setting.max ?? 0);
      for (const bad of ['-1', '1.5', 'x', '1e3', ' 1', '0x10', String(BigInt(max) + 1n), '99999999999999999999']) {
        const error = refusal({}, { [setting.env]: bad });
        expect(error.code).toBe('SETTING_INVALID');
        expect(error.message).toContain(setting.env);
        expect(refusal({ [setting.name]: bad }).message).toContain(setting.flag);
      }
    }
  });

  it('relations between settings are checked', () => {
    expect(refusal({}, { TICKER_HTTP_PORT: '5000', TICKER_WEB_PORT: '5000' }).message).toContain('TICKER_WEB_PORT');
    expect(readSettings({ web: false }, { TICKER_HTTP_PORT: '5000', TICKER_WEB_PORT: '5000' }).web).toBe(false);
    expect(refusal({}, { TICKER_SIM_SYMBOLS: 'A,B,A' }).message).toContain('twice');
    expect(refusal({}, { TICKER_WEB: 'maybe' }).message).toContain('neither true nor false');
    expect(refusal({}, { TICKER_LOG_LEVEL: 'loud' }).message).toContain('none of');
  });
});
