/** What services promise: their slices show which pods serve. */
import { isPodReady, isPodTerminal } from '../../api/objects/conditions.js';
import { matchesLabels } from '../../api/selectors/labels.js';
import {
  keyOf,
  type EndpointSlice,
  type Kind,
  type KindMap,
  type Pod,
  type Service,
} from '../../api/objects/objects.js';
import { areCalm, isOfManager } from './calm.js';
import type { Finding, Invariant, World } from './invariant.js';
import { serves } from '../registers/pod-register.js';

/** What can be read of a cluster. */
interface Reader {
  list<K extends Kind>(kind: K, within?: { readonly namespace: string }): readonly KindMap[K][];
}

const CONTROLLER = 'endpointslice-controller';
const SERVICE_LABEL = 'kubernetes.io/service-name';
/** Writes are limited, and what has failed is tried again after 1, 2 and 4 s. */
const FOLLOWED_MS = 30_000;
/** The longest back-off of the controller. */
const BACK_OFF_MS = 1_000_000;
/** Three pods that change while the cache is behind. */
const PUT_OFF_TIMES = 8;
/** More pods, more writes: 20 a second at least. */
const POD_MS = 50;

/**
 * Looked at with each change of a pod or a slice: of pods that have been as they are for half a minute, while nothing
 * was in the controller's way.
 */
const slicesFollow: Invariant = {
  name: 'slices-follow',
  promise: 'the slices of a service show within seconds which of its pods are ready',
  onWrite: {
    Pod: ({ object }, world) => judgeNamespace(object.metadata.namespace, world),
    EndpointSlice: ({ object }, world) => judgeNamespace(object.metadata.namespace, world),
  },
  *atRest(world) {
    for (const service of world.list('Service')) {
      const finding = judge(service, world);
      if (finding !== undefined) yield finding;
      if (!isFollowed(service, world)) continue;
      for (const name of goneEndpoints(service, world))
        yield { object: `Service ${keyOf(service)}`, text: `pod ${name} is gone, and still in its slice` };
    }
  },
};

/** Expectations, as those of replicas: what a controller has written itself, it knows, whatever its cache shows. */
const oneSliceAnEndpoint: Invariant = {
  name: 'one-slice-an-endpoint',
  promise: 'a controller makes no slice for endpoints that are in another one which it has written',
  onWrite: {
    EndpointSlice: ({ type, object, by }, world) => {
      const workingMs = world.workingSinceMs(CONTROLLER);
      const steadyMs = world.steadySinceMs(by);
      if (type !== 'ADDED' || !isOfManager(by) || workingMs === undefined || steadyMs === undefined) return undefined;
      const { namespace, labels, uid } = object.metadata;
      const uids = new Set(object.endpoints.flatMap(({ targetRef }) => targetRef?.uid ?? []));
      for (const other of world.list('EndpointSlice', { namespace })) {
        const { metadata, addressType, ports, endpoints } = other;
        if (metadata.uid === uid || metadata.labels?.[SERVICE_LABEL] !== labels?.[SERVICE_LABEL]) continue;
        if (addressType !== object.addressType || JSON.stringify(ports) !== JSON.stringify(object.ports)) continue;
        const written = world.written(metadata.uid);
        if (written?.by !== by || written.atMs < Math.max(workingMs, steadyMs)) continue;
        const twice = endpoints.find(({ targetRef }) => uids.has(targetRef?.uid ?? ''))?.targetRef?.name;
        if (twice === undefined) continue;
        const text = `is made for ${twice}, which ${metadata.name} has, and ${by} has written that`;
        return { object: `EndpointSlice ${keyOf(object)}`, text };
      }
      return undefined;
    },
  },
};

/** Every invariant of endpoints. */
export const ENDPOINT_INVARIANTS: readonly Invariant[] = [slicesFollow, oneSliceAnEndpoint];

function judgeNamespace(namespace: string | undefined, world: World): Finding | undefined {
  for (const service of world.list('Service', { namespace })) {
    const finding = judge(service, world);
    if (finding !== undefined) return finding;
  }
  return undefined;
}

/** What is missing of the slices of all services, however long; empty when they show what there is. */
export function missingEndpoints(reader: Reader): readonly string[] {
  return reader.list('Service').flatMap((service) => {
    const texts = [...mismatches(service, reader)].map(({ pod, text }) => `pod ${pod.metadata.name} ${text}`);
    const gone = goneEndpoints(service, reader).map((name) => `pod ${name} is gone, and its slice has shown it`);
    return [...texts, ...gone].map((text) => `Service ${keyOf(service)}: ${text}`);
  });
}

