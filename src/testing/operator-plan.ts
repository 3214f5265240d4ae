/** What befalls an operator in one seed: what users do, and faults of its link and of its process, each at its time. */
import type { Fault } from '../faults/fault.js';
import { randomStream, type RandomStream } from '../kernel/random.js';

/** What goes wrong with an operator. */
export type OperatorTrouble =
  | 'cut'
  | 'delayWatch'
  | 'coalesceWatch'
  | 'staleReads'
  | 'lossy'
  | 'refuse'
  | 'slow'
  | 'crash'
  | 'crashAfterWrites';

export const OPERATOR_TROUBLES: readonly OperatorTrouble[] = [
  'cut',
  'delayWatch',
  'coalesceWatch',
  'staleReads',
  'lossy',
  'refuse',
  'slow',
  'crash',
  'crashAfterWrites',
];

/** One thing that happens. */
export type PlannedStep =
  | { readonly atMs: number; readonly action: string; /** Of its random choices. */ readonly choice: number }
  | { readonly atMs: number; readonly fault: Fault }
  | { readonly atMs: number; readonly crash: { readonly afterWrites?: number; readonly forMs: number } };

/** How much of it, each range `[least, most]`. */
export interface OperatorBounds {
  /** @defaultValue [3, 10] */
  readonly actions?: readonly [number, number];
  /** @defaultValue [1, 4] */
  readonly faults?: readonly [number, number];
  /** Simulated time in which all of it happens, and after which all is healed, seconds. @defaultValue 120 */
  readonly seconds?: number;
  /** @defaultValue all */
  readonly kinds?: readonly OperatorTrouble[];
}

const SECOND_MS = 1000;
const DEFAULT_SECONDS = 120;

/** Simulated time after which a plan is over, ms. */
export function planMs({ seconds = DEFAULT_SECONDS }: OperatorBounds = {}): number {
  return seconds * SECOND_MS;
}
const REFUSALS = ['Conflict', 'InternalError', 'TooManyRequests', 'ServerTimeout'] as const;

/** The steps of a seed, in order of time. */
export function drawSteps(
  seed: number,
  { actions = [3, 10], faults = [1, 4], seconds = DEFAULT_SECONDS, kinds = OPERATOR_TROUBLES }: OperatorBounds,
  names: readonly string[],
  party: string,
): readonly PlannedStep[] {
  const random = randomStream(String(seed), 'operator-plan');
  const atMs = (): number => random.int(0, seconds * SECOND_MS);
  const steps: PlannedStep[] = [];
  for (let left = random.int(...actions); left > 0; left -= 1) {
    steps.push({ atMs: atMs(), action: chosen(names, random), choice: random.bits() });
  }
  for (let left = kinds.length === 0 ? 0 : random.int(...faults); left > 0; left -= 1) {
    steps.push(drawTrouble(chosen(kinds, random), atMs(), party, random));
  }
  return steps.toSorted((left, right) => left.atMs - right.atMs);
}

function drawTrouble(kind: OperatorTrouble, atMs: number, party: string, random: RandomStream): PlannedStep {
  const target = { component: party };
  const lasting = { for: random.int(5, 60) * SECOND_MS };
  const by = random.int(1, 30) * SECOND_MS;
  switch (kind) {
    case 'cut':
      return { atMs, fault: { cut: target, ...lasting } };
    case 'delayWatch':
      return { atMs, fault: { delayWatch: { ...target, by }, ...lasting } };
    case 'coalesceWatch':
      return { atMs, fault: { coalesceWatch: { ...target, by }, ...lasting } };
    case 'staleReads':
      return { atMs, fault: { staleReads: { ...target, by }, ...lasting } };
    case 'lossy': {
      const requests = random.int(2, 10) / 10;
      return { atMs, fault: { lossy: { ...target, requests }, ...lasting } };
    }
    case 'refuse': {
      const share = random.int(2, 10) / 10;
      return { atMs, fault: { refuse: { ...target, share, with: chosen(REFUSALS, random) }, ...lasting } };
    }
    case 'slow':
      return { atMs, fault: { slow: { ...target, latency: random.int(50, 3000) }, ...lasting } };
    case 'crash':
      return { atMs, crash: { forMs: lasting.for } };
    case 'crashAfterWrites':
      return { atMs, crash: { afterWrites: random.int(1, 6), forMs: lasting.for } };
  }
}

function chosen<T>(all: readonly T[], random: RandomStream): T {
  return all[random.int(0, all.length - 1)] as T;
}
