import { describe, expect, it } from 'vitest';
import { parse, type Violation } from './project.ts';
import { bannedCalls, leftOvers, sleeps } from './rules/bans.ts';
import { citationsOf, invariantIds, invariantsOf } from './rules/ids.ts';
import { importDirections } from './rules/imports.ts';
import { luaHeader, redisKeys, sqlText } from './rules/places.ts';
import { fileSize, functionSize } from './rules/sizes.ts';
import { documented } from './rules/tables.ts';
import { deadLinks, lockFile, machineTraces } from './rules/text.ts';

// Each rule is shown a file that breaks it and one that does not: a check that cannot fail is a defect.

const code = (path: string, text: string) => parse({ path, text });
/** `path:line` of each violation, or `path` where the rule names no line. */
const places = (found: readonly Violation[]): string[] => found.map((violation) => violation.split(': ')[0] ?? '');

describe('imports point one way', () => {
  const reasons = (path: string, text: string): string[] => importDirections(code(path, text));

  it('refuses a stage that imports a neighbouring stage', () => {
    expect(reasons('src/feed/a.ts', "import { publish } from '../stream/publish.ts';")).toEqual([
      'src/feed/a.ts:1: src/feed may not import src/stream; they meet in src/server/pipeline.ts',
    ]);
  });

  it('refuses the server from below, and the testkit from everywhere else', () => {
    expect(reasons('src/live/a.ts', "\nimport '../server/http.ts';")).toHaveLength(1);
    expect(reasons('src/live/a.ts', "export * from '../testkit/world.ts';")).toHaveLength(1);
    expect(reasons('src/live/a.ts', "const x = await import('../../test/a.ts');")).toHaveLength(1);
  });

  it('admits the types of a seam but not its values', () => {
    expect(reasons('src/candles/a.ts', "import type { Store } from '../store/store.ts';")).toEqual([]);
    expect(reasons('src/candles/a.ts', "import { type Store } from '../store/store.ts';")).toHaveLength(1);
    expect(reasons('src/candles/a.ts', "let s: import('../store/store.ts').Store;")).toEqual([]);
  });

  it('keeps core free of Node and of packages', () => {
    expect(reasons('src/core/a.ts', "import { join } from 'node:path';")).toHaveLength(1);
    expect(reasons('src/core/a.ts', "import { z } from 'zod';")).toHaveLength(1);
    expect(reasons('src/core/a.ts', "import { ok } from './result.ts';")).toEqual([]);
  });

  it('keeps a package in its folder, and demands extensions and a known folder', () => {
    expect(reasons('src/live/a.ts', "import fastify from 'fastify';")).toHaveLength(1);
    expect(reasons('src/server/a.ts', "import fastify from 'fastify';")).toEqual([]);
    expect(reasons('src/server/a.ts', "import { ok } from '../core/result';")).toHaveLength(1);
    expect(reasons('src/shiny/a.ts', '')).toHaveLength(1);
  });
});

describe('banned calls', () => {
  it('finds every way to the clock and to chance', () => {
    const text = [
      'Date.now();',
      'new Date();',
      'setTimeout(f, 1);',
      'globalThis.setInterval(f, 1);',
      'performance.now();',
      'process.hrtime.bigint();',
      'Math.random();',
      'randomUUID();',
    ].join('\n');
    expect(places(bannedCalls(code('src/live/a.ts', text)))).toEqual(
      text.split('\n').map((_, index) => `src/live/a.ts:${index + 1}`),
    );
  });

  it('admits a given instant, words in text, and the two doors', () => {
    expect(bannedCalls(code('src/live/a.ts', "new Date(0); 'Date.now()'; // Math.random()"))).toEqual([]);
    expect(bannedCalls(code('src/core/clock.ts', 'Date.now();'))).toEqual([]);
  });

  it('keeps console in src/cli', () => {
    expect(bannedCalls(code('src/live/a.ts', 'console.error(1);'))).toHaveLength(1);
    expect(bannedCalls(code('src/cli/a.ts', 'console.error(1);'))).toEqual([]);
  });

  it('finds a unit test that sleeps', () => {
    expect(sleeps(code('test/unit/a.ts', 'await new Promise((done) => setTimeout(done, 5));'))).toHaveLength(1);
    expect(sleeps(code('test/unit/a.ts', "import { setTimeout as wait } from 'node:timers/promises';"))).toHaveLength(
      1,
    );
    expect(sleeps(code('test/unit/a.ts', 'clock.setTimer(5, done);'))).toEqual([]);
    expect(sleeps(code('test/e2e/a.ts', 'setTimeout(done, 5);'))).toEqual([]);
  });

  it('finds left-over marks and tests that hide others', () => {
    const mark = ['TO', 'DO'].join('');
    expect(places(leftOvers(code('src/a.ts', `f(); // ${mark}: later`)))).toEqual(['src/a.ts:1']);
    expect(leftOvers(code('test/a.ts', "it.only('x', f);\ndescribe.skip('y', f);"))).toHaveLength(2);
    expect(leftOvers(code('test/a.ts', "it.skipIf(true)('x', f); list.only;"))).toEqual([]);
  });
});

describe('sizes', () => {
  const lines = (count: number): string => 'f();\n'.repeat(count);

  it('counts the lines of a file', () => {
    expect(fileSize(code('src/a.ts', lines(401)))).toHaveLength(1);
    expect(fileSize(code('src/a.ts', lines(400)))).toEqual([]);
  });

  it('counts the lines of a function, of every kind', () => {
    expect(functionSize(code('src/a.ts', `function g() {\n${lines(59)}}`))).toHaveLength(1);
    expect(functionSize(code('src/a.ts', `const g = () => {\n${lines(59)}};`))).toHaveLength(1);
    expect(functionSize(code('src/a.ts', `const o = { g() {\n${lines(59)}} };`))).toHaveLength(1);
    expect(functionSize(code('src/a.ts', `function g() {\n${lines(58)}}`))).toEqual([]);
    expect(functionSize(code('test/a.ts', `function g() {\n${lines(80)}}`))).toEqual([]);
  });
});

