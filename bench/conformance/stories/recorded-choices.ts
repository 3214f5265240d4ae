/**
 * What the recorded control plane left to chance: the random part of generated names, uids (by which
 * ReplicaSets choose among pods of one age), the second in which an object was created, the node that the scheduler took among feasible ones, the
 * addresses and start times of pods, and hashes over Go structures. Ours is dealt the same, in the order in which the objects
 * came to be, so that everything that follows from them can be compared as it stands. Names that raced for
 * their order go to the objects of the same role, such as the daemon pod of a node, and among equals in the
 * order in which they went: ours deletes the one first that came first.
 */
import { canonicalJson } from '../../../src/api/values/canonical-json.js';
import { isObject, type JsonObject } from '../recorded-lines.js';
import { textField } from './plain-object.js';
import { isRecordedObject, type RecordedObject, type Story } from './story.js';

/** Objects of one owner that come within this time of each other raced for their names. */
const BATCH_MS = 25;
/** Later than any story ends. */
const SURVIVAL_MS = 1e12;

/** What the server gives an object besides its name. */
export interface Identity {
  readonly uid: string;
  /** RFC 3339. */
  readonly created: string;
}

/** What a kubelet says of the start of a pod. */
export interface PodStart {
  readonly address: string;
  /** RFC 3339. */
  readonly time: string;
}

/** See the file header. */
export class RecordedChoices {
  readonly #names = new Map<string, Birth[]>();
  readonly #identities = new Map<string, Identity[]>();
  readonly #nodes = new Map<string, string>();
  readonly #starts = new Map<string, PodStart>();
  /** Names that end in a hash, by their owner, in the order of their coming. */
  readonly #hashed = new Map<string, string[]>();
  readonly #hashedNames = new Map<string, string>();
  /** Ours to recorded, where they differ. */
  readonly #hashes = new Map<string, string>();

