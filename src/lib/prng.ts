const STEP = 0x6d2b79f5;

/** A seeded source of numbers: the same seed gives the same sequence on every machine. Not for secrets. */
export interface Prng {
  /** Uniform in [0, 1), 32 bits fine. */
  unit(): number;
  /** Uniform whole number in [0, bound); `bound` from 1 to 2^32. */
  below(bound: number): number;
  /** Normal with mean 0 and deviation 1. */
  normal(): number;
}

/** mulberry32; only the low 32 bits of `seed` count. */
export function createPrng(seed: number): Prng {
  let state = seed >>> 0;
  const unit = (): number => {
    state = (state + STEP) >>> 0;
    return mix(state) / 2 ** 32;
  };
  return {
    unit,
    below: (bound) => Math.floor(unit() * bound),
    // 1 - unit() is never 0, so the logarithm stays finite.
    normal: () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit()),
  };
}

/**
 * Uniform in [0, 1), a pure function of its three numbers: a million independent sequences without a million states.
 */
export function unitAt(seed: number, index: number, turn: number): number {
  const row = mix(((seed >>> 0) + Math.imul(index + 1, STEP)) >>> 0);
  return mix((row + Math.imul(turn + 1, STEP)) >>> 0) / 2 ** 32;
}

/** 32 bits that depend on every character of `text` (FNV-1a, mixed). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash >>> 0);
}

function mix(state: number): number {
  let bits = Math.imul(state ^ (state >>> 15), state | 1);
  bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
  return (bits ^ (bits >>> 14)) >>> 0;
}
