/** Measurements that wait until so many objects are as they should be (wait_for_pods.go and the files beside it). */
import { isPodReady } from '../../../api/objects/conditions.js';
import type { Kind, KindMap, Pod } from '../../../api/objects/objects.js';
import type { LoadFields } from '../../input/load-fields.js';
import { printed } from '../../../workload/input-error.js';
import { done, type Measurement, type MeasurementMeans, type Outcome } from './measurement.js';
import { selectionOf } from './object-selection.js';
import { synced } from './synced.js';

const SHORT_TIMEOUT_MS = 60_000;
const SHORT_INTERVAL_MS = 5000;
const LONG_TIMEOUT_MS = 1_800_000;
const LONG_INTERVAL_MS = 30_000;

export function waitForRunningPods(means: MeasurementMeans): Measurement {
  return waiting(means, 'Pod', ({ params, list }) => {
    const wanted = requiredCount(params, 'desiredPodCount');
    return {
      timeoutMs: params.durationMs('timeout', SHORT_TIMEOUT_MS),
      intervalMs: params.durationMs('refreshInterval', SHORT_INTERVAL_MS),
      isFatal: params.flag('isFatal', false),
      isMet: () => arePodsRunning(list(), wanted),
      problem: () => `timeout while waiting for ${wanted} pods to be running - ${list().length} pods are there`,
    };
  });
}

/** Of all pods as many run as are wanted, and every other one has ended. */
function arePodsRunning(pods: readonly Pod[], wanted: number): boolean {
  const live = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const running = live.filter((pod) => pod.status.phase === 'Running' && isPodReady(pod)).length;
  const inactive = live.filter(({ status: { phase } }) => phase === 'Succeeded' || phase === 'Failed').length;
  return running === wanted && pods.length === running + inactive;
}

export function waitForNodes(means: MeasurementMeans): Measurement {
  return waiting(means, 'Node', ({ params, list }) => {
    const [least, most] = [requiredCount(params, 'minDesiredNodeCount'), requiredCount(params, 'maxDesiredNodeCount')];
    const count = (): number => list().filter(takesPods).length;
    return {
      timeoutMs: params.durationMs('timeout', LONG_TIMEOUT_MS),
      intervalMs: params.durationMs('refreshInterval', LONG_INTERVAL_MS),
      isMet: () => least <= count() && count() <= most,
      problem: () =>
        `timeout while waiting for [${least}-${most}] Nodes to be ready - currently there is ${count()} Nodes`,
    };
  });
}

function takesPods({ spec, status }: KindMap['Node']): boolean {
  const isReady = status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
  return (
    isReady && spec.unschedulable !== true && (spec.taints ?? []).every(({ effect }) => effect === 'PreferNoSchedule')
  );
}

export function waitForBoundPVCs(means: MeasurementMeans): Measurement {
  return waiting(means, 'PersistentVolumeClaim', ({ params, list }) => {
    const wanted = requiredCount(params, 'desiredPVCCount');
    const count = (phase: string): number => list().filter(({ status }) => status?.phase === phase).length;
    return {
      timeoutMs: params.durationMs('timeout', SHORT_TIMEOUT_MS),
      intervalMs: SHORT_INTERVAL_MS,
      isMet: () => count('Bound') === wanted && list().length === wanted + count('Pending'),
      problem: () => `timeout while waiting for ${wanted} PVCs to be running - only ${count('Bound')} found bound`,
    };
  });
}

export function waitForAvailablePVs(means: MeasurementMeans): Measurement {
  return waiting(means, 'PersistentVolume', ({ params, list }) => {
    const wanted = requiredCount(params, 'desiredPVCount');
    const provisioner = params.text('provisioner', '');
    const count = (): number =>
      list().filter(({ status, spec }) => {
        return status?.phase === 'Available' && (provisioner === '' || spec.csi?.driver === provisioner);
      }).length;
    return {
      timeoutMs: params.durationMs('timeout', SHORT_TIMEOUT_MS),
      intervalMs: SHORT_INTERVAL_MS,
      isMet: () => count() === wanted,
      problem: () => `timeout while waiting for ${wanted} PVs to be running - only ${count()} found available`,
    };
  });
}

