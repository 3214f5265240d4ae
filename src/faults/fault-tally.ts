/** How often each fault was met, which shows what a run has exercised. */
import type { Fault, FaultVerb } from './fault.js';
import { FAULT_VERBS } from './read-fault.js';

/** Faults of one kind. */
export interface FaultCount {
  readonly injected: number;
  /** Those of them that changed something: a message lost or late, a request refused, a crash, a list that was old. */
  readonly tookEffect: number;
  /** How many times they did, all together. */
  readonly effects: number;
}

/** The verb of a fault. */
export function verbOf(fault: Fault): FaultVerb {
  return FAULT_VERBS.find((verb) => verb in fault) as FaultVerb;
}

/** See the file header. */
export class FaultTally {
  readonly #counts = new Map<FaultVerb, { injected: number; tookEffect: number; effects: number }>();
  readonly #crashes = new Map<string, number>();

  /** By verb, in order of their first use. */
  get counts(): ReadonlyMap<FaultVerb, FaultCount> {
    return this.#counts;
  }

  /** Ends of processes by the controller, the component or `kubelet`, in order of the first. */
  get crashes(): ReadonlyMap<string, number> {
    return this.#crashes;
  }

  /** A fault begins. @returns what is to be told each time that it takes effect */
  add(fault: Fault): () => void {
    const verb = verbOf(fault);
    let count = this.#counts.get(verb);
    if (count === undefined) this.#counts.set(verb, (count = { injected: 0, tookEffect: 0, effects: 0 }));
    count.injected += 1;
    const counted = count;
    let isEffective = false;
    return () => {
      counted.effects += 1;
      if (!isEffective) counted.tookEffect += 1;
      isEffective = true;
    };
  }

  /** A process has ended by a fault. */
  crashed(name: string): void {
    this.#crashes.set(name, (this.#crashes.get(name) ?? 0) + 1);
  }
}
