import { parseDurationMs } from '../kernel/distribution.js';
import type { RuntimeTrouble } from './fault-seams.js';

/** The error of an operation that gets no answer. */
const DEADLINE_EXCEEDED = 'rpc error: code = DeadlineExceeded desc = context deadline exceeded';

interface Trouble {
  readonly trouble: RuntimeTrouble;
  readonly met: () => void;
}

/** Which operation of a node's, or of a pool's of that name, fails, or takes that much longer. */
interface FailingOperation<Operation> {
  readonly node: string;
  readonly operation: Operation;
  readonly error?: string;
  readonly by?: number | string;
}

/** Says what is wrong with an operation of a node's; `undefined` = nothing any more. */
type SetTrouble<Operation> = (
  node: string,
  operation: Operation,
  trouble: RuntimeTrouble | undefined,
  onMet: () => void,
) => void;

/** What is wrong with container runtimes, or with storage: of several faults of one operation the last one counts. */
export class OperationTroubles<Operation extends string> {
  readonly #set: SetTrouble<Operation>;
  /** By node and operation, in order of the faults' beginning. */
  readonly #troubles = new Map<string, readonly Trouble[]>();

  constructor(set: SetTrouble<Operation>) {
    this.#set = set;
  }

  /** @param met - told each time that something fails, or is slow, because of it. @returns what ends it */
  add({ node, operation, error, by }: FailingOperation<Operation>, met: () => void): () => void {
    const key = `${node}/${operation}`;
    const trouble = { trouble: troubleOf(error, by), met };
    const set = (troubles: readonly Trouble[]): void => {
      this.#troubles.set(key, troubles);
      const last = troubles.at(-1);
      this.#set(node, operation, last?.trouble, () => last?.met());
    };
    set([...(this.#troubles.get(key) ?? []), trouble]);
    return () => set((this.#troubles.get(key) ?? []).filter((other) => other !== trouble));
  }
}

function troubleOf(error: string | undefined, by: number | string | undefined): RuntimeTrouble {
  if (by === undefined) return { error: error ?? DEADLINE_EXCEEDED };
  return { delayMs: Math.round(typeof by === 'number' ? by : (parseDurationMs(by) ?? 0)) };
}
