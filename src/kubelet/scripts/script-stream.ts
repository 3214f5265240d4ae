import type { Container, Pod } from '../../api/objects/objects.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { RandomStream } from '../../kernel/random.js';

/**
 * The random stream of one container for one purpose, named after its pod and itself: what a script draws depends
 * neither on the node nor on the pods that share it. It is opened at the first draw, so a script without draws
 * opens none.
 *
 * @param purpose - such as `run/3` or `readiness/0`: draws ahead of time, or once per run, take a purpose of
 * their own, so that they shift no others
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
