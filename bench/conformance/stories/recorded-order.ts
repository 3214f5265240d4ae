/**
 * The orders in which the recorded controllers met what stands in maps, read off what they did: pods of one owner
 * in the order in which they went, nodes in the order in which a daemon set came to them next, kinds in the order
 * in which a namespace lost them, of several budgets those of which the Events of a pod tell one after the other, and
 * services whose slices were looked at again a second after they were written.
 */
import { DEFAULT_CONTROLLER_SETTINGS } from '../../../src/controllers/runtime/controller-settings.js';
import { RESYNC_MS } from '../../../src/controllers/persistent-volume-binder/binder-memory.js';
import type { MapOrder, NodeOfPods } from '../../../src/controllers/runtime/map-order.js';
import type { KnownPass } from './control-plane.js';
import type { RecordedChoices } from './recorded-choices.js';
import { isObject } from '../recorded-lines.js';
import type { EventLine, RecordedObject, Story } from './story.js';
import { textField } from './plain-object.js';

/** See the file header. */
export function recordedOrder(story: Story, choices: RecordedChoices): MapOrder {
  const going = new Map<string, number>();
  const emptied = new Map<string, number>();
  const terminating = new Set<string>();
  const born = new Map<string, number>();
  for (const [place, { ms, type, object }] of story.events.entries()) {
    const { uid = '', name, namespace = '', deletionTimestamp } = object.metadata;
    const key = `${namespace}/${name}`;
    if (object.kind === 'Pod' && type === 'ADDED' && !born.has(key)) born.set(key, place);
    const isGoing = type === 'DELETED' || deletionTimestamp !== undefined;
    if (!isGoing) continue;
    if (!going.has(uid)) going.set(uid, ms);
    if (object.kind === 'Namespace') terminating.add(name);
    const content = `${namespace}/${object.kind}`;
    if (terminating.has(namespace) && !emptied.has(content)) emptied.set(content, place);
  }
  const chosen = chosenBudgets(story);
  const toldFirst = servicesToldFirst(story);
  const taken = takenVolumes(story);
  /** Pods that raced for volumes come in the order in which their claims got them, others as they were born. */
  const placeOfSeat = (namespace: string, pod: string): number => {
    const claims = [...taken].filter(([claim]) => claim.startsWith(`${namespace}/`) && claim.endsWith(`-${pod}`));
    if (claims.length > 0) return Math.min(...claims.map(([, place]) => place));
    return LAST + placeOf(born, `${namespace}/${pod}`);
  };
  return {
    ordinals({ metadata: { namespace = '', name } }, left, right) {
      const placeOfOrdinal = (ordinal: number): number => placeOfSeat(namespace, `${name}-${String(ordinal)}`);
      return placeOfOrdinal(left) - placeOfOrdinal(right);
    },
    slicesToldFirst: (service) => toldFirst.has(service),
    budget(pod, matching) {
      const name = chosen.get(pod.metadata.uid)?.shift();
      return matching.find(({ metadata }) => metadata.name === name);
    },
    pods: (left, right) => placeOf(going, left.metadata.uid) - placeOf(going, right.metadata.uid),
    nodes({ metadata: { namespace = '', name } }, left, right) {
      const nextMs = ({ name: node, pods }: NodeOfPods): number =>
        Math.min(
          choices.nextBirthMs(namespace, `${name}-`, node),
          ...pods
            .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
            .map(({ metadata }) => placeOf(going, metadata.uid)),
        );
      return nextMs(left) - nextMs(right);
    },
    kinds: (namespace, left, right) =>
      placeOf(emptied, `${namespace}/${left}`) - placeOf(emptied, `${namespace}/${right}`),
  };
}

/** Behind every place of a story. */
const LAST = 1e9;

/** The places in the story at which claims, by key, first had a volume. */
function takenVolumes({ events }: Story): ReadonlyMap<string, number> {
  const taken = new Map<string, number>();
  for (const [place, { object }] of events.entries()) {
    const claim =
      object.kind === 'PersistentVolume' && isObject(object['spec']) ? object['spec']['claimRef'] : undefined;
    if (!isObject(claim)) continue;
    const key = `${textField(claim, 'namespace')}/${textField(claim, 'name')}`;
    if (!taken.has(key)) taken.set(key, place);
  }
  return taken;
}

/** A slice that a service's controller takes for one that others have changed is looked at again after so long. */
const AGAIN_MS = 1000;
/** By so much later it is written at the most. */
const WRITTEN_MS = 60;
const SERVICE_LABEL = 'kubernetes.io/service-name';