/** Objects of any kind, by their conditions. */
export function waitForGenericObjects(means: MeasurementMeans): Measurement {
  return {
    execute(call) {
      const { params } = call;
      const resource = params.requiredText('objectResource');
      const group = params.text('objectGroup', '');
      const kind = means.player.kinds.resolveResource(group === '' ? resource : `${resource}.${group}`);
      if (kind === undefined)
        throw params.refusal('objectResource', `must be a resource that is simulated, got ${printed(resource)}`);
      return waiting(means, kind, genericGoal(means)).execute(call);
    },
    dispose: () => undefined,
  };
}

function genericGoal({ namespacePrefix }: MeasurementMeans): (scope: Scope<Kind>) => Goal {
  return ({ params, list }) => {
    const isInside = namespaceTest(params, namespacePrefix);
    const [good, bad] = [params.texts('successfulConditions') ?? [], params.texts('failedConditions') ?? []];
    const wanted = requiredCount(params, 'minDesiredObjectCount');
    const most = params.integer('maxFailedObjectCount', 0, 0);
    const count = (): readonly [number, number, number] => {
      const objects = list().filter(({ metadata }) => isInside(metadata.namespace ?? ''));
      const isGood = objects.filter((object) => hasOneOf(object, good)).length;
      return [
        isGood,
        objects.filter((object) => !hasOneOf(object, good) && hasOneOf(object, bad)).length,
        objects.length,
      ];
    };
    return {
      timeoutMs: params.durationMs('timeout', LONG_TIMEOUT_MS),
      intervalMs: params.durationMs('refreshInterval', LONG_INTERVAL_MS),
      isMet: () => {
        const [successful, failed, all] = count();
        return wanted <= (good.length + bad.length === 0 ? all : successful + failed);
      },
      failure: () =>
        count()[1] > most ? `too many failed objects, expected at most ${most}, got ${count()[1]}` : undefined,
      problem: () => {
        const [successful, failed, all] = count();
        return `timeout while waiting for ${wanted} objects to be successful or failed - currently there are: successful=${successful} failed=${failed} count=${all}`;
      },
    };
  };
}

function namespaceTest(params: LoadFields, prefix: string): (namespace: string) => boolean {
  const range = params.fields('namespaceRange');
  if (range === undefined) return (namespace) => namespace === '';
  if (range.flag('allNamespaces', false)) return () => true;
  const [min, max, name] = [range.integer('min', 0, 0), range.integer('max', 0, 0), range.text('prefix', prefix)];
  const names = new Set(Array.from({ length: Math.max(0, max - min + 1) }, (_, index) => `${name}-${min + index}`));
  return (namespace) => names.has(namespace);
}

function hasOneOf(object: KindMap[Kind], conditions: readonly string[]): boolean {
  return conditionsOf(object).some((each) => conditions.includes(each));
}

/** `Type=Status`. */
function conditionsOf(object: KindMap[Kind]): readonly string[] {
  const { status } = object as {
    readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
  };
  return status?.conditions?.map((condition) => `${condition.type}=${condition.status}`) ?? [];
}

interface Scope<K extends Kind> {
  readonly params: LoadFields;
  readonly list: () => readonly KindMap[K][];
}

interface Goal {
  readonly timeoutMs: number;
  readonly intervalMs: number;
  readonly isFatal?: boolean;
  readonly isMet: () => boolean;
  /** What is wrong although the goal is met. */
  readonly failure?: () => string | undefined;
  readonly problem: () => string;
}

/** Looks at the objects of a selection at each interval, the first one included, until the goal is met. */
function waiting<K extends Kind>(
  { player }: MeasurementMeans,
  kind: K,
  goalOf: (scope: Scope<K>) => Goal,
): Measurement {
  return {
    async execute({ params }): Promise<Outcome> {
      const informer = player.connection.select(kind, selectionOf(params));
      try {
        const goal = goalOf({ params, list: () => [...informer.list()] });
        await synced(player, informer);
        await player.sleep(Math.min(goal.intervalMs, goal.timeoutMs));
        const isMet = await player.poll(goal.isMet, goal.intervalMs, Math.max(0, goal.timeoutMs - goal.intervalMs));
        const error = isMet ? goal.failure?.() : goal.problem();
        if (error === undefined) return done();
        return { error, ...(goal.isFatal === undefined ? {} : { isFatal: goal.isFatal }) };
      } finally {
        player.connection.release(informer);
      }
    },
    dispose: () => undefined,
  };
}

function requiredCount(params: LoadFields, field: string): number {
  if (!params.has(field)) throw params.refusal(field, 'is missing, must be an integer >= 0');
  return params.integer(field, 0, 0);
}
