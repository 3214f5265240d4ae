/** How long a node's container runtime takes where a pod's script is silent. */
import { printedValue } from '../../kernel/printed-value.js';
import { isDistribution, type Distribution } from '../../kernel/distribution.js';

/** Durations of all nodes of a cluster, drawn anew for each use from the node's own stream. */
export interface RuntimeProfile {
  /** Pull of an image that is not on the node yet. @defaultValue lognormal, median 2 s, sigma 0.5 */
  readonly imagePull: Distribution;
  /** Pull of an image that is on the node, under pull policy Always: a look at its registry. @defaultValue uniform 200..800 ms */
  readonly imageCheck: Distribution;
  /** Creation of a pod's sandbox with its network. @defaultValue uniform 200..600 ms */
  readonly sandbox: Distribution;
  /** Creation and start of one container. @defaultValue uniform 50..200 ms */
  readonly containerStart: Distribution;
  /** Run time of an init container without a script; it then exits 0. @defaultValue 1 s */
  readonly initRunFor: Distribution;
  /** Run time of an app container of a Job's pod where its script has no runs; it then exits 0. @defaultValue 10 s */
  readonly jobRunFor: Distribution;
  /** Mount of a volume that is there, from the first step on its machine to the last. @defaultValue uniform 200..600 ms */
  readonly volumeMount: Distribution;
  /** Unmount of a pod's volumes. @defaultValue uniform 100..400 ms */
  readonly volumeUnmount: Distribution;
  /** Growth of the file system on a volume that has grown. @defaultValue uniform 100..1000 ms */
  readonly volumeExpand: Distribution;
  /** From SIGTERM to the exit of a container. @defaultValue uniform 100..1000 ms */
  readonly shutdown: Distribution;
}

/** What a profile is filled up with. */
export const DEFAULT_RUNTIME_PROFILE: RuntimeProfile = {
  imagePull: { lognormal: { medianMs: 2000, sigma: 0.5 } },
  imageCheck: { uniform: [200, 800] },
  sandbox: { uniform: [200, 600] },
  containerStart: { uniform: [50, 200] },
  initRunFor: 1000,
  jobRunFor: 10_000,
  volumeMount: { uniform: [200, 600] },
  volumeUnmount: { uniform: [100, 400] },
  volumeExpand: { uniform: [100, 1000] },
  shutdown: { uniform: [100, 1000] },
};

const ALLOWED =
  'milliseconds >= 0, or one of {uniform: [min, max]}, {exponential: {meanMs}}, ' +
  '{lognormal: {medianMs, sigma}}, {choice: [ms, …]}';

/** A runtime profile that cannot be used. */
export class RuntimeProfileError extends Error {
  override readonly name = 'RuntimeProfileError';
}

/**
 * Checks a profile at the door and fills in what it leaves open.
 *
 * @throws RuntimeProfileError that names the field, what it got and what is allowed
 */
export function resolveRuntimeProfile(profile: Partial<RuntimeProfile> = {}): RuntimeProfile {
  if (typeof profile !== 'object' || profile === null || Array.isArray(profile)) {
    throw new RuntimeProfileError(`runtime must be an object, got ${printedValue(profile)}`);
  }
  const known = Object.keys(DEFAULT_RUNTIME_PROFILE);
  for (const [field, value] of Object.entries(profile)) {
    if (!known.includes(field)) {
      throw new RuntimeProfileError(`runtime.${field} is unknown; allowed are ${known.join(', ')}`);
    }
    if (!isDistribution(value)) {
      throw new RuntimeProfileError(`runtime.${field} must be ${ALLOWED}, got ${printedValue(value)}`);
    }
  }
  return { ...DEFAULT_RUNTIME_PROFILE, ...profile };
}
