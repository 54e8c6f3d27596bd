import { archiveContract } from './store-contract-archive.ts';
import { candleContract } from './store-contract-candles.ts';
import { checkpointContract } from './store-contract-checkpoint.ts';
import { retentionContract } from './store-contract-retention.ts';
import type { StorePlace, StoreSuite, TestRunner } from './store-fixtures.ts';

/**
 * What a Store means, as tests: the same for every database. The caller brings its test runner and a way to make an empty
 * store. Titles name the invariants of docs/spec that they prove.
 */
export function storeContract(name: string, runner: TestRunner, makePlace: () => Promise<StorePlace>): void {
  runner.describe(`${name} as a store`, () => {
    const suite: StoreSuite = {
      ...runner,
      async inStore(body, shards) {
        const place = await makePlace();
        const store = await place.open(shards);
        try {
          await body(store, place);
        } finally {
          await store.close();
          await place.destroy();
        }
      },
    };
    checkpointContract(suite);
    candleContract(suite);
    archiveContract(suite);
    retentionContract(suite);
  });
}
