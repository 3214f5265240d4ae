/**
 * How a node's taints are written: it is read, and patched if it is still what was read; when others came in between,
 * once more after a while (AddOrUpdateTaintOnNode, RemoveTaintOffNode and UpdateTaintBackoff of pkg/controller, v1.34).
 * So a node that comes ready at once, and that others write to as well, is free 100 to 200 ms later.
 */
import type { Node } from '../../api/objects/objects.js';
import { isApiError } from '../../api/errors/api-error.js';
import type { RandomStream } from '../../kernel/random.js';
import type { ControllerContext } from '../runtime/controller-definition.js';

const MOST_ATTEMPTS = 5;
/** Each wait is as long as this, and up to once more. */
const RETRY_MS = 100;

/** See the file header. */
export class TaintWrites {
  readonly #context: ControllerContext;
  readonly #random: RandomStream;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#random = context.kernel.random('node-lifecycle-controller/taints');
  }

  /** @param change - gives back the argument itself where nothing is to be written @throws ApiError, LinkDownError */
  async change(name: string, change: (node: Node) => Node): Promise<void> {
    const { api } = this.#context;
    for (let attempt = 1; ; attempt += 1) {
      const read = await api.get('Node', { name });
      if (change(read) === read) return;
      try {
        const { resourceVersion } = read.metadata;
        await api.change('Node', { name }, change, { preconditions: { resourceVersion } });
        return;
      } catch (error) {
        if (!isApiError(error, 'Conflict') || attempt >= MOST_ATTEMPTS) throw error;
        await this.#wait(this.#random.int(RETRY_MS, 2 * RETRY_MS));
      }
    }
  }

  async #wait(ms: number): Promise<void> {
    const { clock } = this.#context.kernel;
    await new Promise<void>((resolve) => {
      clock.schedule(ms, () => {
        clock.settle();
        resolve();
      });
    });
  }
}
