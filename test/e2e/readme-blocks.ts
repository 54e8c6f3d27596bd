/** A block of commands in a Markdown page that a test runs, and what the page says they print. */
export interface ReadmeBlock {
  readonly name: string;
  readonly commands: string;
  /** Lines that must appear in this order, each a part of a printed line. */
  readonly output: readonly string[];
}

/**
 * Blocks announced by `<!-- test: name -->` on the line before the fence; a later `<!-- output: name -->` announces what
 * they print. `...` alone on a line of the output stands for anything. Throws on a comment without a fence, a name used
 * twice, and an output without commands, so that a typing mistake does not switch a test off.
 */
export function readmeBlocks(markdown: string): ReadmeBlock[] {
  const fences = [...markdown.matchAll(FENCE)].map(([, kind = '', name = '', text = '']) => ({ kind, name, text }));
  const announced = [...markdown.matchAll(/^ *<!-- *(?:test|output):/gm)].length;
  if (announced !== fences.length)
    throw new Error(`${announced} comments announce a block, but ${fences.length} stand before one`);
  const tests = fences.filter(({ kind }) => kind === 'test');
  const outputs = new Map(fences.filter(({ kind }) => kind === 'output').map(({ name, text }) => [name, text]));
  const names = new Set(tests.map(({ name }) => name));
  if (names.size !== tests.length) throw new Error('two blocks have the same name');
  for (const name of outputs.keys()) if (!names.has(name)) throw new Error(`output '${name}' has no commands`);
  return tests.map(({ name, text }) => ({
    name,
    commands: text.replace(/^\$ /gm, ''),
    output: (outputs.get(name) ?? '').split('\n').filter((line) => line.trim() !== '' && line.trim() !== '...'),
  }));
}

/** The first expected line that does not follow the ones before it; undefined when all are there. */
export function firstMissingLine(printed: string, expected: readonly string[]): string | undefined {
  let from = 0;
  for (const line of expected) {
    const at = printed.indexOf(line.trim(), from);
    if (at === -1) return line;
    from = at + line.trim().length;
  }
  return undefined;
}

const FENCE = /^ *<!-- *(test|output): *([\w-]+) *-->\n+ *```\w*\n([\s\S]*?)\n? *```$/gm;
