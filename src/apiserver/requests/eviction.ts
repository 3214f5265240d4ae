/**
 * The eviction subresource of pods: a deletion that a PodDisruptionBudget may refuse. It reads what the
 * disruption controller has written into the budgets and takes one disruption out of it; it counts
 * nothing itself. Mirrors pkg/registry/core/pod/storage/eviction.go (v1.34).
 *
 * Requests here are applied one after the other, so that the conflicts which upstream retries for ten
 * seconds between reading and writing a budget cannot come about.
 */
import { ApiError } from '../../api/errors/api-error.js';
import { isPodReady, isPodTerminal, setCondition, setPodCondition } from '../../api/objects/conditions.js';
import { compileLabelSelector } from '../../api/selectors/labels.js';
import type { meta, ObjectName, Pod, PodCondition } from '../../api/objects/objects.js';
import type { PodDisruptionBudget } from '../../api/objects/workload-objects.js';
import { forbidden, type ResourceNames } from '../store/api-errors.js';
import { checkDryRun } from './preconditions.js';
import type { ApiServer, DeleteOptions, Eviction } from '../store/server-types.js';

/** Upstream names the resource in the singular here. */
const BUDGETS: ResourceNames = { kind: 'PodDisruptionBudget', group: 'policy', plural: 'poddisruptionbudget' };
/** Upstream's MaxDisruptedPodSize. */
const MOST_DISRUPTED_PODS = 2000;
const RETRY_AFTER_SECONDS = 10;
const REFUSED = "Cannot evict pod as it would violate the pod's disruption budget.";
const DISRUPTION_TARGET = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
} as const;

/** What an eviction may ask of the server. */
type Requests = Pick<ApiServer, 'get' | 'list' | 'change' | 'delete'>;

/**
 * Evicts one pod, in as many writes as upstream makes: the budget's status, the pod's condition, the
 * DELETE. With `dryRun`, here or in the delete options, everything is checked and nothing written.
 *
 * @param now - the present as a timestamp
 * @throws ApiError 404 without the pod; 409 if a precondition fails; 429 if its budget says no; 422 for a dry run of another kind than `All`; 500 if
 * it has several budgets; 403 if too many evictions of its pods are unconfirmed
 */
export function evict(server: Requests, eviction: Eviction, now: string): void {
  const { metadata, deleteOptions: { dryRun: wish = [], ...deleteOptions } = {} } = eviction;
  checkDryRun(wish);
  const dryRun = eviction.dryRun === true || wish.length > 0;
  const pod = server.get('Pod', metadata);
  const plan = planEviction(server, pod);
  if (plan.budget !== undefined) takeDisruption(server, plan.budget, pod, now, dryRun);
  if (dryRun) return;
  const { resourceVersion } = deleteOptions.preconditions ?? {};
  const pinned = plan.isPinned && resourceVersion === undefined ? pod.metadata.resourceVersion : resourceVersion;
  markAndDelete(server, pod.metadata, withVersion(deleteOptions, pinned), now);
}

interface Plan {
  /** The budget that must grant a disruption; absent when none has to be asked. */
  readonly budget: PodDisruptionBudget | undefined;
  /** Whether the deletion holds only for the pod as it was looked at. */
  readonly isPinned: boolean;
}

function planEviction(server: Requests, pod: Pod): Plan {
  if (isBeyondBudgets(pod)) return { budget: undefined, isPinned: pod.status.phase === 'Pending' };
  const [budget, ...others] = budgetsOf(server, pod);
  if (others.length > 0) {
    const text = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new ApiError(500, undefined, text);
  }
  if (budget !== undefined && !isPodReady(pod) && mayGoUnready(budget)) return { budget: undefined, isPinned: true };
  return { budget, isPinned: false };
}

/** Pods that have ended, have not begun or are on their way out disrupt nothing when they go. */
function isBeyondBudgets(pod: Pod): boolean {
  return isPodTerminal(pod) || pod.status.phase === 'Pending' || pod.metadata.deletionTimestamp !== undefined;
}

