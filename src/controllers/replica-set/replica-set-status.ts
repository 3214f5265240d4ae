import type { ObjectMeta, ReplicaSet } from '../../api/objects/objects.js';
import type { PromisedClient } from '../../bus/bus-types.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import type { PodTally } from './pod-ledger.js';
import { withReplicaStatus, type ReplicaKindName } from './replica-kind.js';

type Status = ReplicaSet['status'];
type Condition = NonNullable<Status['conditions']>[number];

/** What a sync found out for the status. */
export interface Findings {
  readonly tally: PodTally;
  readonly available: number;
  /** Why pods could not be created or deleted. */
  readonly failure: Error | undefined;
  /** The present as a Kubernetes timestamp. */
  readonly timestamp: string;
}

/** The status that the findings ask for; counts of zero are left out, except `replicas`. */
export function statusOf({ metadata, spec, status }: ReplicaSet, findings: Findings): Status {
  const { tally, available } = findings;
  const conditions = conditionsOf(status.conditions ?? [], tally.active - (spec.replicas ?? 1), findings);
  return {
    replicas: tally.active,
    ...(tally.labelled === 0 ? {} : { fullyLabeledReplicas: tally.labelled }),
    ...(tally.ready === 0 ? {} : { readyReplicas: tally.ready }),
    ...(available === 0 ? {} : { availableReplicas: available }),
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/** The first failure is told, and stays until a sync goes well. */
function conditionsOf(conditions: Condition[], difference: number, { failure, timestamp }: Findings): Condition[] {
  const isTold = conditions.some(({ type }) => type === 'ReplicaFailure');
  if (failure === undefined) return isTold ? conditions.filter(({ type }) => type !== 'ReplicaFailure') : conditions;
  if (isTold) return conditions;
  const reason = difference < 0 ? 'FailedCreate' : 'FailedDelete';
  return [
    ...conditions,
    { type: 'ReplicaFailure', status: 'True', lastTransitionTime: timestamp, reason, message: failure.message },
  ];
}

/**
 * Writes a status if it differs; a refusal is answered by one more attempt on the fresh object.
 *
 * @throws the refusal of the second attempt
 */
export async function writeStatus(
  api: PromisedClient,
  kind: ReplicaKindName,
  { metadata, status: before }: ReplicaSet,
  status: Status,
): Promise<void> {
  if (isSameJson(before, status)) return;
  try {
    await putStatus(api, kind, metadata, status);
  } catch {
    await putStatus(api, kind, (await api.get(kind, metadata)).metadata, status);
  }
}

async function putStatus(
  api: PromisedClient,
  kind: ReplicaKindName,
  metadata: ObjectMeta,
  status: Status,
): Promise<void> {
  const { uid, resourceVersion } = metadata;
  await api.change(kind, metadata, withReplicaStatus(status), {
    subresource: 'status',
    preconditions: { uid, resourceVersion },
  });
}
