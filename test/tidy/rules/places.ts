import { Visitor } from 'oxc-parser';
import { type CodeFile, lineAt, type TextFile, type Violation } from '../project.ts';

/** A Redis key is spelled in src/redis/keys.ts and nowhere else: a brace that opens a hash tag gives it away. */
export function redisKeys(file: CodeFile): Violation[] {
  if (!file.path.startsWith('src/') || file.path === 'src/redis/keys.ts') return [];
  return literals(file)
    .filter(({ value }) => /^\{[^{}\s"]*\}:|\}:(?:ticks|fence|ckpt|candles|tick|holder|record|split)\b/.test(value))
    .map(({ line }) => `${file.path}:${line}: a Redis key; take it from src/redis/keys.ts`);
}

/** SQL is text, and text of one language lives in one place: src/store. */
export function sqlText(file: CodeFile): Violation[] {
  if (!/^src\/(?!store\/)/.test(file.path)) return [];
  return literals(file)
    .filter(({ value }) => SQL.test(value))
    .map(({ line }) => `${file.path}:${line}: SQL; only src/store speaks it`);
}

/** A script says what it takes and gives, because no compiler does (bullmq). */
export function luaHeader({ path, text }: TextFile): Violation[] {
  if (!path.endsWith('.lua')) return [];
  if (!path.startsWith('src/redis/scripts/')) return [`${path}:1: Lua lives in src/redis/scripts`];
  const header = /^(?:--.*\n)+/.exec(text)?.[0] ?? '';
  return ['Input', 'Output']
    .filter((word) => !new RegExp(`^--.*\\b${word}\\b`, 'mi').test(header))
    .map((word) => `${path}:1: the header has no '${word}:' line`);
}

const SQL =
  /\b(?:select\s+[^;]+\s+from\s+\w|insert\s+(?:or\s+\w+\s+)?into\s+\w|update\s+\w+\s+set\s|delete\s+from\s+\w|create\s+(?:table|index)\s|pragma\s+\w|begin\s+(?:immediate|exclusive))/i;

function literals(file: CodeFile): { value: string; line: number }[] {
  const found: { value: string; line: number }[] = [];
  new Visitor({
    Literal: ({ value, start }) => {
      if (typeof value === 'string') found.push({ value, line: lineAt(file.text, start) });
    },
    TemplateLiteral: ({ quasis, start }) => {
      // A hole stands for one plain character, so that `{${feed}}:ticks` still looks like a key.
      const value = quasis.map((part) => part.value.cooked ?? '').join('x');
      found.push({ value, line: lineAt(file.text, start) });
    },
  }).visit(file.program);
  return found;
}
