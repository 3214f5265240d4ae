/**
 * One run of a kubelet's process, from start to stop: the node's registration and status, the pods'
 * workers, and what it hears from the API server and from its runtime. What outlives the process (the
 * runtime, the images, the lease's clock) is handed in.
 */
import type { Subscription } from 'rxjs';
import { createActor, type ActorRefFrom } from 'xstate';
import { isApiError } from '../api/api-error.js';
import { keyOf, type core, type Node, type Pod } from '../api/objects.js';
import type { Connection, Informer } from '../bus/bus-types.js';
import { createActorClock } from '../kernel/xstate-clock.js';
import type { NodeContext } from './node-context.js';
import { RENEW_INTERVAL_MS, type NodeLease } from './node-lease.js';
import { nodeMachine, type NodeDuties, type NodeEvent } from './node-machine.js';
import { nodeDraft, nodeStatus, reconciledNode, type NodeSetup } from './node-object.js';
import { releasePod } from './pod-admission.js';
import { isTerminalPhase } from './pod-phase.js';
import type { PodEvent } from './pod-machine.js';
import { deleteObject } from './pod-stopping.js';
import { PodWorker } from './pod-worker.js';

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 7000;

/** What an agent is made of. */
export interface NodeAgentParts {
  readonly context: NodeContext;
  readonly connection: Connection;
  readonly setup: NodeSetup;
  readonly addresses: core.NodeAddress[];
  readonly lease: NodeLease;
  /** Offset of the node's ten-second marks, 0..9999. */
  readonly phaseMs: number;
}

/** See the file header. */
export class NodeAgent implements NodeDuties {
  readonly #parts: NodeAgentParts;
  readonly #actor: ActorRefFrom<typeof nodeMachine>;
  readonly #pods: Informer<'Pod'>;
  /** Pods that are being worked on, by uid; the machine of each is the node machine's child of that id. */
  readonly #workers = new Map<string, PodWorker>();
  /** Pods that have ended here but whose objects are still there. */
  readonly #finished = new Set<string>();
  readonly #linkChanges: Subscription;
  #nodeUid: string | undefined;
  #retryMs = FIRST_RETRY_MS;
  #isStopped = false;
  /** Raised by each change that the node's status has yet to tell. */
  #changes = 0;
  #reportedChanges = -1;

