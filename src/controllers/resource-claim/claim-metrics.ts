/** What kube-controller-manager v1.34 counts of claims (pkg/controller/resourceclaim/metrics). */
import type { ResourceClaim, ResourceClaimSpec } from '../../api/objects/device-objects.js';
import type { Metrics } from '../../metrics/metrics.js';

type Truth = 'true' | 'false';

function isForAdmin({ devices }: ResourceClaimSpec): Truth {
  return devices?.requests?.some(({ exactly }) => exactly?.adminAccess === true) === true ? 'true' : 'false';
}

/** Counts an attempt to make a claim. */
export function countCreation(metrics: Metrics, spec: ResourceClaimSpec, isMade: boolean): void {
  const help = 'Number of ResourceClaims creation requests, categorized by creation status and admin access';
  const counter = metrics.counter('resourceclaim_controller_creates_total', help, ['status', 'admin_access']);
  counter.inc({ status: isMade ? 'success' : 'failure', admin_access: isForAdmin(spec) });
}

/** How many claims there are, from the first on. */
export class ClaimGauge {
  readonly #metrics: Metrics;
  #isFresh = true;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  /** Takes note of a claim that has come, changed or gone. */
  count(before: ResourceClaim | undefined, after: ResourceClaim | undefined): void {
    const help = 'Number of ResourceClaims, categorized by allocation status and admin access';
    const name = 'resourceclaim_controller_resource_claims';
    const gauge = this.#metrics.gauge(name, help, ['allocated', 'admin_access']);
    if (this.#isFresh) gauge.reset();
    this.#isFresh = false;
    if (before !== undefined) gauge.dec(labelsOf(before));
    if (after !== undefined) gauge.inc(labelsOf(after));
  }
}

function labelsOf({ spec, status }: ResourceClaim): { readonly allocated: Truth; readonly admin_access: Truth } {
  return { allocated: status.allocation === undefined ? 'false' : 'true', admin_access: isForAdmin(spec) };
}
