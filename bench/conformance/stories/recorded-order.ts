/**
 * The orders in which the recorded controllers met what stands in maps, read off what they did: pods of one owner
 * in the order in which they went, nodes in the order in which a daemon set came to them next, kinds in the order
 * in which a namespace lost them, and of several budgets those of which the Events of a pod tell one after the other.
 */
import { DEFAULT_CONTROLLER_SETTINGS } from '../../../src/controllers/runtime/controller-settings.js';
import { RESYNC_MS } from '../../../src/controllers/persistent-volume-binder/binder-memory.js';
import type { MapOrder, NodeOfPods } from '../../../src/controllers/runtime/map-order.js';
import type { KnownPass } from './control-plane.js';
import type { RecordedChoices } from './recorded-choices.js';
import type { Story } from './story.js';
import { textField } from './plain-object.js';

/** See the file header. */
export function recordedOrder(story: Story, choices: RecordedChoices): MapOrder {
  const going = new Map<string, number>();
  const emptied = new Map<string, number>();
  const terminating = new Set<string>();
  for (const [place, { ms, type, object }] of story.events.entries()) {
    const { uid = '', name, namespace = '', deletionTimestamp } = object.metadata;
    const isGoing = type === 'DELETED' || deletionTimestamp !== undefined;
    if (!isGoing) continue;
    if (!going.has(uid)) going.set(uid, ms);
    if (object.kind === 'Namespace') terminating.add(name);
    const content = `${namespace}/${object.kind}`;
    if (terminating.has(namespace) && !emptied.has(content)) emptied.set(content, place);
  }
  const chosen = chosenBudgets(story);
  return {
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
};

/** A periodic pass that the story tells of; `undefined` when it tells of none. */
export function passOf({ events, actions }: Story): KnownPass | undefined {
  const firstMs = actions[0]?.sentMs ?? Number.MAX_VALUE;
  for (const { type, ms, object } of events) {
    if (type !== 'ADDED' || ms <= firstMs || object.kind !== 'Event') continue;
    const pass = OF_A_PASS[textField(object, 'reason')];
    if (pass !== undefined && JSON.stringify(object).includes(pass.by)) return { atMs: ms, periodMs: pass.periodMs };
  }
  return undefined;
}
