/**
 * Fields that upstream leaves to chance, read off a story.
 *
 * - Statuses of budgets of which several select one pod: one of them is told of a change of the pod, by the order of a
 *   map, and the others look at their pods when they are written the next time.
 * - Of which owner's kind a budget says that it has no scale, where it selects pods of several: the first that the
 *   lister has counts, whose order is that of a map, anew at each sync.
 * - Of which pod a budget says that it has no controllers, where it selects several of which none is there any more.
 * - Which claim of a stateful set has which volume where several came at once: their pods are created by goroutines of
 *   which any may be first, and the first to be scheduled takes the smallest volume. Which of volumes of one size is
 *   taken is left to chance, too.
 * - Whether a pod of a job that goes loses the job's finalizer before or after the garbage collector marks it: the job
 *   controller comes to one pod after the other, in no order, and the collector to many at once.
 */
import { compileLabelSelector } from '../../../src/api/selectors/labels.js';
import type { LabelSelector } from '../../../src/api/objects/objects.js';
import { isObject } from '../recorded-lines.js';
import { textField } from './plain-object.js';
import type { EventLine, RecordedObject, Story } from './story.js';

/** Claims of one set that come within this time of each other raced for their volumes. */
const BATCH_MS = 500;
const OF_A_BINDING =
  /^(?:spec\.claimRef\.|spec\.volumeName$|status\.capacity\.storage$|status\.phase$|metadata\.annotations\.)/;

