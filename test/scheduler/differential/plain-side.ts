/**
 * The reference: plugins in their plain form, over a snapshot, a set of plugins and a preemption that are
 * built from nothing for each attempt. Every pod has a shape of its own, so that nothing is shared
 * between pods either. Kept are the objects, the nominations, the start of the next scan and the random
 * streams.
 */
import { keyOf, type Node, type Pod } from '../../../src/api/objects/objects.js';
import { randomStream } from '../../../src/kernel/random.js';
import { CycleState } from '../../../src/scheduler/framework/cycle-state.js';
import type { NodeToStatus } from '../../../src/scheduler/framework/interface.js';
import { PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import type { PreemptionArgs } from '../../../src/scheduler/framework/preemption/preemption-args.js';
import { WaitingPods } from '../../../src/scheduler/framework/waiting-pods.js';
import type { CacheSnapshot } from '../../../src/scheduler/cache/snapshot.js';
import type { PreemptingHandle } from '../../../src/scheduler/plugins/default-preemption.js';
import { IN_TREE_PLUGINS } from '../../../src/scheduler/plugins/registry.js';
import type { VolumeHandle } from '../../../src/scheduler/plugins/volumes/volume-listers.js';
import type { DisruptionBudget } from '../../../src/scheduler/preemption/budgets.js';
import { buildProfiles, type Profile } from '../../../src/scheduler/profile.js';
import { decidePlainly, type PlainFailure } from './plain-algorithm.js';
import { PlainFramework } from './plain-framework.js';
import { PlainNodes } from './plain-nodes.js';
import { PlainPreemptor } from './plain-preemptor.js';
import { onNode, Placement, plainPostFilter, plainStatus, type Attempt, type Side, type SideOptions } from './side.js';

/** See the file header. */
export class PlainSide implements Side {
  readonly start = { index: 0 };
  onWrite: VolumeHandle['update'];
  readonly #options: SideOptions;
  readonly #nodes = new PlainNodes();
  readonly #random;
  readonly #offset;
  /** By uid, in order of nomination. */
  readonly #nominated = new Map<string, { readonly podInfo: PodInfo; readonly nodeName: string }>();
  /** Pods that stand on a node, by uid. */
  readonly #placed = new Map<string, { readonly pod: Pod; readonly isAssumed: boolean }>();

  constructor(options: SideOptions) {
    this.#options = options;
    this.#random = randomStream(options.seed, 'scheduler/tie-break');
    this.#offset = randomStream(options.seed, 'scheduler/preemption-offset');
  }

  changeNode(previous: Node | undefined, node: Node | undefined): void {
    if (node !== undefined) this.#nodes.setNode(node);
    else if (previous !== undefined) this.#nodes.removeNode(previous.metadata.name);
  }

  changePod(previous: Pod | undefined, pod: Pod | undefined): void {
    const place = placeOf(pod);
    const { uid } = ((pod ?? previous) as Pod).metadata;
    if (place === 'assigned') this.#place(pod as Pod);
    else if (placeOf(previous) === 'assigned') this.#displace(uid);
    if (place !== 'pending') this.#setNomination(uid, undefined, '');
    else if (this.#placed.get(uid)?.isAssumed !== true) {
      const next = pod as Pod;
      // A nomination that only the scheduler knows of stays when the pod changes otherwise.
      const known = [previous, pod].every((each) => nominatedNode(each) === '')
        ? this.#nominated.get(uid)?.nodeName
        : undefined;
      this.#setNomination(uid, next, known ?? nominatedNode(next));
    }
  }

  assume(pod: Pod, nodeName: string): void {
    const assumed = onNode(pod, nodeName);
    this.#placed.set(pod.metadata.uid, { pod: assumed, isAssumed: true });
    this.#nodes.placePod(withOwnShape(assumed));
    this.#setNomination(pod.metadata.uid, undefined, '');
  }

  forget(pod: Pod): void {
    this.#displace(pod.metadata.uid);
  }

  nominate(pod: Pod, nodeName = nominatedNode(pod)): void {
    this.#setNomination(pod.metadata.uid, pod, nodeName);
  }

  refresh(): void {
    this.#nodes.freeze();
  }

  attempt(pod: Pod, isSpelledOut: boolean): Attempt {
    const { clock, timestamps, objects } = this.#options;
    const snapshot = this.#nodes.snapshot();
    const state = new CycleState();
    const podInfo = new PodInfo(withOwnShape(pod));
    const nominatedTo = (nodeName: string): readonly PodInfo[] => this.#nominatedTo(nodeName);
    let preemptor: PlainPreemptor | undefined;
    const { framework, percentageOfNodesToScore } = this.#buildProfile(pod, snapshot, (args) => {
      preemptor = new PlainPreemptor({
        profile,
        snapshot,
        nowMs: clock.now(),
        toMs: (timestamp) => timestamps.toMs(timestamp),
        random: this.#offset,
        args,
        budgets: [...(objects.list('PodDisruptionBudget') as Iterable<DisruptionBudget>)],
      });
      return preemptor;
    });
    const profile = new PlainFramework(framework, podInfo, nominatedTo);
    const options = { profile, snapshot, random: this.#random, percentageOfNodesToScore, start: this.start };
    const { facts, nodes, nodeName, failure } = decidePlainly(state, options);
    if (isSpelledOut) Object.assign(facts, nodes);
    const placement = new Placement(framework, state, pod, nodeName ?? '');
    const attempt = { facts, nodeName, postFilter: undefined, report: undefined, placement };
    if (failure === undefined) return attempt;
    const { absent, unschedulablePlugins, pendingPlugins, message } = failure;
    Object.assign(facts, { unschedulablePlugins, pendingPlugins, absent: plainStatus(absent), message });
    if (framework.postFilters.length === 0) return attempt;
    const postFilter = framework.runPostFilter(state, podInfo, nodeToStatusOf(failure));
    const { report } = preemptor ?? {};
    facts['postFilter'] = plainPostFilter(postFilter, report);
    return { ...attempt, postFilter, report };
  }

  #nominatedTo(nodeName: string): readonly PodInfo[] {
    return [...this.#nominated.values()].filter((each) => each.nodeName === nodeName).map(({ podInfo }) => podInfo);
  }

  #buildProfile(
    { spec }: Pod,
    snapshot: CacheSnapshot,
    createPreemptor: (args: PreemptionArgs) => PlainPreemptor,
  ): Profile {
    const { objects, clock, configuration } = this.#options;
    const name = spec.schedulerName ?? 'default-scheduler';
    const profiles = configuration.profiles.filter(({ schedulerName }) => schedulerName === name);
    const createHandle = (): PreemptingHandle & VolumeHandle => ({
      clock,
      snapshot,
      bind: () => undefined,
      waitingPod: () => undefined,
      objects: (kind) => objects.list(kind),
      object: (kind, key) => objects.find(kind, key),
      update: (kind, object, answer) => this.onWrite?.(kind, object, answer),
      createPreemptor: (_plugin, args) => createPreemptor(args),
    });
    const parts = { clock, waitingPods: new WaitingPods(clock), registry: IN_TREE_PLUGINS, createHandle };
    const [profile] = buildProfiles({ ...configuration, profiles }, parts);
    if (profile === undefined) throw new RangeError(`no profile ${name}`);
    return profile;
  }

  #place(pod: Pod): void {
    const { uid } = pod.metadata;
    const before = this.#placed.get(uid);
    this.#placed.set(uid, { pod, isAssumed: false });
    if (before !== undefined) this.#nodes.displacePod(before.pod);
    this.#nodes.placePod(withOwnShape(pod));
  }

  #displace(uid: string): void {
    const placed = this.#placed.get(uid);
    if (placed === undefined) return;
    this.#placed.delete(uid);
    this.#nodes.displacePod(placed.pod);
  }

  #setNomination(uid: string, pod: Pod | undefined, nodeName: string): void {
    this.#nominated.delete(uid);
    if (nodeName === '' || pod === undefined) return;
    const newest = this.#options.objects.find('Pod', keyOf(pod)) as Pod | undefined;
    if (newest === undefined || (newest.spec.nodeName ?? '') !== '') return;
    this.#nominated.set(uid, { podInfo: new PodInfo(withOwnShape(pod)), nodeName });
  }
}

function placeOf(pod: Pod | undefined): 'nowhere' | 'pending' | 'assigned' {
  if (pod === undefined || pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed') return 'nowhere';
  return (pod.spec.nodeName ?? '') === '' ? 'pending' : 'assigned';
}

function nominatedNode(pod: Pod | undefined): string {
  return pod?.status.nominatedNodeName ?? '';
}

/** What PostFilter is told; {@link PlainPreemptor} asks for nothing else. */
function nodeToStatusOf({ statuses, absent }: PlainFailure): NodeToStatus {
  const known: Pick<NodeToStatus, 'get' | 'entries' | 'absentStatus' | 'size'> = {
    get: (name) => statuses.get(name) ?? absent,
    entries: () => statuses,
    absentStatus: absent,
    size: statuses.size,
  };
  return known as NodeToStatus;
}

/** The pod with a volume that means nothing, and that no other pod has. */
function withOwnShape(pod: Pod): Pod {
  const { containers, volumes = [] } = pod.spec;
  const own = { name: `own-${pod.metadata.uid}`, emptyDir: {} };
  return { ...pod, spec: { ...pod.spec, containers: [...containers], volumes: [...volumes, own] } };
}
