/**
 * The orders in which the recorded controllers met what stands in maps, read off what they did: pods of one owner
 * in the order in which they went, nodes in the order in which a daemon set came to them next, kinds in the order
 * in which a namespace lost them.
 */
import type { MapOrder, NodeOfPods } from '../../../src/controllers/runtime/map-order.js';
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
  return {
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

function placeOf(places: ReadonlyMap<string, number>, key: string): number {
  return places.get(key) ?? Number.MAX_VALUE;
}

/** What a pass over the nodes tells. */
const OF_A_PASS: ReadonlySet<string> = new Set(['RegisteredNode', 'RemovingNode', 'NodeNotReady']);

/** When a pass over the nodes fell that the story tells of; `undefined` when it tells of none. */
export function passOf({ events, actions }: Story): number | undefined {
  const firstMs = actions[0]?.sentMs ?? Number.MAX_VALUE;
  const told = events.find(
    ({ type, ms, object }) =>
      type === 'ADDED' &&
      ms > firstMs &&
      object.kind === 'Event' &&
      OF_A_PASS.has(textField(object, 'reason')) &&
      JSON.stringify(object).includes('node-controller'),
  );
  return told?.ms;
}
