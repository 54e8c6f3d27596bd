import type { Tick } from '../core/tick.ts';

export type {
  BarrierEntry,
  GapEntry,
  MalformedEntry,
  StreamEntry,
  TickEntry,
  WatermarkEntry,
} from '../core/stream-entry.ts';

/** What a writer may put into a fenced stream; barriers are written by `install` alone. */
export type PublishEntry =
  | { readonly kind: 'tick'; readonly tick: Tick }
  | { readonly kind: 'watermark'; readonly watermarkUs: number; readonly source: string }
  | {
      readonly kind: 'gap';
      readonly symbols: readonly string[];
      readonly fromUs: number;
      readonly toUs: number;
      readonly reason: string;
    };