/** Services, by key, of which a slice was written a second after another write, which the controller saw as that of others. */
function servicesToldFirst({ events }: Story): ReadonlySet<string> {
  const written = new Map<string, number[]>();
  const toldFirst = new Set<string>();
  for (const { ms, object } of events) {
    const { namespace = '', labels } = object.metadata;
    const service = isObject(labels) ? labels[SERVICE_LABEL] : undefined;
    if (object.kind !== 'EndpointSlice' || typeof service !== 'string') continue;
    const key = `${namespace}/${service}`;
    const before = written.get(key) ?? [];
    if (before.some((at) => ms - at >= AGAIN_MS && ms - at <= AGAIN_MS + WRITTEN_MS)) toldFirst.add(key);
    written.set(key, [...before, ms]);
  }
  return toldFirst;
}

/** What the Event says that tells of one of several budgets. */
const CHOSEN = / matches multiple PodDisruptionBudgets\. {2}Chose "([^"]+)" arbitrarily\.$/;

/** The budgets that were chosen for each pod, by uid: each change of a pod that has several is told of by one more Event. */
function chosenBudgets({ events }: Story): ReadonlyMap<string, string[]> {
  const told = new Map<string, string[]>();
  for (const { type, object } of events) {
    if (object.kind !== 'Event' || type === 'DELETED') continue;
    const chosen = CHOSEN.exec(textField(object, 'message') || textField(object, 'note'))?.[1];
    if (chosen === undefined) continue;
    const uid = textField(object, 'involvedObject', 'uid') || textField(object, 'regarding', 'uid');
    told.set(uid, [...(told.get(uid) ?? []), chosen]);
  }
  return told;
}

function placeOf(places: ReadonlyMap<string, number>, key: string): number {
  return places.get(key) ?? Number.MAX_VALUE;
}

/** What a pass over the nodes tells, and what the volume binder does when it looks at everything anew. */
const OF_A_PASS: Readonly<Record<string, { readonly by: string; readonly periodMs: number }>> = {
  RegisteredNode: { by: 'node-controller', periodMs: DEFAULT_CONTROLLER_SETTINGS.nodeMonitorPeriod },
  RemovingNode: { by: 'node-controller', periodMs: DEFAULT_CONTROLLER_SETTINGS.nodeMonitorPeriod },
  NodeNotReady: { by: 'node-controller', periodMs: DEFAULT_CONTROLLER_SETTINGS.nodeMonitorPeriod },
  WaitForPodScheduled: { by: 'persistentvolume-controller', periodMs: RESYNC_MS },
  WaitForFirstConsumer: { by: 'persistentvolume-controller', periodMs: RESYNC_MS },
};

/** Whether an Event is one that a pass tells again. */
export function isToldByPass(object: RecordedObject): boolean {
  return object.kind === 'Event' && OF_A_PASS[textField(object, 'reason')] !== undefined;
}

/** The pod collector looks at all pods this often. */
const COLLECTION_MS = 20_000;
/** A claim that has just changed is looked at for that. */
const REACTION_MS = 500;

/** The periodic pass with the longest period that the story tells of; `undefined` when it tells of none. */
export function passOf(story: Story): KnownPass | undefined {
  const firstMs = story.actions[0]?.sentMs ?? Number.MAX_VALUE;
  let longest: KnownPass | undefined;
  for (const event of story.events) {
    const periodMs = event.ms <= firstMs ? undefined : periodOf(event, story);
    if (periodMs !== undefined && periodMs > (longest?.periodMs ?? 0)) longest = { atMs: event.ms, periodMs };
  }
  return longest;
}

/** Of the pass in which an event came; `undefined` when it came in none. */
function periodOf({ type, ms, object }: EventLine, { events }: Story): number | undefined {
  if (object.kind === 'Pod') return type === 'MODIFIED' && isCollected(object) ? COLLECTION_MS : undefined;
  const reason = textField(object, 'reason');
  const pass = object.kind === 'Event' ? OF_A_PASS[reason] : undefined;
  if (pass === undefined || type === 'DELETED' || !JSON.stringify(object).includes(pass.by)) return undefined;
  if (!reason.startsWith('WaitFor')) return type === 'ADDED' ? pass.periodMs : undefined;
  const claim = textField(object, 'involvedObject', 'name') || textField(object, 'regarding', 'name');
  const isReaction = events.some(
    (each) =>
      each.object.kind === 'PersistentVolumeClaim' &&
      each.object.metadata.name === claim &&
      each.ms <= ms + REACTION_MS &&
      each.ms >= ms - REACTION_MS,
  );
  return isReaction ? undefined : pass.periodMs;
}

/** A pod on its way out that never had a node: nothing else writes that it failed. */
function isCollected({ metadata, spec, status }: RecordedObject): boolean {
  if (metadata['deletionTimestamp'] === undefined || !isObject(spec) || !isObject(status)) return false;
  return spec['nodeName'] === undefined && status['phase'] === 'Failed';
}
