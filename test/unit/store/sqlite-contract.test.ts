import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { openSqliteStore } from '../../../src/store/index.ts';
import { storeContract } from '../../../src/testkit/store-contract.ts';

storeContract('SQLite', { describe, it, expect }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ticker-store-'));
  const path = join(directory, 'ticker.db');
  return {
    open: (shards) =>
      openSqliteStore({
        path,
        mode: 'write',
        ownerLabel: 'test',
        clock: systemClock,
        ...(shards === undefined ? {} : { shards }),
      }),
    destroy: async () => rmSync(directory, { recursive: true, force: true }),
  };
});
