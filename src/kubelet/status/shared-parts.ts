/**
 * Parts of pod statuses that many pods of a cluster have in common, kept once: conditions of pods that
 * start in the same second, and the statuses of containers of one template that have not run yet.
 */
import type { Container, ContainerStatus } from '../../api/objects/objects.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import { ConditionMerger } from './condition-merge.js';
import { waitingStatus } from '../containers/container-status.js';
import { fullReference } from '../images/image-reference.js';
import { imageId } from '../images/image-store.js';

const shared = new WeakMap<Kernel['clock'], SharedParts>();

/** The parts that all nodes of a cluster share. */
export function sharedPartsOf({ clock }: Pick<Kernel, 'clock'>): SharedParts {
  let parts = shared.get(clock);
  if (parts === undefined) {
    parts = new SharedParts();
    shared.set(clock, parts);
  }
  return parts;
}

/** See the file header. */
export class SharedParts {
  readonly conditions = new ConditionMerger();
  readonly #waiting = new WeakMap<readonly Container[], Map<string, ContainerStatus[]>>();
  readonly #images = new Map<string, ImageNames>();

  /** Statuses of containers of which none has run, in the order of the spec. */
  waitingStatuses(containers: readonly Container[], reason: string): ContainerStatus[] {
    let byReason = this.#waiting.get(containers);
    if (byReason === undefined) {
      byReason = new Map();
      this.#waiting.set(containers, byReason);
    }
    let statuses = byReason.get(reason);
    if (statuses === undefined) {
      statuses = containers.map((container) => waitingStatus(container, reason));
      byReason.set(reason, statuses);
    }
    return statuses;
  }

  /** How a runtime names an image. */
  image(image: string): ImageNames {
    let names = this.#images.get(image);
    if (names === undefined) {
      names = { name: fullReference(image), id: imageId(image) };
      this.#images.set(image, names);
    }
    return names;
  }
}

/** An image as container statuses show it. */
interface ImageNames {
  readonly name: string;
  readonly id: string;
}
