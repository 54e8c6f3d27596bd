import { type Transferable, Worker } from 'node:worker_threads';
import { TickerError } from '../../core/errors.ts';
import type { DatabaseIdentity, DatabaseOperations, DatabaseSettings } from './operations.ts';
import { decodeFault, type WorkerReply, type WorkerRequest } from './worker-protocol.ts';

type Operation = keyof DatabaseOperations;

/** The database on its own thread, as seen from this one. Requests run one after the other, in the order of the calls. */
export interface DatabaseWorker {
  readonly identity: DatabaseIdentity;
  /** Rejects with STORE_UNUSABLE when the worker is gone or REQUESTS_MAX wait; other faults are the operation's. */
  call<Name extends Operation>(
    operation: Name,
    args: Parameters<DatabaseOperations[Name]>,
    transfer?: readonly Transferable[],
  ): Promise<ReturnType<DatabaseOperations[Name]>>;
  /** After all that was asked before; then the thread is gone. Repeatable. */
  close(): Promise<void>;
}

/** Requests sent and not answered. More means that somebody does not wait for answers. */
export const REQUESTS_MAX = 1_024;

export async function startDatabaseWorker(settings: DatabaseSettings, url: URL = workerUrl()): Promise<DatabaseWorker> {
  const worker = new Worker(url, { workerData: settings, name: 'ticker-store' });
  const pending = new Map<number, Pending>();
  let gone: string | undefined;
  let lastId = 0;

  function abandon(reason: string): void {
    gone ??= reason;
    for (const { reject } of pending.values()) reject(unusable(settings.path, gone));
    pending.clear();
  }

  function request(id: number, send: () => void): Promise<unknown> {
    if (gone !== undefined) return Promise.reject(unusable(settings.path, gone));
    return new Promise((resolve, reject) => {
      send();
      pending.set(id, { resolve, reject });
    });
  }

  function post(
    operation: WorkerRequest['operation'],
    args: readonly unknown[],
    transfer: readonly Transferable[] = [],
  ): Promise<unknown> {
    const id = ++lastId;
    return request(id, () => worker.postMessage({ id, operation, args } satisfies WorkerRequest, transfer));
  }

  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      abandon('its thread has ended');
      resolve();
    });
  });
  worker.on('error', (error) => abandon(`its thread failed: ${error.message}`));
  worker.on('message', (reply: WorkerReply) => settle(pending, reply));
  const identity = (await request(0, () => undefined)) as DatabaseIdentity;

  return {
    identity,
    async call(operation, args, transfer) {
      if (pending.size >= REQUESTS_MAX) throw unusable(settings.path, `more than ${REQUESTS_MAX} requests wait for it`);
      return post(operation, args, transfer) as Promise<never>;
    },
    async close() {
      if (gone === undefined) {
        const closed = post('close', []);
        gone = 'it is closed';
        await closed;
      }
      await exited;
    },
  };
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (fault: TickerError) => void;
}

function settle(pending: Map<number, Pending>, reply: WorkerReply): void {
  const request = pending.get(reply.id);
  pending.delete(reply.id);
  if (reply.kind === 'done') request?.resolve(reply.value);
  else request?.reject(decodeFault(reply.fault));
}

function unusable(path: string, reason: string): TickerError {
  return new TickerError('STORE_UNUSABLE', `store ${path}: ${reason}`, { details: { path } });
}

/** A worker cannot load TypeScript: run from sources, as tests are, this takes the built worker. */
function workerUrl(): URL {
  const { url } = import.meta;
  return new URL('./worker.js', url.endsWith('.ts') ? url.replace('/src/store/', '/dist/store/') : url);
}
