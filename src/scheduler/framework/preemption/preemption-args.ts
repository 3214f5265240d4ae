import { invalid } from '../../../api/errors/field-errors.js';
import type { FieldError } from '../../../api/objects/resource-kind.js';

/** How many nodes are tried. Upstream: `DefaultPreemptionArgs` of kubescheduler.config.k8s.io/v1. */
export interface PreemptionArgs {
  /** Share of the nodes on which preemption may help, 0..100. @defaultValue 10 */
  readonly minCandidateNodesPercentage?: number | undefined;
  /** Nodes at least, from 0. @defaultValue 100 */
  readonly minCandidateNodesAbsolute?: number | undefined;
}

/** {@link PreemptionArgs} with the defaults filled in. */
export type PreemptionLimits = Readonly<Record<keyof PreemptionArgs, number>>;

/** Fills in upstream's defaults. */
export function preemptionLimits(args: PreemptionArgs = {}): PreemptionLimits {
  const { minCandidateNodesPercentage = 10, minCandidateNodesAbsolute = 100 } = args;
  return { minCandidateNodesPercentage, minCandidateNodesAbsolute };
}

/**
 * What is wrong with the arguments, in upstream's words.
 *
 * @param path - where they stand, such as `profiles[0].pluginConfig[0].args`
 */
export function validatePreemptionArgs(args: PreemptionArgs, path: string): FieldError[] {
  const { minCandidateNodesPercentage: percentage, minCandidateNodesAbsolute: absolute } = preemptionLimits(args);
  const percentagePath = `${path}.minCandidateNodesPercentage`;
  const absolutePath = `${path}.minCandidateNodesAbsolute`;
  const errors: FieldError[] = [];
  if (percentage < 0 || percentage > 100)
    errors.push(invalid(percentagePath, percentage, 'not in valid range [0, 100]'));
  if (absolute < 0) errors.push(invalid(absolutePath, absolute, 'not in valid range [0, inf)'));
  if (percentage === 0 && absolute === 0) {
    errors.push(
      invalid(percentagePath, percentage, 'cannot be zero at the same time as minCandidateNodesAbsolute'),
      invalid(absolutePath, absolute, 'cannot be zero at the same time as minCandidateNodesPercentage'),
    );
  }
  return errors;
}

/** How many candidates are enough, of so many nodes on which preemption may help. */
export function candidatesWanted(limits: PreemptionLimits, nodeCount: number): number {
  const share = Math.trunc((nodeCount * limits.minCandidateNodesPercentage) / 100);
  return Math.min(nodeCount, Math.max(share, limits.minCandidateNodesAbsolute));
}