function budgetsOf(server: Requests, { metadata: { namespace, labels } }: Pod): PodDisruptionBudget[] {
  const { items } = server.list('PodDisruptionBudget', { namespace });
  return items.filter(({ spec }) => compileLabelSelector(spec.selector).matches(labels));
}

/** Whether unready pods go without a grant: always, or as long as enough others are healthy. */
function mayGoUnready({ spec, status }: PodDisruptionBudget): boolean {
  if (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy, desiredHealthy } = status;
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

function takeDisruption(server: Requests, budget: PodDisruptionBudget, pod: Pod, now: string, dryRun: boolean): void {
  refuseUnlessAllowed(budget);
  if (dryRun) return;
  server.change('PodDisruptionBudget', budget.metadata, (current) => withDisruption(current, pod, now), {
    subresource: 'status',
  });
}

function refuseUnlessAllowed({ metadata: { name, generation = 0 }, status }: PodDisruptionBudget): void {
  const { observedGeneration = 0, disruptionsAllowed, disruptedPods = {} } = status;
  if (observedGeneration < generation) {
    throw refusal(`The disruption budget ${name} is still being processed by the server.`, RETRY_AFTER_SECONDS);
  }
  if (Object.keys(disruptedPods).length > MOST_DISRUPTED_PODS) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw forbidden(BUDGETS, name, why);
  }
  if (disruptionsAllowed > 0) return;
  const { desiredHealthy, currentHealthy } = status;
  throw refusal(
    `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
  );
}

function refusal(message: string, retryAfterSeconds?: number): ApiError {
  const causes = [{ reason: 'DisruptionBudget', message }];
  const details = retryAfterSeconds === undefined ? { causes } : { causes, retryAfterSeconds };
  return new ApiError(429, 'TooManyRequests', REFUSED, details);
}

/** One disruption less, in the name of that pod until its deletion is seen. */
function withDisruption(budget: PodDisruptionBudget, { metadata: { name } }: Pod, now: string): PodDisruptionBudget {
  const { status } = budget;
  const disruptionsAllowed = status.disruptionsAllowed - 1;
  const conditions = disruptionsAllowed === 0 ? withInsufficientPods(status, now) : status.conditions;
  return {
    ...budget,
    status: {
      ...status,
      disruptionsAllowed,
      disruptedPods: { ...status.disruptedPods, [name]: now },
      ...(conditions === undefined ? {} : { conditions }),
    },
  };
}

function withInsufficientPods({ conditions, observedGeneration }: PodDisruptionBudget['status'], now: string) {
  const condition: meta.Condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime: now,
    reason: 'InsufficientPods',
    message: '',
  };
  return [...setCondition(conditions, condition)];
}

/** The pod says why it goes before it is asked to. A deletion that is pinned to a version follows the mark. */
function markAndDelete(server: Requests, name: ObjectName, options: DeleteOptions, now: string): void {
  const { preconditions } = options;
  const marked = server.change('Pod', name, (pod) => withDisruptionTarget(pod, now), {
    subresource: 'status',
    preconditions,
  });
  const { resourceVersion } = preconditions ?? {};
  server.delete(
    'Pod',
    name,
    resourceVersion === undefined ? options : withVersion(options, marked.metadata.resourceVersion),
  );
}

/** Unlike all other writers of this condition, the server does not say which generation it has seen. */
function withDisruptionTarget(pod: Pod, now: string): Pod {
  const condition: PodCondition = { ...DISRUPTION_TARGET, lastProbeTime: null, lastTransitionTime: now };
  return { ...pod, status: { ...pod.status, conditions: setPodCondition(pod.status.conditions, condition) } };
}

function withVersion(options: DeleteOptions, resourceVersion: string | undefined): DeleteOptions {
  return resourceVersion === undefined
    ? options
    : { ...options, preconditions: { ...options.preconditions, resourceVersion } };
}
