/** What a container's image and command come to: whether it is played, and what starts in it. Pure. */
import type { Container, Pod } from '../../api/objects/objects.js';
import type { ContainerScript } from '../scripts/script-types.js';
import { imageOfKind, isUnplayed, knownImage, type KnownImage } from './known-images.js';

/** A container that is played. */
export interface PlayPlan {
  readonly image: KnownImage;
  /** The command as the pod says it, or its image: variables are still in it. */
  readonly words: readonly string[];
  /** It is what the image starts by itself: such a server is started when something asks it. */
  readonly isDefault: boolean;
}

/** Programs that images have beside BusyBox'. */
const OF_IMAGE: Readonly<Record<KnownImage['kind'], readonly string[]>> = {
  busybox: [],
  agnhost: ['/agnhost', '/agnhost-2', 'agnhost'],
  nginx: ['nginx'],
  httpd: ['httpd', 'httpd-foreground'],
  perl: ['bash'],
  pause: ['/pause'],
  nonewprivs: ['/nnp'],
};

/** @returns `undefined` = it does what its script says, or runs until it is stopped */
export function playPlan(container: Container, script: ContainerScript): PlayPlan | undefined {
  if (script.plays === 'nothing') return undefined;
  const image = script.plays === undefined ? knownImage(container.image ?? '') : imageOfKind(script.plays);
  if (image === undefined) return undefined;
  const { command = [], args = [] } = container;
  const isDefault = command.length === 0 && args.length === 0 && image.startsAtOnce !== true;
  const words =
    command.length > 0 ? [...command, ...args] : [...image.entrypoint, ...(args.length > 0 ? args : image.command)];
  const [first = ''] = words;
  const name = first.slice(first.lastIndexOf('/') + 1);
  if (isUnplayed(name) && !OF_IMAGE[image.kind].includes(name)) return undefined;
  return { image, words, isDefault };
}

/**
 * Whether containers see other processes than their own, so that none of theirs has PID 1: the kernel spares PID 1
 * the signals for which it has no handler, and these they end.
 */
export function sharesProcesses({ spec }: Pod): boolean {
  return spec.shareProcessNamespace === true || spec.hostPID === true;
}