describe('places', () => {
  it('finds a Redis key outside src/redis/keys.ts', () => {
    const key = 'const key = `{${feed}:${shard}}:ticks`;';
    expect(redisKeys(code('src/stream/a.ts', key))).toHaveLength(1);
    expect(redisKeys(code('src/redis/keys.ts', key))).toEqual([]);
    expect(redisKeys(code('src/stream/a.ts', 'const json = `{"a":${b}}`;'))).toEqual([]);
  });

  it('finds SQL outside src/store', () => {
    expect(sqlText(code('src/candles/a.ts', "run('SELECT x FROM candle');"))).toHaveLength(1);
    expect(sqlText(code('src/store/a.ts', "run('SELECT x FROM candle');"))).toEqual([]);
    expect(sqlText(code('src/cli/a.ts', "say('select a symbol from the list above');"))).toHaveLength(1);
    expect(sqlText(code('src/cli/a.ts', "say('update the settings, then begin');"))).toEqual([]);
  });

  it('demands Input and Output of a Lua script, and its place', () => {
    const good = '-- renew.lua\n-- Input: KEYS[1] lease, ARGV[1] token\n-- Output: 1 or 0\nreturn 1\n';
    expect(luaHeader({ path: 'src/redis/scripts/renew.lua', text: good })).toEqual([]);
    expect(luaHeader({ path: 'src/redis/scripts/renew.lua', text: 'return 1' })).toHaveLength(2);
    expect(luaHeader({ path: 'src/lease/renew.lua', text: good })).toHaveLength(1);
  });
});

describe('text', () => {
  it('finds a path of a machine and a package host', () => {
    const path = (...parts: string[]): string => ['', ...parts].join('/');
    const host = ['registry', 'npmjs', 'org'].join('.');
    const traces = [
      path('root', 'x'),
      `see ${path('work', 'y')}`,
      `"${path('home', 'ann', 'z')}"`,
      `https://${host}/a`,
    ];
    expect(places(machineTraces({ path: 'a.md', text: traces.join('\n') }))).toEqual([
      'a.md:1',
      'a.md:2',
      'a.md:3',
      'a.md:4',
    ]);
    expect(machineTraces({ path: 'a.md', text: 'https://example.com/work/x ./root/y /tmp/z' })).toEqual([]);
  });

  it('finds a resolved URL in the lock file', () => {
    const text = '"resolved": "https://example.com/a.tgz",';
    expect(lockFile({ path: 'package-lock.json', text })).toHaveLength(1);
    expect(lockFile({ path: 'package-lock.json', text: '"resolved": "web",' })).toEqual([]);
  });

  it('finds a link that leads nowhere', () => {
    const exists = (path: string): boolean => path === 'docs/./b.md';
    expect(deadLinks({ path: 'docs/a.md', text: '[b](./b.md#top) [web](https://example.com)' }, exists)).toEqual([]);
    expect(deadLinks({ path: 'docs/a.md', text: '[c](./c.md)' }, exists)).toHaveLength(1);
  });
});

describe('invariant ids', () => {
  const spec = (text: string) => invariantsOf({ path: 'docs/spec/fence.md', text });
  const cites = (text: string) => citationsOf(code('test/a.test.ts', text));

  it('reads list items and paragraphs that begin with an id', () => {
    const text = '1. **FENCE-1** one\n- **FENCE-2** two\n**FENCE-3** three\nsee **FENCE-4**';
    expect(spec(text).map(({ id }) => id)).toEqual(['FENCE-1', 'FENCE-2', 'FENCE-3']);
  });

  it('accepts an invariant that a title names, also with each and templates', () => {
    const tests = "it('FENCE-1 holds', f); it.each([1])(`FENCE-2 %s`, f); describe('FENCE-3, FENCE-4', f);";
    const text = '- **FENCE-1** a\n- **FENCE-2** b\n- **FENCE-3** c\n- **FENCE-4** d';
    expect(invariantIds(spec(text), cites(tests))).toEqual([]);
  });

  it('finds an invariant without a test, and a title that names no invariant', () => {
    expect(places(invariantIds(spec('- **FENCE-1** a'), cites("it('FENCE-2 holds', f);")))).toEqual([
      'docs/spec/fence.md:1',
      'test/a.test.ts:1',
    ]);
  });

  it('finds an id that is defined twice', () => {
    expect(invariantIds(spec('- **FENCE-1** a\n- **FENCE-1** b'), cites("it('FENCE-1', f);"))).toHaveLength(1);
  });

  it('lets an invariant wait with its reason, until a test proves it', () => {
    const waiting = spec('- **FENCE-1** a. Not yet: needs two servers.\n- **FENCE-2** b');
    expect(invariantIds(waiting, cites("it('FENCE-2', f);"))).toEqual([]);
    expect(invariantIds(waiting, cites("it('FENCE-1', f); it('FENCE-2', f);"))).toHaveLength(1);
  });

  it('leaves ids of other families alone', () => {
    expect(invariantIds(spec(''), cites("it('UTF-8 is kept', f);"))).toEqual([]);
  });
});

describe('tables', () => {
  it('finds a name without a row, and a row without a name', () => {
    const page = { path: 'docs/errors.md', text: '## `USAGE`\n\n| `GONE` | x |\n' };
    expect(documented(page, ['USAGE', 'NOT_FOUND'])).toHaveLength(2);
    expect(documented(page, ['USAGE', 'GONE'])).toEqual([]);
  });
});
