export { type DecodedPart, decodePart, encodePart, type PartBlock, partBlocks, partIds } from './archive/index.ts';
export { openSqliteStore, type SqliteStoreOptions } from './sqlite/index.ts';
export * from './store.ts';
