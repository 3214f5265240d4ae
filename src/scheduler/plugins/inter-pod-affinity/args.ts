/** InterPodAffinityArgs: what existing pods' terms count for in the score. Mirrors `apis/config` of kube-scheduler v1.34. */
import { invalid } from '../../../api/errors/field-errors.js';
import type { FieldError } from '../../../api/objects/resource-kind.js';

/** InterPodAffinityArgs. */
export interface InterPodAffinityArgs {
  /**
   * What a required affinity term of an existing pod adds to the score of nodes near it, if the incoming pod
   * matches it; 0..100.
   *
   * @defaultValue 1
   */
  readonly hardPodAffinityWeight?: number | undefined;
  /**
   * Whether a pod without preferred terms of its own gets no score at all, whatever existing pods say.
   *
   * @defaultValue false
   */
  readonly ignorePreferredTermsOfExistingPods?: boolean | undefined;
}

const DEFAULT_HARD_POD_AFFINITY_WEIGHT = 1;
const MAX_HARD_POD_AFFINITY_WEIGHT = 100;

/** The args with their defaults. */
export function completeInterPodAffinityArgs(args: InterPodAffinityArgs = {}): {
  readonly hardPodAffinityWeight: number;
  readonly ignorePreferredTermsOfExistingPods: boolean;
} {
  return {
    hardPodAffinityWeight: args.hardPodAffinityWeight ?? DEFAULT_HARD_POD_AFFINITY_WEIGHT,
    ignorePreferredTermsOfExistingPods: args.ignorePreferredTermsOfExistingPods ?? false,
  };
}

/**
 * Everything that is wrong with the args, in upstream's words (`ValidateInterPodAffinityArgs`).
 *
 * @param path - where the args stand, such as `profiles[0].pluginConfig[2].args`; empty = at the root
 */
export function validateInterPodAffinityArgs(args: InterPodAffinityArgs, path = ''): readonly FieldError[] {
  const { hardPodAffinityWeight: weight } = completeInterPodAffinityArgs(args);
  if (Number.isInteger(weight) && weight >= 0 && weight <= MAX_HARD_POD_AFFINITY_WEIGHT) return [];
  const prefix = path === '' ? '' : `${path}.`;
  const detail = `not in valid range [0, ${MAX_HARD_POD_AFFINITY_WEIGHT}]`;
  return [invalid(`${prefix}hardPodAffinityWeight`, weight, detail)];
}
