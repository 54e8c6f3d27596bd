import type { Tick } from '../core/tick.ts';

/** Several sequences of ticks as one, by event time; each keeps its own order, and the earlier sequence goes first on ties. */
export interface TickMerge {
  /** The next tick; undefined at the end of all sequences. */
  head(): Tick | undefined;
  /** Moves on to the next tick. A promise only when a sequence has to be read: await it before going on. */
  advance(): Promise<void> | undefined;
  /** The latest head so far, Unix microseconds: no later tick is older, as far as the sequences are in order. */
  watermarkUs(): number;
  close(): Promise<void>;
}

export async function mergeTicks(sequences: readonly AsyncIterable<readonly Tick[]>[]): Promise<TickMerge> {
  // A binary heap by the tick each sequence stands at; ended sequences have left it.
  const heap: Sequence[] = [];
  let watermarkUs = Number.MIN_SAFE_INTEGER;

  const settleTop = (): void => {
    siftDown(heap);
    const top = headOf(heap[0]);
    if (top !== undefined && top.tsUs > watermarkUs) watermarkUs = top.tsUs;
  };

  const refillTop = async (top: Sequence): Promise<void> => {
    await refill(top);
    if (headOf(top) === undefined) {
      const last = heap.pop();
      if (last !== undefined && last !== top) heap[0] = last;
    }
    settleTop();
  };

  const iterators = sequences.map((sequence) => sequence[Symbol.asyncIterator]());
  for (const [order, iterator] of iterators.entries()) {
    const sequence: Sequence = { iterator, order, ticks: [], at: 0 };
    await refill(sequence);
    if (headOf(sequence) !== undefined) heap.push(sequence);
  }
  // Sorted is heap-ordered.
  heap.sort((a, b) => (isBefore(a, b) ? -1 : 1));
  settleTop();

  return {
    head: () => headOf(heap[0]),
    advance() {
      const top = heap[0];
      if (top === undefined) return undefined;
      top.at++;
      if (top.at === top.ticks.length) return refillTop(top);
      settleTop();
      return undefined;
    },
    watermarkUs: () => watermarkUs,
    async close() {
      for (const iterator of iterators) await iterator.return?.();
    },
  };
}

interface Sequence {
  readonly iterator: AsyncIterator<readonly Tick[]>;
  readonly order: number;
  ticks: readonly Tick[];
  at: number;
}

function headOf(sequence: Sequence | undefined): Tick | undefined {
  return sequence?.ticks[sequence.at];
}

/** Leaves the sequence at its next tick, or with none at its end. */
async function refill(sequence: Sequence): Promise<void> {
  sequence.at = 0;
  sequence.ticks = [];
  while (sequence.ticks.length === 0) {
    const next = await sequence.iterator.next();
    if (next.done === true) return;
    sequence.ticks = next.value;
  }
}

function siftDown(heap: Sequence[]): void {
  for (let parent = 0; ; ) {
    let first = parent;
    for (const child of [2 * parent + 1, 2 * parent + 2]) {
      if (child < heap.length && isBefore(heap[child] as Sequence, heap[first] as Sequence)) first = child;
    }
    if (first === parent) return;
    [heap[parent], heap[first]] = [heap[first] as Sequence, heap[parent] as Sequence];
    parent = first;
  }
}

function isBefore(a: Sequence, b: Sequence): boolean {
  const left = headOf(a) as Tick;
  const right = headOf(b) as Tick;
  if (left.tsUs !== right.tsUs) return left.tsUs < right.tsUs;
  return left.ns !== right.ns ? left.ns < right.ns : a.order < b.order;
}
