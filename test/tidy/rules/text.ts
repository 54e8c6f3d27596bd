import type { TextFile, Violation } from '../project.ts';

/** Nothing in the repository knows the machine it was written on, nor where packages come from. */
export function machineTraces({ path, text }: TextFile): Violation[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      TRACES.filter(({ pattern }) => pattern.test(line)).map(({ what }) => `${path}:${index + 1}: ${what}`),
    );
}

/** The lock file names versions and hashes; each user's npm knows its own registry. */
export function lockFile({ path, text }: TextFile): Violation[] {
  if (!path.endsWith('package-lock.json')) return [];
  return text
    .split('\n')
    .flatMap((line, index) =>
      /"resolved":\s*"http/.test(line)
        ? [`${path}:${index + 1}: a resolved URL; .npmrc has omit-lockfile-registry-resolved`]
        : [],
    );
}

/** Links of Markdown files to other files of the repository lead somewhere. */
export function deadLinks({ path, text }: TextFile, exists: (path: string) => boolean): Violation[] {
  if (!path.endsWith('.md')) return [];
  return [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)/g)].flatMap(([, target = '']) => {
    const from = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
    return exists(`${from}/${target}`) ? [] : [`${path}: the link to '${target}' leads nowhere`];
  });
}

const TRACES = [
  {
    pattern: /(?:^|[\s"'`(=:])(?:\/root|\/work|\/home\/\w+|\/Users\/\w+|[A-Z]:\\Users)\//,
    what: 'a path of one machine',
  },
  {
    pattern: /registry[.]npm|registry[.]yarnpkg|npm[.]pkg[.]github|deb[.]debian[.]org|artifactor[y]|verdacci[o]/i,
    what: 'a package host',
  },
];
