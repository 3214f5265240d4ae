/** Waits of kube-burner until the objects of a run are ready (pkg/burner/waiters.go), asked for once a second. */
import type { Kind, KindMap } from '../../api/objects/objects.js';
import type { Selection } from '../../apiserver/store/server-types.js';
import type { BurnerContext, JobRequests } from './burner-context.js';
import { LABEL } from './burner-context.js';
import { selectorOf, type JobObject } from './burner-objects.js';
import { parseStatusPath } from './status-path.js';

const INTERVAL_MS = 1000;

/** Whether one object is ready, by its kind; those of other kinds are not waited for. */
const READY: Partial<Record<Kind, (object: Waited) => boolean>> = {
  Deployment: hasReplicas,
  ReplicaSet: hasReplicas,
  ReplicationController: hasReplicas,
  StatefulSet: hasReplicas,
  DaemonSet: ({ status }) =>
    status?.desiredNumberScheduled !== undefined && status.desiredNumberScheduled === status.numberReady,
  Pod: ({ status }) => status?.phase === 'Running' && conditionOf(status, 'Ready') !== 'False',
  Job: ({ status }) => conditionOf(status, 'Complete') === 'True',
  PersistentVolumeClaim: ({ status }) => status?.phase === 'Bound',
};

interface WaitedStatus {
  readonly phase?: string;
  readonly readyReplicas?: number;
  readonly desiredNumberScheduled?: number;
  readonly numberReady?: number;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

interface Waited {
  readonly spec?: { readonly replicas?: number };
  readonly status?: WaitedStatus;
}

/** @param namespace - empty = all of them. @returns what is not ready in time, in words */
export async function waitForObjects(
  requests: JobRequests,
  objects: readonly JobObject[],
  namespace: string,
): Promise<string[]> {
  const errors: string[] = [];
  for (const object of objects) {
    const error = await waitForObject(requests, object, namespace);
    if (error !== undefined) errors.push(error);
  }
  return errors;
}

/** See {@link waitForObjects}. */
export async function waitForObject(
  requests: JobRequests,
  object: JobObject,
  namespace: string,
): Promise<string | undefined> {
  const { context, job } = requests;
  const { wait, waitOptions } = object.settings;
  const isOther = waitOptions.kind !== '';
  if (!wait) return undefined;
  const other = isOther ? context.player.kinds.resolve(waitOptions.apiVersion, waitOptions.kind) : undefined;
  const kinds = isOther ? (other === undefined ? [] : [other]) : [...object.kinds];
  const goals = kinds.flatMap((kind) => {
    const isReady = readinessOf(object, kind);
    return isReady === undefined ? [] : [{ kind, isReady }];
  });
  if (goals.length === 0) return undefined;
  const selection: Selection = {
    ...(namespace === '' || isOther ? {} : { namespace }),
    labelSelector: selectorOf({ [LABEL.runid]: context.runid, ...waitOptions.labelSelector }),
  };
  const isMet = async (): Promise<boolean> => {
    for (const { kind, isReady } of goals) {
      await requests.token();
      const found = await listed(context, kind, selection);
      if (!found.every((each) => isReady(each as Waited))) return false;
    }
    return true;
  };
  if (await context.player.poll(isMet, INTERVAL_MS, job.maxWaitTimeoutMs)) return undefined;
  return `timeout occurred while waiting for objects in namespace ${namespace}: context deadline exceeded`;
}

function readinessOf({ settings: { waitOptions } }: JobObject, kind: Kind): ((object: Waited) => boolean) | undefined {
  const paths = waitOptions.customStatusPaths.map(({ key, value }) => ({ read: parseStatusPath(key), value }));
  if (paths.length === 0) return READY[kind];
  return ({ status }) => paths.every(({ read, value }) => read?.(status) === value);
}

function listed<K extends Kind>(
  { player }: BurnerContext,
  kind: K,
  selection: Selection,
): Promise<readonly KindMap[K][]> {
  return player.requests.list(kind, selection);
}

function hasReplicas({ spec, status }: Waited): boolean {
  return (spec?.replicas ?? 1) === (status?.readyReplicas ?? 0);
}

function conditionOf(status: WaitedStatus | undefined, type: string): string | undefined {
  return status?.conditions?.find((condition) => condition.type === type)?.status;
}
