export { BATCH_TICKS_MAX, type Feed, type FeedBatch, type FeedGap } from './feed.ts';
export { formatRowFault, type RowFault } from './formats/row-fault.ts';
export {
  openTradeFile,
  type RowBatch,
  requireGoodRows,
  type TradeFile,
  type TradeFileOptions,
} from './formats/trade-file.ts';
export { createReplayFeed, type ReplayFeed, type ReplayFeedOptions } from './replay.ts';
export {
  createSimulatedFeed,
  SIMULATED_SOURCE,
  SIMULATED_SYMBOLS,
  type SimulatedFeedOptions,
  type SimulationParams,
  simulatedTick,
  TICKS_PER_SECOND_MAX,
} from './simulated.ts';
