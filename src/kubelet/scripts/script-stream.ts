import type { Container, Pod } from '../../api/objects/objects.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { RandomStream } from '../../kernel/random.js';

/**
 * The random stream of one container for one purpose, named after its pod and itself: what a script draws depends
 * neither on the node nor on who shares it. It is opened at the first draw, so a container whose script
 * draws nothing has none.
 *
 * @param purpose - such as `run/3` or `readiness/0`: whoever draws ahead of time, or once per run, takes a
 * purpose of its own, so that its draws shift nobody else's
 */
export function scriptStream(
  kernel: Pick<Kernel, 'random'>,
  { metadata: { namespace = '', name } }: Pod,
  container: Pick<Container, 'name'>,
  purpose: string,
): RandomStream {
  return new LazyStream(() => kernel.random(`script/${namespace}/${name}/${container.name}/${purpose}`));
}

class LazyStream implements RandomStream {
  readonly #open: () => RandomStream;
  #stream: RandomStream | undefined;

  constructor(open: () => RandomStream) {
    this.#open = open;
  }

  int(min: number, max: number): number {
    return this.#opened().int(min, max);
  }

  unit(): number {
    return this.#opened().unit();
  }

  bits(): number {
    return this.#opened().bits();
  }

  #opened(): RandomStream {
    this.#stream ??= this.#open();
    return this.#stream;
  }
}
