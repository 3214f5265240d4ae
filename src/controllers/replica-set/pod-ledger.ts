import { isPodReady } from '../../api/objects/conditions.js';
import { compileLabelSelector, type Selector } from '../../api/selectors/labels.js';
import type { Draft, LabelSelector, OwnerReference, Pod, ReplicaSet, StringMap } from '../../api/objects/objects.js';
import { controllerReference } from '../../api/objects/owners.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import { isPodActive } from '../shared/pod-state.js';
import type { PodRoster } from './pod-roster.js';
import { podNamePrefix } from '../shared/pod-name-prefix.js';

/** Active pods of a replica set, and those among them that are ready or carry all labels of the template. */
export interface PodTally {
  readonly active: number;
  readonly ready: number;
  readonly labelled: number;
}

const SELECTED = 1;
const LABELLED = 2;
const READY = 4;

/**
 * What is known of one replica set's pods without looking at each of them: counts that follow the
 * cache event by event. A replica set of 20,000 pods changes 20,000 times on its way to Ready; counting
 * anew each time, as upstream does, would cost their product.
 */
export class PodLedger {
  readonly uid: string;
  /** Whether something may have to be adopted or released. */
  needsAdoption = true;
  readonly owners: readonly OwnerReference[];
  readonly selector: Selector;
  readonly #labelSelector: LabelSelector;
  readonly #templateLabels: StringMap | undefined;
  readonly #verdicts = new WeakMap<StringMap, number>();
  #active = 0;
  #ready = 0;
  #labelled = 0;
  #roster: PodRoster | undefined;
  #template: ReplicaSet['spec']['template'] | undefined;
  #draft: Draft | undefined;

  constructor(replicaSet: ReplicaSet) {
    this.uid = replicaSet.metadata.uid;
    this.owners = [controllerReference(replicaSet)];
    this.#labelSelector = replicaSet.spec.selector;
    this.selector = compileLabelSelector(this.#labelSelector);
    this.#templateLabels = replicaSet.spec.template.metadata?.labels;
  }

  /** The counts as they are now. */
  get tally(): PodTally {
    return { active: this.#active, ready: this.#ready, labelled: this.#labelled };
  }

  get active(): number {
    return this.#active;
  }

  /** Whether the counts still mean what they meant when they were made. */
  isFor({ metadata, spec }: ReplicaSet): boolean {
    return (
      metadata.uid === this.uid &&
      isSameJson(spec.selector, this.#labelSelector) &&
      isSameJson(spec.template.metadata?.labels, this.#templateLabels)
    );
  }

  /** The pods that one may be chosen of, once {@link keepRoster} was called. */
  get roster(): PodRoster | undefined {
    return this.#roster;
  }

  /** From now on the active pods themselves are kept, beginning with those among `pods`. */
  keepRoster(roster: PodRoster, pods: Iterable<Pod>): void {
    this.#roster = roster;
    for (const pod of pods) if (this.#classOf(pod) !== 0) roster.add(pod);
  }

  /** Lets go of the roster, until a pod has to be chosen again. */
  dropRoster(): void {
    this.#roster = undefined;
  }

  /** Counts a pod in. */
  add(pod: Pod): void {
    const bits = this.#classOf(pod);
    this.#count(bits, 1);
    if (bits !== 0) this.#roster?.add(pod);
  }

  /** Counts a pod out. */
  remove(pod: Pod): void {
    this.#count(this.#classOf(pod), -1);
    this.#roster?.remove(pod);
  }

  /** Counts a pod out as it was and in as it is; `false` when that changes no count. */
  replace(previous: Pod, pod: Pod): boolean {
    const before = this.#classOf(previous);
    const after = this.#classOf(pod);
    if (after !== 0) this.#roster?.update(pod);
    else if (before !== 0) this.#roster?.remove(pod);
    if (before === after) return false;
    this.#count(before, -1);
    this.#count(after, 1);
    return true;
  }

  /** The counts of some pods. */
  tallyOf(pods: Iterable<Pod>): PodTally {
    let [active, ready, labelled] = [0, 0, 0];
    for (const pod of pods) {
      const bits = this.#classOf(pod);
      if ((bits & SELECTED) === 0) continue;
      active += 1;
      if ((bits & READY) !== 0) ready += 1;
      if ((bits & LABELLED) !== 0) labelled += 1;
    }
    return { active, ready, labelled };
  }

  /** What every new pod of the replica set looks like: one object, so that pods share all of its parts. */
  draftOf({ metadata: { name, namespace }, spec: { template } }: ReplicaSet): Draft {
    if (this.#draft !== undefined && this.#template === template) return this.#draft;
    const { labels, annotations, finalizers } = (template.metadata ?? {}) as Partial<Pod['metadata']>;
    this.#template = template;
    this.#draft = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        generateName: podNamePrefix(name),
        ...(namespace === undefined ? {} : { namespace }),
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
        ...(finalizers === undefined ? {} : { finalizers }),
        ownerReferences: this.owners,
      },
      spec: template.spec,
    };
    return this.#draft;
  }

  #count(bits: number, by: 1 | -1): void {
    if ((bits & SELECTED) === 0) return;
    this.#active += by;
    if ((bits & READY) !== 0) this.#ready += by;
    if ((bits & LABELLED) !== 0) this.#labelled += by;
  }

  #classOf(pod: Pod): number {
    if (!isPodActive(pod)) return 0;
    const verdict = this.#verdictOf(pod.metadata.labels);
    if (verdict === 0) this.needsAdoption = true;
    return verdict !== 0 && isPodReady(pod) ? verdict | READY : verdict;
  }

  #verdictOf(labels: StringMap = NO_LABELS): number {
    if (labels === this.#templateLabels) return SELECTED | LABELLED;
    let verdict = this.#verdicts.get(labels);
    if (verdict === undefined) {
      verdict = this.selector.matches(labels) ? SELECTED | (this.#hasTemplateLabels(labels) ? LABELLED : 0) : 0;
      this.#verdicts.set(labels, verdict);
    }
    return verdict;
  }

  #hasTemplateLabels(labels: StringMap): boolean {
    return Object.entries(this.#templateLabels ?? NO_LABELS).every(([key, value]) => labels[key] === value);
  }
}

const NO_LABELS: StringMap = {};
