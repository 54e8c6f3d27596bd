import { posix } from 'node:path';
import { LAYERS, PACKAGES, PORTABLE } from '../layers.ts';
import type { CodeFile, Import, Violation } from '../project.ts';

/** Imports point one way (design, docs/adr/0002); the table is layers.ts. Applies to src. */
export function importDirections(file: CodeFile): Violation[] {
  const folder = folderOf(file.path);
  if (folder === undefined) return [];
  if (LAYERS[folder] === undefined)
    return [`${file.path}:1: src/${folder} is not in test/tidy/layers.ts; say what it may import`];
  return file.imports.flatMap((statement) => {
    const reason = statement.specifier.startsWith('.')
      ? relativeReason(file.path, folder, statement)
      : packageReason(folder, statement.specifier);
    return reason === undefined ? [] : [`${file.path}:${statement.line}: ${reason}`];
  });
}

function relativeReason(path: string, folder: string, { specifier, typeOnly }: Import): string | undefined {
  const target = posix.join(posix.dirname(path), specifier);
  if (!target.startsWith('src/')) return `src may not import ${target}`;
  if (!/\.(ts|mjs)$/.test(target)) return `'${specifier}' must end with .ts`;
  const to = folderOf(target);
  if (to === undefined || to === folder) return undefined;
  const layer = LAYERS[folder];
  if (layer?.values.includes(to)) return undefined;
  if (!layer?.types?.includes(to)) return `src/${folder} may not import src/${to}; they meet in src/server/pipeline.ts`;
  return typeOnly
    ? undefined
    : `src/${folder} may import only types of src/${to}; take the thing itself as an argument`;
}

function packageReason(folder: string, specifier: string): string | undefined {
  if (PORTABLE.includes(folder)) return `src/${folder} must run anywhere; it may not import '${specifier}'`;
  if (specifier.startsWith('node:')) return undefined;
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  return PACKAGES[name]?.includes(folder)
    ? undefined
    : `src/${folder} may not import the package '${name}' (test/tidy/layers.ts)`;
}

function folderOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}
