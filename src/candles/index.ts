/** Ticks to candles: the aggregator that follows a stream, and the writer that it shares with the importer. */
export {
  type Aggregator,
  type AggregatorEvent,
  type AggregatorInput,
  createAggregator,
} from './aggregator.ts';
export { type CandleWriter, createCandleWriter } from './writer.ts';