  /** @param present - what there was when the story began */
  constructor(story: Story, present: readonly RecordedObject[] = []) {
    const seen = new Set<string>();
    const births = new Map<string, Birth[]>();
    const note = (object: RecordedObject, ms: number): void => {
      const { kind, metadata, spec, status } = object;
      const { uid = '', name, namespace = '', generateName = '' } = metadata;
      if (isObject(spec) && typeof spec['nodeName'] === 'string') this.#nodes.set(uid, spec['nodeName']);
      if (isObject(status)) this.#noteStart(uid, textField(status, 'podIP'), textField(status, 'startTime'));
      if (kind === 'Event' || uid === '' || seen.has(uid)) return;
      seen.add(uid);
      const created = textField(metadata, 'creationTimestamp');
      append(this.#identities, `${kind}/${namespace}/${name}`, { uid, created });
      if (generateName !== '' && ms > -Infinity)
        append(births, `${kind}/${namespace}/${generateName}`, { name, uid, created, ms, role: roleOf(object) });
      const owner = controllerOf(object);
      if (owner === undefined || generateName !== '' || !name.startsWith(`${owner}-`)) return;
      const key = `${kind}/${namespace}/${owner}`;
      if (this.#hashed.get(key)?.includes(name) !== true) append(this.#hashed, key, name);
    };
    for (const object of present) note(object, -Infinity);
    for (const { object, ms } of story.events) note(object, ms);
    for (const { request, response, status, ms } of story.actions) {
      if (request.method === 'POST' && status === 201 && isRecordedObject(response)) note(response, ms);
    }
    const deaths = deathTimes(story);
    for (const [base, list] of births) this.#names.set(base, dealingOrder(list, deaths));
  }

  /** The next name that was generated from a base; it is dealt until {@link take}. `undefined` when no more were. */
  nextName(kind: string, base: string, draft: DraftLike): string | undefined {
    const births = this.#birthsOf(kind, base, draft);
    const role = roleOf(draft);
    return (births.find((birth) => birth.role === role) ?? births[0])?.name;
  }

  /** When the next pod of that base came that is meant for a node; the greatest number when none came. */
  nextBirthMs(namespace: string, base: string, node: string): number {
    const births = this.#names.get(`Pod/${namespace}/${base}`) ?? [];
    return births.find(({ role }) => role.includes(`"${node}"`))?.ms ?? Number.MAX_VALUE;
  }

  #birthsOf(kind: string, base: string, draft: DraftLike): readonly Birth[] {
    return this.#names.get(`${kind}/${draft.metadata?.namespace ?? ''}/${base}`) ?? [];
  }

  /** What an owner's object that is named after a hash is called in the recording; the same whenever it comes anew. */
  hashedName(kind: string, namespace: string, owner: string, name: string): string | undefined {
    const key = `${kind}/${namespace}/${name}`;
    const known = this.#hashedNames.get(key);
    if (known !== undefined) return known;
    const names = this.#hashed.get(`${kind}/${namespace}/${owner}`) ?? [];
    const next = names.includes(name) ? name : names[0];
    if (next === undefined) return undefined;
    names.splice(names.indexOf(next), 1);
    this.#hashedNames.set(key, next);
    if (next !== name) this.#hashes.set(name, next);
    return next;
  }

  /** An object of ours with the recorded hashes in all its texts. */
  shown(object: RecordedObject): RecordedObject {
    if (this.#hashes.size === 0) return object;
    let text = JSON.stringify(object);
    for (const [ours, recorded] of this.#hashes) text = text.replaceAll(ours, recorded);
    return JSON.parse(text) as RecordedObject;
  }

  /** Identity of the next object of that name; the same until {@link take}, so that a refused one uses up nothing. */
  nextIdentity(kind: string, namespace: string, name: string): Identity | undefined {
    return this.#identities.get(`${kind}/${namespace}/${name}`)?.[0];
  }

  /** Notes that what was dealt has come to be. @param base - from which its name was generated */
  take(kind: string, namespace: string, name: string, base: string): void {
    this.#identities.get(`${kind}/${namespace}/${name}`)?.shift();
    const births = this.#names.get(`${kind}/${namespace}/${base}`) ?? [];
    const index = births.findIndex((birth) => birth.name === name);
    if (index >= 0) births.splice(index, 1);
  }

  /** How a pod started; `undefined` when it did not. */
  startOf(uid: string): PodStart | undefined {
    return this.#starts.get(uid);
  }

  #noteStart(uid: string, address: string, time: string): void {
    if (address !== '' && time !== '' && !this.#starts.has(uid)) this.#starts.set(uid, { address, time });
  }

  /** The node that a pod went to. */
  nodeOf(uid: string): string | undefined {
    return this.#nodes.get(uid);
  }
}

interface Birth extends Identity {
  readonly name: string;
  readonly ms: number;
  readonly role: string;
  /** Of those that raced with it. */
  batch?: number;
}

type DraftLike = { readonly metadata?: { readonly namespace?: string | undefined } | undefined };

/** What tells one object of an owner from its siblings: the rest of their specs is the same. */
function roleOf(object: object): string {
  const { metadata, spec } = object as { readonly metadata?: JsonObject; readonly spec?: JsonObject };
  return canonicalJson([metadata?.['annotations'] ?? {}, spec?.['affinity'] ?? {}]);
}

/**
 * When each object was told to go, by uid. The scheduler preempts of equals those that came last, whatever
 * becomes of the others.
 */
export function deathTimes({ events }: Story): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { ms, object } of events) {
    const { uid = '', deletionTimestamp } = object.metadata;
    if (deletionTimestamp === undefined || times.has(uid)) continue;
    const isPreempted = JSON.stringify(object['status'] ?? {}).includes('"PreemptionByScheduler"');
    times.set(uid, isPreempted ? SURVIVAL_MS + ms : ms);
  }
  return times;
}

function dealingOrder(births: readonly Birth[], deaths: ReadonlyMap<string, number>): Birth[] {
  let batch = 0;
  let lastMs = -Infinity;
  for (const birth of births) {
    if (birth.ms - lastMs >= BATCH_MS) batch += 1;
    birth.batch = batch;
    lastMs = birth.ms;
  }
  const deathOf = ({ uid }: Birth): number => deaths.get(uid) ?? SURVIVAL_MS;
  const ageOf = ({ created }: Birth): number => Date.parse(created) || 0;
  return births.toSorted((a, b) => (a.batch ?? 0) - (b.batch ?? 0) || ageOf(a) - ageOf(b) || deathOf(a) - deathOf(b));
}

/** The name of the owner that controls an object. */
function controllerOf({ metadata }: RecordedObject): string | undefined {
  const owners = (metadata['ownerReferences'] ?? []) as readonly {
    readonly name: string;
    readonly controller?: boolean;
  }[];
  return owners.find(({ controller }) => controller === true)?.name;
}

function append<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
