import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../core/errors.ts';
import { openStoreDatabase, type StoreDatabase } from './database.ts';
import { storeFault } from './faults.ts';
import type { DatabaseOperations, DatabaseSettings } from './operations.ts';
import { encodeFault, type WorkerReply, type WorkerRequest } from './worker-protocol.ts';

/**
 * The thread that owns the database (D10: a flush of 5,000 rows on the main thread would stall renewals and streams).
 * One request after the other; each is answered.
 */
assert(parentPort !== null, 'this file runs as a worker thread');
serve(parentPort, workerData as DatabaseSettings);

function serve(port: NonNullable<typeof parentPort>, settings: DatabaseSettings): void {
  const reply = (message: WorkerReply): void => port.postMessage(message);
  let database: StoreDatabase;
  try {
    database = openStoreDatabase(settings);
  } catch (error) {
    reply({ id: 0, kind: 'failed', fault: encodeFault(storeFault(error, settings.path)) });
    port.close();
    return;
  }
  reply({ id: 0, kind: 'done', value: database.identity });
  port.on('message', ({ id, operation, args }: WorkerRequest) => {
    try {
      const value = operation === 'close' ? database.close() : perform(database.operations, operation, args);
      reply({ id, kind: 'done', value });
    } catch (error) {
      reply({ id, kind: 'failed', fault: encodeFault(storeFault(error, settings.path)) });
    }
    if (operation === 'close') port.close();
  });
}

function perform(
  operations: DatabaseOperations,
  operation: keyof DatabaseOperations,
  args: readonly unknown[],
): unknown {
  // The types are checked where the request is made.
  return (operations[operation] as (...args: readonly unknown[]) => unknown)(...args);
}
