/**
 * Whether a container may use its image: pull policy, presence, and the back-off of pulls that failed,
 * which all containers of a pod with the same image share. Mirrors the kubelet's image manager
 * (pkg/kubelet/images, v1.34).
 */
import type { ContainerRecord } from '../containers/container-record.js';
import type { Waiting } from '../containers/container-status.js';
import { imageNameError } from '../images/image-reference.js';
import type { NodeContext } from '../node/node-context.js';
import { pullBackOffText, quotedImage } from '../events/pod-events.js';
import { nextBackOff, type BackOffEntry } from '../containers/restart-back-off.js';

/** A pull that failed, and when the next may be tried. */
export interface FailedPull extends BackOffEntry {
  /** Reason and message that were shown for it. */
  readonly error: string;
}

/** What a pod's worker remembers of pulls. */
interface PullMemory {
  readonly node: NodeContext;
  failedPulls: Map<string, FailedPull> | undefined;
}

/** What comes before a container is created: nothing, a pull, or no start at all. */
export type ImageVerdict = 'present' | 'pull' | Waiting;

/** See the file header. */
export function judgeImage(memory: PullMemory, record: ContainerRecord): ImageVerdict {
  const { image = '', imagePullPolicy } = record.spec;
  const { images } = memory.node;
  const isPresent = images.has(image);
  if (isPresent && imagePullPolicy !== 'Always') return 'present';
  const nameError = isPresent ? undefined : imageNameError(image);
  if (nameError !== undefined) {
    const quoted = quotedImage(record);
    const message = `Failed to apply default image tag ${quoted}: couldn't parse image name ${quoted}: ${nameError}`;
    return { reason: 'InvalidImageName', message };
  }
  if (imagePullPolicy === 'Never') {
    const message = `Container image ${quotedImage(record)} is not present with pull policy of Never`;
    return { reason: 'ErrImageNeverPull', message };
  }
  const failed = memory.failedPulls?.get(image);
  if (failed === undefined || memory.node.kernel.clock.now() >= failed.updatedMs + failed.delayMs) return 'pull';
  return { reason: 'ImagePullBackOff', message: `${pullBackOffText(record)}: ${failed.error}` };
}

/** A pull has failed now. */
export function rememberFailedPull(memory: PullMemory, image: string, error: string): void {
  memory.failedPulls ??= new Map();
  const entry = nextBackOff(memory.failedPulls.get(image), memory.node.kernel.clock.now());
  memory.failedPulls.set(image, { ...entry, error });
}