function judge(service: Service, world: World): Finding | undefined {
  if (!isFollowed(service, world)) return undefined;
  const withinMs = withinMsOf(service, world);
  for (const { pod, text } of mismatches(service, world)) {
    const { uid, name } = pod.metadata;
    const node = world.node(pod.spec.nodeName ?? '');
    const changedMs = Math.max(world.pod(uid)?.changedMs ?? 0, node?.changedMs ?? 0);
    // While its node was missing each sync of the service failed, and a node that comes back wakes nothing.
    const isPutOff =
      node !== undefined && node.deletionsMs.length > 0 && world.nowMs - (node.addedMs ?? 0) < BACK_OFF_MS;
    if (isPutOff || world.nowMs - changedMs < withinMs) continue;
    const seconds = Math.round((world.nowMs - changedMs) / 1000);
    return { object: `Service ${keyOf(service)}`, text: `pod ${name} ${text} for ${seconds} s` };
  }
  return undefined;
}

/**
 * Whether its slices have had time: after a sync that found its cache out of date (StaleSlices, v1.34
 * pkg/controller/endpointslice) the service is looked at again no sooner than its back-off is over, whatever the cache
 * shows by then. That is as long as the disturbance was, and twice as long for each pod that changed meanwhile.
 */
function isFollowed(service: Service, world: World): boolean {
  const withinMs = withinMsOf(service, world);
  const writtenMs = world.serviceWrittenMs(keyOf(service)) ?? 0;
  const putOffMs = Math.min(BACK_OFF_MS, PUT_OFF_TIMES * world.disturbedMs(CONTROLLER));
  return world.nowMs - writtenMs >= withinMs && areCalm(world, [CONTROLLER], withinMs + putOffMs);
}

function withinMsOf({ metadata: { namespace } }: Service, world: World): number {
  return FOLLOWED_MS + world.list('Pod', { namespace }).length * POD_MS;
}

/** Pods of a service that are ready and not shown so, or shown and not ready. */
function* mismatches(service: Service, reader: Reader): Generator<{ readonly pod: Pod; readonly text: string }> {
  const { selector = {}, type, publishNotReadyAddresses } = service.spec;
  if (Object.keys(selector).length === 0 || type === 'ExternalName' || publishNotReadyAddresses === true) return;
  const shown = new Set<string>();
  for (const { conditions, targetRef } of endpointsOf(service, reader)) {
    if (conditions?.ready === true && targetRef?.uid !== undefined) shown.add(targetRef.uid);
  }
  for (const pod of reader.list('Pod', withinNamespaceOf(service))) {
    if (!matchesLabels(selector, pod.metadata.labels)) continue;
    const text = mismatch(pod, shown.has(pod.metadata.uid), reader);
    if (text !== undefined) yield { pod, text };
  }
}

function mismatch(pod: Pod, isShown: boolean, reader: Reader): string | undefined {
  const isReady = serves(pod) && pod.status.podIP !== undefined;
  if (isReady === isShown) return undefined;
  // Pods of a node that is not there are in no slice.
  if (isReady && !reader.list('Node').some(({ metadata }) => metadata.name === pod.spec.nodeName)) return undefined;
  return isReady
    ? 'has been ready, and its slice has not shown it'
    : `has been ${stateOf(pod)}, and its slice has shown it as ready`;
}

/** Names of pods that are gone, and in a slice of the service. */
function goneEndpoints(service: Service, reader: Reader): readonly string[] {
  const uids = new Set(reader.list('Pod', withinNamespaceOf(service)).map(({ metadata }) => metadata.uid));
  return endpointsOf(service, reader).flatMap(({ targetRef }) =>
    targetRef?.uid === undefined || uids.has(targetRef.uid) ? [] : [targetRef.name ?? ''],
  );
}

function stateOf(pod: Pod): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'on its way out';
  return isPodTerminal(pod) || isPodReady(pod) ? pod.status.phase : 'unready';
}

function endpointsOf(service: Service, reader: Reader): EndpointSlice['endpoints'] {
  const slices = reader.list('EndpointSlice', withinNamespaceOf(service));
  return slices
    .filter(({ metadata }) => metadata.labels?.[SERVICE_LABEL] === service.metadata.name)
    .flatMap(({ endpoints }) => endpoints);
}

function withinNamespaceOf({ metadata: { namespace = '' } }: Service): { readonly namespace: string } {
  return { namespace };
}