/** The collector comes to a job's pods within this time of the job's going. */
const COLLECTED_MS = 1000;
const OF_A_RELEASE = /^metadata\.finalizers\[/;

const NO_SCALE = /[a-z.]+ does not implement the scale subresource|found no controllers for pod [^ ]+/;

/** Tells of a path of an object, by its key, whether it is left to chance. */
export type Chance = (key: string, path: string) => boolean;

/** See the file header. */
export function leftToChance(story: Story): Chance {
  const budgets = sharedBudgets(story);
  const bindings = racedBindings(story);
  const mixed = mixedBudgets(story);
  const released = racedReleases(story);
  return (key, path) =>
    (budgets.has(key) && path.startsWith('status.')) ||
    (mixed.has(key) && path.startsWith('status.conditions[DisruptionAllowed]')) ||
    (bindings.has(key) && OF_A_BINDING.test(path)) ||
    (released.has(key) && OF_A_RELEASE.test(path));
}

/** Keys of pods that the garbage collector marked as their job went. */
function racedReleases({ events }: Story): ReadonlySet<string> {
  const wentMs = new Map<string, number>();
  const markedMs = new Map<string, number>();
  const pods = new Set<string>();
  for (const { type, object, ms } of events) {
    const { uid = '', deletionTimestamp, namespace = '', name } = object.metadata;
    if (type !== 'DELETED' && deletionTimestamp === undefined) continue;
    if (object.kind === 'Job' && !wentMs.has(uid)) wentMs.set(uid, ms);
    if (object.kind !== 'Pod' || markedMs.has(uid)) continue;
    markedMs.set(uid, ms);
    const jobMs = wentMs.get(ownerOf(object)) ?? -Infinity;
    if (ms - jobMs <= COLLECTED_MS) pods.add(`Pod ${namespace}/${name}`);
  }
  return pods;
}

/** Uid of the owner that controls an object; empty when none does. */
function ownerOf({ metadata }: RecordedObject): string {
  const owners = Array.isArray(metadata['ownerReferences']) ? metadata['ownerReferences'] : [];
  const controller: unknown = owners.find((owner: unknown) => isObject(owner) && owner['controller'] === true);
  return isObject(controller) ? textField(controller, 'uid') : '';
}

/** Keys of claims that raced, and of the volumes that they took. */
function racedBindings({ events }: Story): ReadonlySet<string> {
  const came = events.filter(({ type, object }) => type === 'ADDED' && object.kind === 'PersistentVolumeClaim');
  const raced = came.filter((one) => came.some((other) => isSibling(one, other))).map(({ object }) => object);
  const volumes = events.filter(({ object }) => object.kind === 'PersistentVolume').map(({ object }) => object);
  const sizes = new Map(volumes.map((volume) => [volume.metadata.name, sizeOf(volume)]));
  const isTwin = (name: string): boolean =>
    [...sizes].some(([other, size]) => other !== name && size === sizes.get(name));
  const keys = new Set(raced.map(keyOfClaim));
  for (const volume of volumes) {
    const claim = isObject(volume['spec']) ? volume['spec']['claimRef'] : undefined;
    const taken = isObject(claim)
      ? `PersistentVolumeClaim ${textField(claim, 'namespace')}/${textField(claim, 'name')}`
      : '';
    if (!isTwin(volume.metadata.name) && !keys.has(taken)) continue;
    keys.add(`PersistentVolume ${volume.metadata.name}`);
    if (taken !== '') keys.add(taken);
  }
  return keys;
}

function keyOfClaim({ metadata }: RecordedObject): string {
  return `PersistentVolumeClaim ${metadata.namespace ?? ''}/${metadata.name}`;
}

/** What a claim looks at in a volume. */
function sizeOf({ spec }: RecordedObject): string {
  if (!isObject(spec)) return '';
  return JSON.stringify([spec['capacity'], spec['accessModes'], spec['storageClassName'], spec['nodeAffinity']]);
}

function isSibling(one: EventLine, other: EventLine): boolean {
  return one !== other && setOf(one.object) === setOf(other.object) && Math.abs(one.ms - other.ms) <= BATCH_MS;
}

/** What the claims of one template have in common; a claim of its own has it to itself. */
function setOf({ metadata }: RecordedObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name.replace(/-\d+$/, '-')}`;
}

/** Keys of budgets that share a pod, as a telling has them: `PodDisruptionBudget namespace/name`. */
function sharedBudgets({ events }: Story): ReadonlySet<string> {
  const latest = (kind: string): readonly RecordedObject[] => {
    const found = events.filter(({ object }) => object.kind === kind).map(({ object }) => object);
    return [...new Map(found.map((object) => [`${object.metadata.uid ?? ''} ${labelsText(object)}`, object])).values()];
  };
  const pods = latest('Pod');
  const budgets = latest('PodDisruptionBudget').map((budget) => ({
    key: `PodDisruptionBudget ${budget.metadata.namespace ?? ''}/${budget.metadata.name}`,
    namespace: budget.metadata.namespace,
    selector: compileLabelSelector(selectorOf(budget)),
  }));
  const shared = new Set<string>();
  for (const { metadata } of pods) {
    const matching = budgets.filter(
      ({ namespace, selector }) => namespace === metadata.namespace && selector.matches(labelsOf(metadata['labels'])),
    );
    const keys = new Set(matching.map(({ key }) => key));
    if (keys.size > 1) for (const key of keys) shared.add(key);
  }
  return shared;
}

/** Keys of budgets that name now one kind of owners that has no scale and now another. */
function mixedBudgets({ events }: Story): ReadonlySet<string> {
  const named = new Map<string, Set<string>>();
  for (const { object } of events) {
    if (object.kind !== 'PodDisruptionBudget') continue;
    const key = `PodDisruptionBudget ${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    const [text] = NO_SCALE.exec(JSON.stringify(object['status'])) ?? [];
    if (text !== undefined) named.set(key, (named.get(key) ?? new Set()).add(text));
  }
  return new Set([...named].filter(([, kinds]) => kinds.size > 1 || tellsOfPod(kinds)).map(([key]) => key));
}

/** It is any of the pods without a controller, in the story as here. */
function tellsOfPod(texts: ReadonlySet<string>): boolean {
  return [...texts].some((text) => text.startsWith('found'));
}

function selectorOf({ spec }: RecordedObject): LabelSelector | undefined {
  return isObject(spec) ? (spec['selector'] as LabelSelector | undefined) : undefined;
}

function labelsOf(labels: unknown): Readonly<Record<string, string>> {
  return (isObject(labels) ? labels : {}) as Readonly<Record<string, string>>;
}

/** What decides which budgets are a pod's, and which pods a budget's. */
function labelsText(object: RecordedObject): string {
  return JSON.stringify([object.metadata['labels'], selectorOf(object)]);
}
