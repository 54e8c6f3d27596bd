// Installs what Ticker is measured beside, once, into bench/peers (never into the project itself).
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'peers');

export function installPeers() {
  if (existsSync(join(FOLDER, 'node_modules'))) return;
  console.error('bench: installing the peers (first time only) ..');
  const installed = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: FOLDER, stdio: 'inherit' });
  if (installed.status !== 0) throw new Error('npm ci in bench/peers failed');
}
