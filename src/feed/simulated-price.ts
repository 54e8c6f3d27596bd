import { noiseAt } from '../core/random.ts';

/**
 * A plausible price with random access: value noise of many octaves looks like a random walk without having to be
 * walked. `seconds` is the time since any fixed origin, `jitter` in [0, 1) moves the price by a cent. Whole cents, always
 * above zero. Only + - * / and floor: the same digits on every machine, which Math.exp does not promise.
 */
export function simulatedPrice(seed: number, seconds: number, jitter: number): number {
  const baseCents = BASE_CENTS_MIN + Math.floor(noiseAt(seed, 0) * BASE_CENTS_RANGE);
  let swing = 0;
  let period = 1;
  let amplitude = 1;
  for (let octave = 0; octave < OCTAVES; octave++) {
    swing += (valueNoise(seed + OCTAVE_SEED + octave, seconds / period) * 2 - 1) * amplitude;
    period *= PERIOD_FACTOR;
    amplitude *= AMPLITUDE_FACTOR;
  }
  const cents = Math.floor(baseCents * (1 + (SWING_MAX * swing) / AMPLITUDE_TOTAL));
  return cents + Math.floor(jitter * 3) - 1;
}

const BASE_CENTS_MIN = 2_000;
const BASE_CENTS_RANGE = 48_000;

/** Periods of 1 s to 12 days. The amplitude of a walk grows with the root of time: 2 for a period 4 times as long; their sum is 2^11 - 1. */
const OCTAVES = 11;
const PERIOD_FACTOR = 4;
const AMPLITUDE_FACTOR = 2;
const AMPLITUDE_TOTAL = 2_047;

/** Keeps the octaves apart from the other uses of a seed. */
const OCTAVE_SEED = 1_000;

/** Largest distance from the base, as a share of it; below 1, so a price stays above zero. */
const SWING_MAX = 0.4;

/** Smooth noise in [0, 1) through one random value per unit of x. */
function valueNoise(seed: number, x: number): number {
  const cell = Math.floor(x);
  const rest = x - cell;
  const ease = rest * rest * (3 - 2 * rest);
  const left = noiseAt(seed, cell);
  return left + (noiseAt(seed, cell + 1) - left) * ease;
}
