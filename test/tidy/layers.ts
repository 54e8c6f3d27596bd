/**
 * Which way imports may point (docs/adr/0002). `values` may be imported freely, `types` only with `import type`: a stage
 * may speak of its neighbour's interface, but it is handed the thing itself in src/server/pipeline.ts.
 */
export const LAYERS: Record<string, { readonly values: readonly string[]; readonly types?: readonly string[] }> = {
  core: { values: [] },
  redis: { values: ['core'] },
  lease: { values: ['core', 'redis'] },
  stream: { values: ['core', 'redis', 'lease'] },
  feed: { values: ['core'] },
  store: { values: ['core'] },
  candles: { values: ['core'], types: ['store', 'stream'] },
  live: { values: ['core', 'redis', 'lease'], types: ['store', 'stream'] },
  config: { values: ['core', 'redis', 'lease'] },
  history: { values: ['core', 'redis', 'lease'], types: ['store'] },
  client: { values: ['core'] },
  server: { values: ['core', 'redis', 'lease', 'stream', 'feed', 'store', 'candles', 'live', 'config', 'history'] },
  cli: {
    values: ['core', 'redis', 'lease', 'stream', 'feed', 'store', 'candles', 'live', 'config', 'history', 'server'],
  },
  testkit: {
    values: ['core', 'redis', 'lease', 'stream', 'feed', 'store', 'candles', 'live', 'config', 'history', 'client'],
  },
};

/** Folders that run in a browser too: nothing of Node, no package. */
export const PORTABLE: readonly string[] = ['core', 'client'];

/** Where a package may be imported; a package that is not listed may be imported nowhere in src. */
export const PACKAGES: Record<string, readonly string[]> = {
  redis: ['redis'],
  libsql: ['store'],
  pg: ['store'],
  fastify: ['server'],
  'prom-client': ['server'],
  pino: ['server', 'cli'],
  zod: ['server', 'config'],
  commander: ['cli'],
};
