/** The tick stream: one fenced writer, groups and cursors that read, and the rules by which a reader knows it has everything. */

export { type Continuity, compareWithFence, follow, type Standing } from '../core/continuity.ts';
export { type CandleFrames, openCandleFrames } from './candle-frames.ts';
export { readCheckpoints, writeCheckpoint } from './checkpoints.ts';
export { type DecodeRules, decodeEntry, encodeTick } from './codec.ts';
export { type CursorReader, type CursorReaderOptions, createCursorReader } from './cursor-reader.ts';
export type {
  BarrierEntry,
  GapEntry,
  MalformedEntry,
  PublishEntry,
  StreamEntry,
  TickEntry,
  WatermarkEntry,
} from './entry.ts';
export { type Fence, readFence } from './fence.ts';
export {
  createGroup,
  createGroupConsumer,
  type GroupBatch,
  type GroupConsumer,
  type GroupConsumerOptions,
  type GroupStart,
  type PendingSummary,
  pendingIds,
  pendingSummary,
  readGroupPosition,
  splitEntries,
} from './group.ts';
export { type Lag, lagMs, lagOf } from './lag.ts';
export { BATCH_ENTRIES_MAX, BATCH_TICKS_MAX, BLOCK_MS_MAX, READ_ENTRIES_MAX } from './limits.ts';
export {
  createPublisher,
  type InstallOutcome,
  type Publisher,
  type PublisherOptions,
  type PublishOutcome,
} from './publisher.ts';
export { entriesOfRange, entriesOfRead, type RawEntry } from './reply.ts';
export { createTrimmer, firstSince, type Trimmer, type TrimmerOptions, type TrimOutcome } from './trimmer.ts';
