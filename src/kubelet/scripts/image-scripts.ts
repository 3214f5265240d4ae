/** Scripts by image: a pattern is registered with what containers of such images do. */
import type { Container, Pod } from '../../api/objects/objects.js';
import type { RandomStream } from '../../kernel/random.js';
import { fullReference } from '../images/image-store.js';
import { ScriptError } from './script-error.js';
import { readScript } from './script-fields.js';
import type { ScriptInput } from './script-input.js';
import { NO_SCRIPT, type ScriptLayer } from './script-layer.js';

/**
 * Says what a container does; asked when its pod arrives at a node, and again whenever that node's kubelet
 * begins anew, with the same stream from its beginning: equal draws must give equal scripts.
 *
 * @param random - a stream of this container alone, in which it differs from other pods
 */
export type ImageBehaviour = (pod: Pod, container: Container, random: RandomStream) => ScriptInput | undefined;

interface Registration {
  readonly pattern: string;
  readonly matches: (image: string) => boolean;
  readonly behaviour: ScriptLayer | ImageBehaviour;
}

/** See the file header. */
export class ImageScripts {
  /** In the order in which they were registered. */
  readonly #registrations = new Set<Registration>();
  /** The last one first; made when it is asked for. */
  #lastFirst: readonly Registration[] | undefined;
  /** The registration of each image that was asked for; forgotten whenever registrations change. */
  readonly #chosen = new Map<string, Registration | undefined>();

  /**
   * @param pattern - an image's name, or a glob in which `*` stands for any text and `?` for one character
   * @returns what takes the registration back
   * @throws ScriptError
   */
  register(pattern: string, behaviour: ScriptInput | ImageBehaviour): () => void {
    if (typeof pattern !== 'string' || pattern.trim() === '') {
      throw new ScriptError(
        { path: 'pattern', keys: [] },
        'an image such as nginx:1.27, or a glob such as registry.example/*',
        pattern,
      );
    }
    const registration: Registration = {
      pattern,
      matches: imageTest(pattern),
      behaviour: typeof behaviour === 'function' ? behaviour : readScript(behaviour, { path: 'behaviour', keys: [] }),
    };
    this.#registrations.add(registration);
    this.#forgetChoices();
    return () => {
      this.#registrations.delete(registration);
      this.#forgetChoices();
    };
  }

  /**
   * What is said of a container by its image; of several patterns the last registered counts.
   *
   * @param random - the container's own stream
   */
  layerOf(pod: Pod, container: Container, random: () => RandomStream): ScriptLayer {
    const registration = this.#registrations.size === 0 ? undefined : this.#registrationOf(container.image ?? '');
    if (registration === undefined) return NO_SCRIPT;
    const { pattern, behaviour } = registration;
    if (typeof behaviour !== 'function') return behaviour;
    const { namespace = '', name } = pod.metadata;
    const path = `registerImage(${JSON.stringify(pattern)}) for container ${container.name} of pod ${namespace}/${name}: script`;
    const said = behaviour(pod, container, random());
    return said === undefined ? NO_SCRIPT : readScript(said, { path, keys: [] });
  }

  #registrationOf(image: string): Registration | undefined {
    if (!this.#chosen.has(image)) {
      this.#lastFirst ??= [...this.#registrations].reverse();
      this.#chosen.set(
        image,
        this.#lastFirst.find((registration) => registration.matches(image)),
      );
    }
    return this.#chosen.get(image);
  }

  #forgetChoices(): void {
    this.#lastFirst = undefined;
    this.#chosen.clear();
  }
}

/** An image is known as it is written and by its full reference: `nginx` is `docker.io/library/nginx:latest`, too. */
function imageTest(pattern: string): (image: string) => boolean {
  if (!/[*?]/.test(pattern)) {
    const reference = fullReference(pattern);
    return (image) => fullReference(image) === reference;
  }
  const expression = new RegExp(`^${globSource(pattern)}$`);
  return (image) => expression.test(image) || expression.test(fullReference(image));
}

function globSource(pattern: string): string {
  return pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\*+/g, '[^]*')
    .replaceAll('?', '[^]');
}
