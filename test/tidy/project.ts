import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type Comment, type ParseResult, parseSync, Visitor } from 'oxc-parser';

/** A text file of the repository, as the rules see it. `path` has forward slashes and starts at the root. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** A TypeScript or JavaScript file with its syntax tree. */
export interface CodeFile extends TextFile {
  readonly program: ParseResult['program'];
  readonly imports: readonly Import[];
  readonly comments: readonly Comment[];
}

export interface Import {
  readonly specifier: string;
  /** Erased by the compiler: `import type ..`, `export type ..` or `import('..').Name`. */
  readonly typeOnly: boolean;
  readonly line: number;
}

/** What a rule found: `path:line: what is wrong and what to do instead`. */
export type Violation = string;

export const ROOT = join(import.meta.dirname, '..', '..');

/** Every text file that a commit would hold. */
export function readProject(root = ROOT): TextFile[] {
  return walk(root)
    .filter((path) => !BINARY.test(path))
    .map((path) => ({ path: relative(root, path).split(sep).join('/'), text: readFileSync(path, 'utf8') }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Parses a file; a syntax error is thrown, because every rule would be blind to the file. */
export function parse({ path, text }: TextFile): CodeFile {
  const { program, module, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const imports: Import[] = [];
  const add = (
    start: number,
    specifier: string,
    typeOnly = /^(?:import|export)\s+type\b/.test(text.slice(start)),
  ): void => {
    imports.push({ specifier, typeOnly, line: lineAt(text, start) });
  };
  for (const { start, moduleRequest } of module.staticImports) add(start, moduleRequest.value);
  for (const { start, entries } of module.staticExports) {
    const source = entries[0]?.moduleRequest;
    if (source) add(start, source.value);
  }
  new Visitor({
    ImportExpression: ({ start, source }) => add(start, text.slice(source.start + 1, source.end - 1), false),
    TSImportType: ({ start, source }) => add(start, source.value, true),
  }).visit(program);
  return { path, text, program, comments, imports };
}

export function isCode({ path }: TextFile): boolean {
  return /\.(ts|tsx|mts|mjs|js)$/.test(path);
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** What .gitignore leaves out, and git itself. */
const IGNORED = new Set(['.git', 'node_modules', 'dist', 'data', '.next', 'coverage', 'next-env.d.ts']);
const BINARY = /\.(png|jpe?g|gif|ico|gz|woff2?|db|tsbuildinfo|log)$/;

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (IGNORED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return walk(path);
    return entry.isFile() ? [path] : [];
  });
}
