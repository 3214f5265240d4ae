import {
  ActionType,
  clusterEvent,
  onEvent,
  type ClusterEventWithHint,
  type EventResource,
  type QueueingHintFunction,
  type QueueingHintMap,
  type RegisteredEvent,
} from './cluster-event.js';
import type { AnyPlugin } from './interface.js';

/** What a plugin that registers nothing is asked about: everything. */
const EVERYTHING: readonly ClusterEventWithHint[] = (
  [
    'Pod',
    'Node',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'StorageClass',
    'CSINode',
    'CSIDriver',
    'CSIStorageCapacity',
    'VolumeAttachment',
    'ResourceClaim',
    'ResourceSlice',
    'DeviceClass',
  ] satisfies EventResource[]
).map((resource) => onEvent(resource, ActionType.All));

/**
 * Collects the registrations of a profile. A plugin that waits for new nodes but not for their taints
 * hears of taints too, since a tainted node may have been passed over before. Upstream:
 * `buildQueueingHintMap` of kube-scheduler v1.34.
 */
export function queueingHintsOf(plugins: readonly AnyPlugin[]): QueueingHintMap {
  const byEvent = new Map<string, RegisteredEvent & { readonly functions: QueueingHintFunction[] }>();
  const register = (plugin: string, { event, hint }: ClusterEventWithHint): void => {
    const key = `${event.resource}/${event.actionType}`;
    let registered = byEvent.get(key);
    if (registered === undefined) {
      registered = { event: clusterEvent(event.resource, event.actionType), functions: [] };
      byEvent.set(key, registered);
    }
    registered.functions.push({ plugin, hint });
  };
  for (const plugin of plugins) {
    if (!canReject(plugin)) continue;
    const events = plugin.eventsToRegister?.() ?? EVERYTHING;
    for (const event of events) register(plugin.name, event);
    const listensTo = (action: number): boolean =>
      events.some(({ event }) => event.resource === 'Node' && (event.actionType & action) !== 0);
    if (listensTo(ActionType.Add) && !listensTo(ActionType.UpdateNodeTaint)) {
      register(plugin.name, onEvent('Node', ActionType.UpdateNodeTaint));
    }
  }
  return [...byEvent.values()];
}

/** Only what can keep a pod from its node has pods that wait for events. */
function canReject(plugin: AnyPlugin): boolean {
  return [plugin.preEnqueue, plugin.preFilter, plugin.filter, plugin.reserve, plugin.permit].some(
    (method) => method !== undefined,
  );
}
