import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics.ts';

export interface OperationsRoutesOptions {
  readonly metrics: Metrics;
  /** What /v1/status answers. */
  readonly status: () => Promise<object>;
  /** Names of the parts that are not ready; empty when the process can serve. */
  readonly notReady: () => readonly string[];
  readonly refreshGauges: () => void;
}

/** For those who run it: alive, ready, metrics, status. */
export function operationsRoutes(app: FastifyInstance, options: OperationsRoutesOptions): void {
  const { metrics, status, notReady, refreshGauges } = options;

  app.get('/healthz', async () => ({ status: 'alive' }));

  app.get('/readyz', async (_request, reply) => {
    const waiting = notReady();
    return waiting.length === 0 ? { status: 'ready' } : reply.status(503).send({ status: 'not ready', waiting });
  });

  app.get('/metrics', async (_request, reply) => {
    refreshGauges();
    return reply.type(metrics.contentType).send(await metrics.text());
  });

  app.get('/v1/status', status);
}
