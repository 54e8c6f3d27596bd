import { Visitor } from 'oxc-parser';
import { type CodeFile, lineAt, type Violation } from '../project.ts';

/**
 * Time, chance and output have one door each, so that a test can hold it. oxlint says the same sooner (.oxlintrc.json);
 * this rule cannot be switched off by a comment, and knows `new Date()`.
 */
export function bannedCalls(file: CodeFile): Violation[] {
  if (!file.path.startsWith('src/') || DOORS.has(file.path)) return [];
  const found: Violation[] = [];
  const report = (start: number, what: string, instead: string): void => {
    found.push(`${file.path}:${lineAt(file.text, start)}: ${what}: ${instead}`);
  };
  new Visitor({
    CallExpression: ({ callee, start }) => {
      const name = file.text.slice(callee.start, callee.end).replace(/^globalThis\./, '');
      const instead = CALLS[name];
      if (instead !== undefined) report(start, `${name}()`, instead);
    },
    NewExpression: ({ callee, arguments: args, start }) => {
      if (callee.type === 'Identifier' && callee.name === 'Date' && args.length === 0)
        report(start, 'new Date()', CLOCK);
    },
    MemberExpression: ({ object, start }) => {
      if (object.type === 'Identifier' && object.name === 'console' && !file.path.startsWith('src/cli/')) {
        report(start, 'console', 'only src/cli writes to the terminal; take a logger or return a value');
      }
    },
  }).visit(file.program);
  return found;
}

/** A unit test advances a virtual clock, awaits a signal, or polls with a deadline (`expect.poll`); it never sleeps. */
export function sleeps(file: CodeFile): Violation[] {
  if (!file.path.startsWith('test/unit/')) return [];
  const found = file.imports
    .filter(({ specifier }) => /^(?:node:)?timers\b/.test(specifier))
    .map(({ line }) => `${file.path}:${line}: timers: ${NO_SLEEP}`);
  new Visitor({
    CallExpression: ({ callee, start }) => {
      if (callee.type !== 'Identifier' || !/^set(?:Timeout|Interval)$/.test(callee.name)) return;
      found.push(`${file.path}:${lineAt(file.text, start)}: ${callee.name}(): ${NO_SLEEP}`);
    },
  }).visit(file.program);
  return found;
}

/** A left-over mark, a test that hides others, or a switched-off type check. Applies to all code. */
export function leftOvers(file: CodeFile): Violation[] {
  const marks = file.comments.flatMap(({ value, start }) => {
    const mark = /\b(?:TO-?DO|FIX-?ME|XXX|@ts-ignore|@ts-nocheck)\b/.exec(value)?.[0];
    return mark === undefined
      ? []
      : [`${file.path}:${lineAt(file.text, start)}: ${mark}: do it now, or file an issue and say why it waits`];
  });
  const only: Violation[] = [];
  new Visitor({
    MemberExpression: ({ object, property, start }) => {
      if (property.type !== 'Identifier' || !/^(?:only|skip|todo)$/.test(property.name)) return;
      const runner = file.text.slice(object.start, object.end);
      if (/^(?:it|test|describe)\b/.test(runner)) {
        only.push(
          `${file.path}:${lineAt(file.text, start)}: ${runner}.${property.name}: a test runs, or it is not there`,
        );
      }
    },
  }).visit(file.program);
  return [...marks, ...only];
}

const DOORS = new Set(['src/core/clock.ts', 'src/core/random.ts']);
const CLOCK = 'take a Clock (src/core/clock.ts)';
const NO_SLEEP = 'advance a virtual clock, await a signal, or use expect.poll';
const RANDOM = 'take a Random (src/core/random.ts)';

const CALLS: Record<string, string | undefined> = {
  'Date.now': CLOCK,
  Date: CLOCK,
  setTimeout: CLOCK,
  setInterval: CLOCK,
  setImmediate: CLOCK,
  'performance.now': CLOCK,
  'process.hrtime': CLOCK,
  'process.hrtime.bigint': CLOCK,
  'process.uptime': CLOCK,
  'Math.random': RANDOM,
  randomUUID: RANDOM,
  randomBytes: RANDOM,
  'crypto.randomUUID': RANDOM,
  'crypto.randomBytes': RANDOM,
};
