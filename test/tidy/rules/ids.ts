import { Visitor } from 'oxc-parser';
import { type CodeFile, lineAt, type TextFile, type Violation } from '../project.ts';

/** An invariant of docs/spec: a list item or paragraph that begins with its id in bold, `**FENCE-3**`. */
export interface Invariant {
  readonly id: string;
  readonly where: string;
  /** Its text says `Not yet:` and why; it then needs no test. */
  readonly deferred: boolean;
}

/** A test title that names ids. */
export interface Citation {
  readonly id: string;
  readonly where: string;
}

/** Every invariant is proved by a test that names it, and every id that a test names exists (Electric, made mechanical). */
export function invariantIds(invariants: readonly Invariant[], citations: readonly Citation[]): Violation[] {
  const defined = new Map(invariants.map((invariant) => [invariant.id, invariant]));
  const families = new Set(invariants.map(({ id }) => familyOf(id)));
  const cited = new Set(citations.map(({ id }) => id));
  return [
    ...invariants
      .filter((invariant) => defined.get(invariant.id) !== invariant)
      .map(({ id, where }) => `${where}: ${id} is defined twice`),
    ...invariants
      .filter(({ id, deferred }) => !deferred && !cited.has(id))
      .map(({ id, where }) => `${where}: no test title begins with ${id}; write the test, or say 'Not yet: <why>'`),
    ...invariants
      .filter(({ id, deferred }) => deferred && cited.has(id))
      .map(({ id, where }) => `${where}: ${id} says 'Not yet' but a test proves it`),
    ...citations
      .filter(({ id }) => families.has(familyOf(id)) && !defined.has(id))
      .map(({ id, where }) => `${where}: ${id} is not in docs/spec`),
  ];
}

export function invariantsOf({ path, text }: TextFile): Invariant[] {
  if (!path.startsWith('docs/spec/')) return [];
  const starts = [...text.matchAll(/^(?:\s*(?:\d+\.|[-*|])\s+)?\*\*([A-Z]+-\d+)\.?\*\*/gm)];
  return starts.map((match, index) => ({
    id: match[1] ?? '',
    where: `${path}:${lineAt(text, match.index)}`,
    deferred: /\bNot yet: \S/.test(text.slice(match.index, starts[index + 1]?.index)),
  }));
}

/** Titles of it, test and describe, with or without `.each(..)` and the like, in tests and contract suites. */
export function citationsOf(file: CodeFile): Citation[] {
  if (!/^(?:test|src\/testkit)\//.test(file.path)) return [];
  const found: Citation[] = [];
  new Visitor({
    CallExpression: ({ callee, arguments: args, start }) => {
      if (!/^(?:it|test|describe)\b/.test(file.text.slice(callee.start, callee.end))) return;
      const title = args[0];
      if (title?.type !== 'Literal' && title?.type !== 'TemplateLiteral') return;
      const where = `${file.path}:${lineAt(file.text, start)}`;
      for (const [id] of file.text.slice(title.start, title.end).matchAll(/\b[A-Z]+-\d+\b/g)) found.push({ id, where });
    },
  }).visit(file.program);
  return found;
}

function familyOf(id: string): string {
  return id.slice(0, id.indexOf('-'));
}
