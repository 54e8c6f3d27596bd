// Takes a shard over again and again, in a process whose files may not grow beyond a limit, until the store refuses; from
// the built code. Usage: node crowded.mjs PATH. Prints {answered, stored, fault}: owner terms, and the code of the refusal.
import { systemClock } from '../../../dist/core/clock.js';
import { openSqliteStore } from '../../../dist/store/index.js';

const TAKEOVERS_MAX = 5_000;

const store = await openSqliteStore({
  path: process.argv[2],
  mode: 'write',
  ownerLabel: 'test crowded',
  clock: systemClock,
});
let answered = 0;
let fault;
for (let i = 0; i < TAKEOVERS_MAX && fault === undefined; i++) {
  try {
    answered = (await store.takeOver(0, 'crowded')).ownerTerm;
  } catch (error) {
    fault = error.code;
  }
}
console.log(JSON.stringify({ answered, stored: (await store.shard(0)).ownerTerm, fault }));
process.exit(0);
