/**
 * What of a story can be replayed: changes of the kinds that are simulated, and requests for them. The rest is
 * named. What was there before the story began is told apart from what came in it.
 */
import { kindRegistry } from '../../../src/api/kinds/registry.js';
import type { Kind } from '../../../src/api/objects/objects.js';
import { isServedPath } from '../../../src/requests/requests.js';
import { isForeignObject, textField } from './plain-object.js';
import { deathTimes } from './recorded-choices.js';
import type { EventLine, RecordedObject, Story } from './story.js';

/** The part, and what it leaves out. */
export interface SimulatedPart {
  readonly story: Story;
  /** What the watches listed before the first action, in the order in which it is put in. */
  readonly present: readonly RecordedObject[];
  /** Such as `Endpoints (12)`, in the order in which they came up. */
  readonly ignored: readonly string[];
}

/** Of a refusal there is always something to compare. */
const REFUSED = 400;

/** See the file header. */
export function simulatedPart(story: Story): SimulatedPart {
  const counts = new Map<string, number>();
  const isKept = (name: string, isKnown: boolean): boolean => {
    if (!isKnown) counts.set(name, (counts.get(name) ?? 0) + 1);
    return isKnown;
  };
  const known = story.events.filter(({ object }) => isKept(object.kind, kindOf(object) !== undefined));
  const listed = new Set(known.filter((event) => isListed(event, story)));
  const events = known.filter((event) => !listed.has(event));
  const actions = story.actions.filter(({ request, status }) => {
    const { method, path } = request;
    return isKept(`${method} ${path}`, status >= REFUSED || isServedPath(path));
  });
  const ignored = [...counts].map(([name, count]) => `${name} (${count})`);
  const present = [...listed].map(({ object }) => object);
  const part = { ...story, events, actions };
  return { story: part, present: inDealingOrder(present.filter(isOwn), part), ignored };
}

/** Whether a watch began with it, before the first action. */
function isListed({ type, line }: EventLine, { actions, marks }: Story): boolean {
  const first = Math.min(actions[0]?.sentLine ?? Infinity, marks[0]?.line ?? Infinity);
  return type === 'ADDED' && line < first && Number.isFinite(first);
}

/** In order of age; of those of one age the one first that went first, as ours does. */
function inDealingOrder(objects: readonly RecordedObject[], story: Story): readonly RecordedObject[] {
  const deaths = deathTimes(story);
  const deathOf = ({ metadata }: RecordedObject): number => deaths.get(metadata.uid ?? '') ?? Number.MAX_VALUE;
  return objects.toSorted((a, b) => ageOf(a) - ageOf(b) || deathOf(a) - deathOf(b));
}

function ageOf(object: RecordedObject): number {
  return Date.parse(textField(object, 'metadata', 'creationTimestamp')) || 0;
}

/** Events tell of what was. */
function isOwn(object: RecordedObject): boolean {
  return object.kind !== 'Event' && !isForeignObject(object);
}

/** `undefined` for a kind that is not simulated. */
export function kindOf(object: RecordedObject | undefined): Kind | undefined {
  const kind = object?.kind ?? '';
  return Object.hasOwn(kindRegistry, kind) ? (kind as Kind) : undefined;
}
