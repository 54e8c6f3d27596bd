/** The limits of the stream (STREAM-14, STREAM-15). A batch beyond them is refused, not split: the caller decides. */

/** More ticks in one script call bring no throughput, only a longer stall of everybody else (measured: 500 ticks = 1.6 ms). */
export const BATCH_TICKS_MAX = 200;
/** Ticks and control entries of one batch. */
export const BATCH_ENTRIES_MAX = 256;
export const BATCH_BYTES_MAX = 1_048_576;
/** Entries of one read. */
export const READ_ENTRIES_MAX = 5_000;
/** A reader looks up at least this often, so that it notices an emptied or replaced stream. */
export const BLOCK_MS_MAX = 1_000;
export const GAP_SYMBOLS_MAX = 1_000;
export const TEXT_LENGTH_MAX = 512;
/** Batches the publisher keeps to send again after a failover. */
export const RING_BATCHES = 64;
