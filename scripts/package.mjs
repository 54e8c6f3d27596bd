// Packs what would be published and looks at it as a user would: publint, attw, and that nothing is missing or left over.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** The built page and installed packages are no part of it. */
const SIZE_BYTES_MAX = 5 * 1024 * 1024;
const MUST_HAVE = ['dist/cli/main.js', 'web/package.json', 'LICENSE', 'README.md'];
const MUST_NOT_HAVE = /(?:^|\/)(?:node_modules|\.next|data)\/|\.(?:tsbuildinfo|log|db)$/;

const folder = mkdtempSync(join(tmpdir(), 'ticker-pack-'));
try {
  const packed = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]);
  const [{ filename, size, files }] = Object.values(JSON.parse(packed));
  const paths = files.map(({ path }) => path);
  const problems = [
    ...MUST_HAVE.filter((path) => !paths.includes(path)).map((path) => `${path} is missing`),
    ...paths.filter((path) => MUST_NOT_HAVE.test(path)).map((path) => `${path} does not belong`),
    ...(size > SIZE_BYTES_MAX ? [`it has ${size} bytes, the limit is ${SIZE_BYTES_MAX}`] : []),
  ];
  if (problems.length > 0) throw new Error(`package: ${problems.slice(0, 20).join('\npackage: ')}`);
  const tarball = join(folder, filename);
  run(process.execPath, [join(ROOT, 'node_modules/publint/src/cli.js'), tarball, '--strict']);
  run(process.execPath, [
    join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js'),
    tarball,
    '--profile',
    'esm-only',
  ]);
  console.log(`package: ${paths.length} files, ${size} bytes`);
} catch (error) {
  console.error(`${error.stdout ?? ''}${error.stderr ?? ''}${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(program, args) {
  return execFileSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
}
