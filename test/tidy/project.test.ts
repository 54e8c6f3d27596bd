import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/core/errors.ts';
import { METRICS } from '../../src/server/metrics.ts';
import { SETTINGS } from '../../src/server/settings.ts';
import { isCode, parse, ROOT, readProject, type TextFile } from './project.ts';
import { bannedCalls, leftOvers, sleeps } from './rules/bans.ts';
import { citationsOf, invariantIds, invariantsOf } from './rules/ids.ts';
import { importDirections } from './rules/imports.ts';
import { luaHeader, redisKeys, sqlText } from './rules/places.ts';
import { fileSize, functionSize } from './rules/sizes.ts';
import { documented } from './rules/tables.ts';
import { deadLinks, lockFile, machineTraces } from './rules/text.ts';

const files = readProject();
const code = files.filter(isCode).map(parse);

function fileAt(path: string): TextFile {
  const file = files.find((candidate) => candidate.path === path);
  if (file === undefined) throw new Error(`${path} is missing`);
  return file;
}

describe('the project keeps its house rules', () => {
  it('sees the project', () => {
    expect(code.length).toBeGreaterThan(20);
    expect(code.some(({ path }) => path === 'src/core/clock.ts')).toBe(true);
  });

  it.each([
    ['imports point one way', importDirections],
    ['time, chance and output have one door', bannedCalls],
    ['unit tests do not sleep', sleeps],
    ['nothing is left over', leftOvers],
    ['a file is one noun', fileSize],
    ['a function fits on a screen', functionSize],
    ['Redis keys are spelled in one file', redisKeys],
    ['SQL is spoken in one folder', sqlText],
  ])('%s', (_, rule) => {
    expect(code.flatMap(rule)).toEqual([]);
  });

  it.each([
    ['Lua scripts say what they take and give', luaHeader],
    ['nothing knows the machine it was written on', machineTraces],
    ['the lock file names no host', lockFile],
  ])('%s', (_, rule) => {
    expect(files.flatMap(rule)).toEqual([]);
  });

  it('links lead somewhere', () => {
    expect(files.flatMap((file) => deadLinks(file, (path) => existsSync(join(ROOT, path))))).toEqual([]);
  });

  it('every invariant has a test, and every cited invariant exists', () => {
    expect(invariantIds(files.flatMap(invariantsOf), code.flatMap(citationsOf))).toEqual([]);
  });

  it.each([
    ['docs/errors.md', Object.keys(ERRORS)],
    ['docs/settings.md', SETTINGS.map(({ env }) => env)],
    ['docs/metrics.md', METRICS.map(({ name }) => name)],
  ])('%s has every name of its table', (path, names) => {
    expect(documented(fileAt(path), names)).toEqual([]);
  });

  it('the licence is Apache-2.0', () => {
    expect(fileAt('LICENSE').text).toContain('Apache License\n                           Version 2.0, January 2004');
  });
});