  constructor(parts: NodeAgentParts) {
    this.#parts = parts;
    const { connection, context } = parts;
    const { clock } = context.kernel;
    this.#actor = createActor(nodeMachine, { id: context.nodeName, input: this, clock: createActorClock(clock) });
    this.#pods = connection.select('Pod', { fieldSelector: `spec.nodeName=${context.nodeName}` });
    this.#pods.addHandler({
      onAdd: (pod) => this.#added(pod),
      onUpdate: (previous, pod) => this.#updated(previous, pod),
      onDelete: (pod) => this.#removed(pod),
    });
    this.#linkChanges = connection.link.changes$.subscribe((isUp) => this.#linkChanged(isUp));
    const rethrow = (error: unknown): void => {
      clock.schedule(0, () => {
        throw error;
      });
    };
    this.#actor.subscribe({ error: rethrow });
  }

  get isStatusStale(): boolean {
    return this.#reportedChanges !== this.#changes;
  }

  start(): void {
    const { context, lease, connection } = this.#parts;
    if (connection.link.isUp) lease.resume();
    context.runtime.onExit = (uid) => this.#tellPod(uid, { type: 'container.exited' });
    this.#actor.start();
    this.#pods.start();
    this.#pods.whenSynced(() => this.#endOrphans());
  }

  /** Ends the process: no machine moves and nothing is written any more. */
  stop(): void {
    this.#isStopped = true;
    const { runtime } = this.#parts.context;
    runtime.onExit = undefined;
    runtime.abandonStops();
    this.#parts.lease.pause();
    this.#linkChanges.unsubscribe();
    this.#pods.stop();
    this.#actor.stop();
    for (const worker of this.#workers.values()) releasePod(worker);
    this.#workers.clear();
  }

  /** Something of the node's status is different now; told at the next ten-second mark. */
  noteChange(): void {
    this.#changes += 1;
    this.#tell({ type: 'node.changed' });
  }

  register(): void {
    const { context, setup, addresses } = this.#parts;
    const draft = nodeDraft(setup, addresses, this.#condition(false));
    context.client.create('Node', draft, (error, node) => {
      if (isApiError(error, 'AlreadyExists')) this.#reconcile();
      else this.#registered(error, node);
    });
  }

  /** 100 ms, doubling up to 7 s. */
  registrationRetryMs(): number {
    const retryMs = this.#retryMs;
    this.#retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
    return retryMs;
  }

  createLease(): void {
    this.#parts.context.client.create('Lease', this.#parts.lease.draft(this.#nodeUid));
  }

  reportStatus(): void {
    const { context, setup, addresses } = this.#parts;
    const reported = this.#changes;
    const condition = this.#condition(true);
    context.client.change(
      'Node',
      { name: setup.name },
      (node) => ({
        ...node,
        status: { ...node.status, ...nodeStatus(setup, addresses, condition, node.status.conditions ?? []) },
      }),
      { subresource: 'status' },
      (error) => {
        if (error === undefined) this.#reportedChanges = reported;
        this.#tell({ type: error === undefined ? 'status.stored' : 'request.failed' });
      },
    );
  }

  untilNextStatusMs(): number {
    const sinceMarkMs = this.#parts.context.kernel.clock.now() - this.#parts.phaseMs;
    return RENEW_INTERVAL_MS - ((sinceMarkMs + RENEW_INTERVAL_MS) % RENEW_INTERVAL_MS);
  }

  forget(uid: string): void {
    const { context } = this.#parts;
    const worker = this.#workers.get(uid);
    if (worker === undefined) return;
    this.#workers.delete(uid);
    context.runtime.remove(uid);
    releasePod(worker);
    if (!worker.isGone) this.#finished.add(uid);
  }

  #reconcile(): void {
    const { context, setup } = this.#parts;
    const { name } = setup;
    context.client.change(
      'Node',
      { name },
      (node) => reconciledNode(node, name),
      undefined,
      (error, node) => this.#registered(error, node),
    );
  }

  #registered(error: Error | undefined, node: Node | undefined): void {
    this.#nodeUid = node?.metadata.uid;
    this.#tell({ type: error === undefined ? 'node.registered' : 'request.failed' });
  }

  #tell(event: NodeEvent): void {
    if (!this.#isStopped) this.#actor.send(event);
  }

  #tellPod(uid: string, event: PodEvent): void {
    if (!this.#isStopped) this.#actor.getSnapshot().children[uid]?.send(event);
  }

  #condition(isReady: boolean) {
    const { kernel, images } = this.#parts.context;
    return { isReady, time: kernel.timestamps.toTime(kernel.clock.now()), images: images.report() };
  }

  #added(pod: Pod): void {
    const { uid } = pod.metadata;
    if (this.#workers.has(uid)) return this.#updated(pod, pod);
    const isOver = isTerminalPhase(pod.status.phase);
    if (this.#finished.has(uid) || (isOver && !this.#isHeld(uid))) return this.#removeFinished(pod);
    this.#begin(new PodWorker(this.#parts.context, pod));
  }

  #begin(worker: PodWorker): void {
    this.#workers.set(worker.uid, worker);
    this.#tell({ type: 'pod.added', worker });
    this.#tellPod(worker.uid, { type: 'pod.begin' });
  }

  #isHeld(uid: string): boolean {
    for (const { pod } of this.#parts.context.runtime.sandboxes) if (pod.metadata.uid === uid) return true;
    return false;
  }

  /** Only what others changed makes a pod's machine move: its own status comes back here, too. */
  #updated(previous: Pod, pod: Pod): void {
    const { uid } = pod.metadata;
    if (previous.metadata.uid !== uid) {
      this.#removed(previous);
      return this.#added(pod);
    }
    const worker = this.#workers.get(uid);
    if (worker === undefined) return this.#removeFinished(pod);
    const hadToEnd = worker.mustEnd;
    worker.sandbox.pod = pod;
    if (hadToEnd || worker.mustEnd) {
      const isShorter =
        previous.metadata.deletionGracePeriodSeconds !== pod.metadata.deletionGracePeriodSeconds || !hadToEnd;
      if (isShorter) this.#tellPod(uid, { type: 'pod.ending' });
    } else if (previous.metadata.generation !== pod.metadata.generation || hasOpenGates(previous, pod)) {
      this.#tellPod(uid, { type: 'pod.changed' });
    }
  }

  #removed(pod: Pod): void {
    const { uid } = pod.metadata;
    this.#finished.delete(uid);
    const worker = this.#workers.get(uid);
    if (worker === undefined) return;
    worker.isGone = true;
    this.#tellPod(uid, { type: 'pod.ending' });
  }

  /** A pod that ended before, and that someone deletes now, needs no more time. */
  #removeFinished(pod: Pod): void {
    const { metadata, status } = pod;
    this.#finished.add(metadata.uid);
    if (metadata.deletionTimestamp === undefined || !isTerminalPhase(status.phase)) return;
    const { context } = this.#parts;
    const name = { namespace: metadata.namespace, name: metadata.name };
    deleteObject({ node: context, name, uid: metadata.uid }, () => undefined);
  }

  /** Containers whose pods vanished while no kubelet looked. */
  #endOrphans(): void {
    for (const { pod } of [...this.#parts.context.runtime.sandboxes]) {
      if (this.#workers.has(pod.metadata.uid)) continue;
      if (this.#pods.getByKey(keyOf(pod))?.metadata.uid === pod.metadata.uid) continue;
      const worker = new PodWorker(this.#parts.context, pod);
      worker.isGone = true;
      worker.graceSeconds = 1;
      this.#begin(worker);
    }
  }

  /** What was written to a cut link is written again; the API server sees no change where none was lost. */
  #linkChanged(isUp: boolean): void {
    const { lease } = this.#parts;
    if (!isUp) return lease.pause();
    lease.resume();
    for (const worker of this.#workers.values()) worker.reportAgain();
  }
}

function hasOpenGates(previous: Pod, pod: Pod): boolean {
  return (pod.spec.readinessGates?.length ?? 0) > 0 && previous.status.conditions !== pod.status.conditions;
}
