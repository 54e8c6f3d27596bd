// Builds dist/: compiles src/ and copies the files the compiler leaves behind (*.lua, *.sql).
// Runs as the root `prepare`, so `npx ticker` works right after `npm ci`.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

if (!existsSync(tsc)) {
  if (existsSync(join(root, 'dist', 'cli', 'main.js'))) process.exit(0);
  console.error('ticker: dist/ is missing and TypeScript is not installed. Run: npm ci --include=dev');
  process.exit(1);
}

const compiled = spawnSync(process.execPath, [tsc, '-b', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (compiled.status !== 0) process.exit(compiled.status ?? 1);

cpSync(join(root, 'src'), join(root, 'dist'), {
  recursive: true,
  filter: (path) => !/\.[a-z]+$/.test(path) || /\.(lua|sql)$/.test(path),
});

if (existsSync(join(root, 'dist', 'cli', 'main.js'))) chmodSync(join(root, 'dist', 'cli', 'main.js'), 0o755);
