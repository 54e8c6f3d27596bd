/**
 * The only door to randomness. `systemRandom` for identities; `seededRandom` wherever a run must be repeatable.
 */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** `length` lowercase hexadecimal digits. */
  hex(length: number): string;
}

export const systemRandom: Random = {
  next: () => Math.random(),
  hex: (length) => hexFrom(systemRandom, length),
};

/** A repeatable generator (mulberry32) for simulation and tests. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const random: Random = {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      return mix32(state) / 0x1_0000_0000;
    },
    hex: (length) => hexFrom(random, length),
  };
  return random;
}

/** A pure hash of (seed, index) to [0, 1): random access into an endless repeatable sequence. */
export function noiseAt(seed: number, index: number): number {
  const high = Math.floor(index / 0x1_0000_0000);
  return mix32((mix32(seed ^ Math.imul(high, 0x85ebca6b)) + Math.imul(index >>> 0, 0x9e3779b1)) >>> 0) / 0x1_0000_0000;
}

/** The mulberry32 finalizer: every bit of the input moves about half of the output. */
function mix32(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 15), value | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return (mixed ^ (mixed >>> 14)) >>> 0;
}

function hexFrom(random: Random, length: number): string {
  let digits = '';
  while (digits.length < length) digits += Math.floor(random.next() * 16).toString(16);
  return digits;
}
