import { compileLabelSelector } from '../../api/selectors/labels.js';
import { keyOf, type DaemonSet, type Pod } from '../../api/objects/objects.js';
import { adoptAndRelease } from '../shared/adoption.js';
import { createPod, deletePod } from '../shared/pod-control.js';
import { podReadySince } from '../shared/pod-state.js';
import { callTogether, slowStart } from '../replica-set/slow-start.js';
import { inMapOrder } from '../runtime/map-order.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { DaemonPodFactory, targetNodeOf } from './daemon-pod.js';
import type { DaemonNode, DaemonRoster } from './daemon-roster.js';
import type { DaemonSetMemory } from './daemon-set-memory.js';

/** Pods that one step creates, and those that it deletes, at most. */
const BURST = 250;

/** One sync of one daemon set: what it sees, and the writes that several steps share. */
export class DaemonSetSync {
  /** Simulated time at which the sync began, ms. */
  readonly nowMs: number;
  readonly #roster: DaemonRoster;
  #adopted: readonly Pod[] = [];

  constructor(
    readonly context: ControllerContext,
    readonly memory: DaemonSetMemory,
    /** The work queue's key. */
    readonly key: string,
    readonly set: DaemonSet,
  ) {
    this.#roster = memory.rosterOf(set);
    this.nowMs = context.kernel.clock.now();
  }

  /** Adopts orphans that the set selects and releases pods that it no longer selects. */
  async adoptPods(): Promise<void> {
    const { context, memory, set } = this;
    const selector = compileLabelSelector(set.spec.selector);
    const strays = [...memory.podsOf(set)].filter(({ metadata }) => !selector.matches(metadata.labels));
    const orphans = [...memory.orphansIn(set.metadata.namespace)].filter(({ metadata }) =>
      selector.matches(metadata.labels),
    );
    const adoption = { api: context.api, owner: set, ownerKind: 'DaemonSet', kind: 'Pod', selector } as const;
    this.#adopted = await adoptAndRelease(adoption, [...strays, ...orphans]);
  }

  /** What the caches show now, node by node, and pods that were adopted and that they do not show yet. */
  get nodes(): Iterable<DaemonNode> {
    const { mapOrder } = this.context;
    const nodes = this.#adopted.length === 0 ? this.#roster.nodes : this.#withAdopted();
    return inMapOrder(nodes, mapOrder && ((left, right) => mapOrder.nodes(this.set, left, right)));
  }

  *#withAdopted(): Iterable<DaemonNode> {
    for (const node of this.#roster.nodes) {
      const { name, pods } = node;
      const isKnown = ({ metadata: { uid } }: Pod): boolean => pods.some(({ metadata }) => metadata.uid === uid);
      const adopted = this.#adopted.filter((pod) => targetNodeOf(pod) === name && !isKnown(pod));
      yield adopted.length === 0 ? node : { ...node, pods: [...pods, ...adopted] };
    }
  }

  /** Milliseconds until a pod is available, 0 when it is; `undefined` when it is not ready. */
  availableInMs(pod: Pod): number | undefined {
    const since = podReadySince(pod);
    if (since === undefined) return undefined;
    const { minReadySeconds = 0 } = this.set.spec;
    if (minReadySeconds === 0) return 0;
    return Math.max(0, this.context.kernel.timestamps.toMs(since) + minReadySeconds * 1000 - this.nowMs);
  }

  isAvailable(pod: Pod): boolean {
    return this.availableInMs(pod) === 0;
  }

  /**
   * Creates pods for these nodes, a few at first, and then deletes these pods, all at once.
   *
   * @throws the first refusal, after everything was tried
   */
  async write(nodeNames: readonly string[], pods: readonly Pod[], hash: string): Promise<void> {
    const { context, memory, key, set } = this;
    const { expectations } = memory;
    const { clock } = context.kernel;
    const created = nodeNames.slice(0, BURST);
    const deleted = pods.slice(0, BURST);
    expectations.expect(key, created.length, deleted.map(keyOf));
    if (created.length + deleted.length === 0) return;
    const factory = new DaemonPodFactory(set, hash);
    let next = 0;
    const { successes, error } = await slowStart(clock, created.length, (done) => {
      const node = created[next] as string;
      next += 1;
      createPod(context, set, factory.draftFor(node), done);
    });
    if (successes < created.length) expectations.creationObserved(key, created.length - successes);
    const failures = await callTogether(clock, deleted.length, (done, index) => {
      const pod = deleted[index] as Pod;
      deletePod(context, set, pod, () => expectations.deletionObserved(key, keyOf(pod)), done);
    });
    const failure = error ?? failures[0];
    if (failure !== undefined) throw failure;
  }
}
