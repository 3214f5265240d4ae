/** What services promise: their slices show which pods serve. */
import { isPodReady, isPodTerminal } from '../../api/objects/conditions.js';
import { matchesLabels } from '../../api/selectors/labels.js';
import { keyOf, type EndpointSlice, type Pod, type Service } from '../../api/objects/objects.js';
import { areCalm, isOfManager } from './calm.js';
import type { Finding, Invariant, World } from './invariant.js';
import { serves } from '../registers/pod-register.js';

const CONTROLLER = 'endpointslice-controller';
const SERVICE_LABEL = 'kubernetes.io/service-name';
/** Writes are limited, and what has failed is tried again after 1, 2 and 4 s. */
const FOLLOWED_MS = 30_000;
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
      for (const { targetRef } of endpointsOf(service, world)) {
        if (targetRef?.uid === undefined || world.pod(targetRef.uid) !== undefined) continue;
        yield {
          object: `Service ${keyOf(service)}`,
          text: `pod ${targetRef.name ?? ''} is gone, and still in its slice`,
        };
      }
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

function judge(service: Service, world: World): Finding | undefined {
  const { selector = {}, type, publishNotReadyAddresses } = service.spec;
  if (Object.keys(selector).length === 0 || type === 'ExternalName' || publishNotReadyAddresses === true)
    return undefined;
  const { namespace } = service.metadata;
  const pods = world.list('Pod', { namespace });
  const withinMs = FOLLOWED_MS + pods.length * POD_MS;
  const writtenMs = world.serviceWrittenMs(keyOf(service)) ?? 0;
  if (world.nowMs - writtenMs < withinMs || !areCalm(world, [CONTROLLER], withinMs + world.disturbedMs(CONTROLLER)))
    return undefined;
  const shown = new Set<string>();
  for (const { conditions, targetRef } of endpointsOf(service, world)) {
    if (conditions?.ready === true && targetRef?.uid !== undefined) shown.add(targetRef.uid);
  }
  for (const pod of pods) {
    if (!matchesLabels(selector, pod.metadata.labels)) continue;
    const { uid } = pod.metadata;
    const changedMs = Math.max(world.pod(uid)?.changedMs ?? 0, world.node(pod.spec.nodeName ?? '')?.changedMs ?? 0);
    if (world.nowMs - changedMs < withinMs) continue;
    const text = mismatch(pod, shown.has(uid), world);
    if (text === undefined) continue;
    const seconds = Math.round((world.nowMs - changedMs) / 1000);
    return { object: `Service ${keyOf(service)}`, text: `pod ${pod.metadata.name} ${text} for ${seconds} s` };
  }
  return undefined;
}

function mismatch(pod: Pod, isShown: boolean, world: World): string | undefined {
  const isReady = serves(pod) && pod.status.podIP !== undefined;
  if (isReady === isShown) return undefined;
  // Pods of a node that is not there are in no slice.
  if (isReady && world.find('Node', { name: pod.spec.nodeName ?? '' }) === undefined) return undefined;
  return isReady
    ? 'has been ready, and its slice has not shown it'
    : `has been ${stateOf(pod)}, and its slice has shown it as ready`;
}

function stateOf(pod: Pod): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'on its way out';
  return isPodTerminal(pod) || isPodReady(pod) ? pod.status.phase : 'unready';
}

function endpointsOf({ metadata: { namespace, name } }: Service, world: World): EndpointSlice['endpoints'] {
  const slices = world.list('EndpointSlice', { namespace });
  return slices
    .filter(({ metadata }) => metadata.labels?.[SERVICE_LABEL] === name)
    .flatMap(({ endpoints }) => endpoints);
}
