/**
 * One run of a kubelet's process, from start to stop: the node's registration and status, the pods'
 * workers, and what it hears from the API server and from its runtime. What outlives the process (the
 * runtime, the images, the lease's clock) is handed in.
 */
import { createActor, type Actor } from 'xstate';
import { isApiError } from '../api/errors/api-error.js';
import { keyOf, type Node, type Pod } from '../api/objects/objects.js';
import type { Connection, EventRecorder, Informer, SendingClient } from '../bus/bus-types.js';
import type { PodMemory, ResumedMachine, ResumedPod } from './resumed/resumed-machine.js';
import { createActorClock } from '../kernel/engine/xstate-clock.js';
import type { MachineWatch, Trail } from '../machines/trail.js';
import { byCreation } from './admission/admission-order.js';
import { EvictionManager } from './eviction/eviction-manager.js';
import { STARTING_PROBLEMS } from './configuration/node-conditions.js';
import type { NodeContext } from './node/node-context.js';
import { RENEW_INTERVAL_MS, type NodeLease } from './node/node-lease.js';
import { NodeContact, type ContactDuties } from './node/node-contact.js';
import { nodeLogic, type NodeDuties, type NodeEvent } from './node-machine.js';
import { nodeDraft, reconciledNode, type NodeSetup } from './node/node-object.js';
import { compareWith, isShownWrongly, nodeReport, reportedNode } from './node/node-report.js';
import { releasePod } from './pods/pod-admission.js';
import { hasOtherGates } from './status/pod-conditions.js';
import { isTerminalPhase } from './status/pod-phase.js';
import { PodMachines } from './pods/pod-machines.js';
import { removeEnded } from './pods/pod-sandbox.js';
import { STATUS_RETRY_MS } from './pods/pod-machine.js';
import { deleteObject } from './pods/pod-stopping.js';
import type { Condemnation } from './node/pod-verdict.js';
import { hasOtherResources } from './pods/pod-resize.js';
import { PodWorker } from './pods/pod-worker.js';
import { ResizeQueue } from './pods/resize-queue.js';
import { isMirror } from './configuration/critical-pod.js';
import { MirrorPods } from './static-pods/mirror-pods.js';
import { DevicePublisher } from './devices/device-publisher.js';
import { staticPod } from './static-pods/static-pod.js';
import { ShutdownManager, type ShutdownDuties } from './shutdown/shutdown-manager.js';
import { StatusReconciler } from './pods/status-reconciler.js';
import { LateSet } from '../kernel/late-collections.js';

/** Between attempts to register: doubled from the first to the longest (registerWithAPIServer). */
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 7000;
const NONE_RESUMED: ReadonlyMap<string, ResumedPod> = new Map();

/** What an agent is made of. */
export interface NodeAgentParts {
  readonly context: NodeContext;
  readonly connection: Connection;
  /** Renews the lease and reports the node's status; without a limit. */
  readonly heartbeat: SendingClient;
  /** Writes the events. */
  readonly eventClient: SendingClient;
  /** Of events about the node and its pods. */
  readonly recorder: EventRecorder;
  readonly setup: NodeSetup;
  readonly lease: NodeLease;
  /** Offset of the node's ten-second marks, 0..9999. */
  readonly phaseMs: number;
}

function isNodeReady({ status: { conditions = [] } }: Node): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** See the file header. */
export class NodeAgent implements NodeDuties, ContactDuties, ShutdownDuties {
  readonly machines = new PodMachines();
  readonly shutdown: ShutdownManager;
  readonly #parts: NodeAgentParts;
  readonly #actor: Actor<typeof nodeLogic>;
  readonly #pods: Informer<'Pod'>;
  readonly #nodes: Informer<'Node'>;
  readonly #eviction: EvictionManager;
  /** `undefined` = the node has no static pods. */
  #mirrors: MirrorPods | undefined;
  /** Pods of the first list, which are looked at together. */
  #batch: Pod[] | undefined = [];
  /** Pods that are being worked on, by uid. */
  readonly #workers = new Map<string, PodWorker>();
  /** Uids of pods that have ended here while their objects are still there. */
  readonly #finished = new LateSet<string>();
  readonly #contact: NodeContact;
  readonly #reconciler: StatusReconciler;
  #resizes = new ResizeQueue();
  readonly #resumed: ResumedMachine | undefined;
  /** By uid. */
  readonly #resumedPods: ReadonlyMap<string, ResumedPod>;
  #nodeUid: string | undefined;
  /** `undefined` = the machine has no devices. */
  readonly #devices: DevicePublisher | undefined;
  #retryMs = FIRST_RETRY_MS;
  #isStopped = false;
  /** Raised by each change that the node's status has yet to tell. */
  #changes = 0;
  #reportedChanges = -1;
  /** Version of the node's object after the last report. */
  #reportedVersion = Infinity;

  /** @param resumed - what a process before this one has left, of which nothing is told anew */
  constructor(parts: NodeAgentParts, resumed?: ResumedMachine) {
    this.#parts = parts;
    this.#resumed = resumed;
    this.#resumedPods =
      resumed === undefined ? NONE_RESUMED : new Map(resumed.pods.map((each) => [each.pod.metadata.uid, each]));
    const { connection, context } = parts;
    const { devices } = parts.setup;
    if (devices !== undefined && devices.length > 0) this.#devices = new DevicePublisher(context, devices);
    const { clock } = context.kernel;
    this.#actor = createActor(nodeLogic, { id: context.nodeName, input: this, clock: createActorClock(clock) });
    this.#pods = connection.select('Pod', { fieldSelector: `spec.nodeName=${context.nodeName}` });
    this.#pods.addHandler({
      onAdd: (pod) => this.#added(pod),
      onUpdate: (previous, pod) => this.#updated(previous, pod),
      onDelete: (pod) => this.#removed(pod),
    });
    this.#nodes = connection.select('Node', { fieldSelector: `metadata.name=${context.nodeName}` });
    this.#nodes.addHandler({
      onAdd: (node) => this.#nodeShown(node),
      onUpdate: (_previous, node) => this.#nodeShown(node),
      onDelete: () => {
        context.situation.shown = undefined;
      },
    });
    this.#reconciler = new StatusReconciler(clock);
    this.#eviction = new EvictionManager(context, () => this.noteChange());
    this.shutdown = new ShutdownManager(context, this);
    this.#contact = new NodeContact(parts, this);
    this.#actor.subscribe({
      error: (error: unknown) =>
        void clock.schedule(0, () => {
          throw error;
        }),
    });
  }

  get machine(): 'node' {
    return 'node';
  }

  get machineName(): string {
    return this.#parts.context.nodeName;
  }

  get party(): string {
    return this.#parts.context.party;
  }

  get machineWatch(): MachineWatch {
    return this.#parts.context.machineWatch;
  }

  /** Where its machine and those of its pods have been. */
  *trails(): Iterable<Trail> {
    const { trail } = this.#actor.getSnapshot();
    if (trail !== undefined) yield trail;
    yield* this.machines.trails();
  }

  get isStatusStale(): boolean {
    return this.#reportedChanges !== this.#changes;
  }

  start(): void {
    const { context } = this.#parts;
    this.#contact.begin();
    context.probes.restart(context.kernel.clock.now());
    context.situation.reset();
    this.#resizes = new ResizeQueue();
    context.situation.onChange = (worker) => {
      this.#eviction.podChanged(worker);
      this.#resizes.podChanged(this.#workers.get(worker.pod.metadata.uid));
    };
    context.runtime.onChange = (uid) => this.#runtimeChanged(uid);
    context.runtime.onRun = () => this.#eviction.usageChanged();
    if (this.#resumed === undefined) context.nodeEvents.begin(context.oomKiller.log);
    else context.nodeEvents.resume(this.#resumed.node.status);
    context.oomKiller.onSystemOom = (message) => context.nodeEvents.systemOom(message);
    context.volumes.begin(() => this.noteChange());
    this.#actor.start();
    this.#pods.start();
    this.#pods.whenSynced(() => this.#synced());
    this.#startStaticPods();
  }

  /** Ends the process: no machine moves and nothing is written any more. */
  stop(): void {
    this.#isStopped = true;
    this.#devices?.stop();
    const { runtime, oomKiller } = this.#parts.context;
    runtime.onChange = undefined;
    runtime.onRun = undefined;
    oomKiller.onSystemOom = undefined;
    runtime.abandonStops();
    const { connection, heartbeat, eventClient, recorder } = this.#parts;
    recorder.forget();
    for (const client of [connection.client, heartbeat, eventClient]) client.forget();
    this.#parts.context.situation.onChange = undefined;
    this.#eviction.stop();
    this.#parts.context.volumes.end();
    this.#parts.context.puller.stop();
    this.shutdown.stop();
    this.#nodes.stop();
    this.#contact.end();
    this.#reconciler.stop();
    this.#pods.stop();
    this.#actor.stop();
    this.machines.stop();
    for (const worker of this.#workers.values()) {
      worker.stopProbes();
      releasePod(worker);
    }
    this.#workers.clear();
  }

  /** What it works on a pod with. */
  worker(uid: string): PodWorker | undefined {
    return this.#workers.get(uid);
  }

  /** What was known of a pod that this process has taken over. */
  resumed(uid: string): PodMemory | undefined {
    return this.#resumedPods.get(uid)?.memory;
  }

  /** Ends a pod for the node's sake. */
  condemn(uid: string, condemnation: Condemnation): void {
    this.#workers.get(uid)?.condemn(condemnation);
  }

  tellShutdown(): void {
    this.#changes += 1;
    this.#tell({ type: 'node.shuttingDown' });
  }

  /** Images have come or gone. */
  imagesChanged(): void {
    this.#eviction.usageChanged();
    this.noteChange();
  }

  /** Something of the node's status is different now; told at the next ten-second mark. */
  noteChange(): void {
    this.#changes += 1;
    this.#tell({ type: 'node.changed' });
  }

  register(): void {
    if (this.#resumed !== undefined) return this.#takeOver(this.#resumed.node);
    const { context, setup } = this.#parts;
    const report = nodeReport(context, STARTING_PROBLEMS);
    const draft = nodeDraft(setup, context.machine, report);
    context.nodeEvents.health(report);
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
    this.#parts.heartbeat.create('Lease', this.#parts.lease.draft(this.#nodeUid));
  }

  reportStatus(): void {
    const { context, setup, heartbeat } = this.#parts;
    const reported = this.#changes;
    const report = nodeReport(context);
    context.nodeEvents.health(report);
    context.volumes.reporting(report.volumesInUse);
    heartbeat.change(
      'Node',
      { name: setup.name },
      (node) => reportedNode(node, context, report),
      { subresource: 'status' },
      (error, node) => {
        if (error === undefined) {
          this.#reportedChanges = reported;
          context.volumes.reported(report.volumesInUse);
          this.#reportedVersion = Number(node?.metadata.resourceVersion);
        }
        this.#tell({ type: error === undefined ? 'status.stored' : 'request.failed' });
      },
    );
  }

  untilNextStatusMs(): number {
    const sinceMarkMs = this.#parts.context.kernel.clock.now() - this.#parts.phaseMs;
    return RENEW_INTERVAL_MS - ((sinceMarkMs + RENEW_INTERVAL_MS) % RENEW_INTERVAL_MS);
  }

  forget(uid: string): void {
    this.machines.forget(uid);
    const worker = this.#workers.get(uid);
    if (worker === undefined) return;
    this.#workers.delete(uid);
    this.#parts.context.runtime.remove(uid);
    releasePod(worker);
    if (worker.isGone) this.#parts.context.runtime.removeLogs(uid);
    else this.#finished.add(uid);
  }

  /** What the node's status shows is told anew only where it is wrong. */
  #takeOver(node: Node): void {
    this.#nodeUid = node.metadata.uid;
    if (isNodeReady(node)) this.#reportedChanges = this.#changes;
    this.#nodes.start();
    this.#tell({ type: 'node.resumed' });
  }

  #reconcile(): void {
    const { context, setup } = this.#parts;
    const { name } = setup;
    context.client.change(
      'Node',
      { name },
      (node) => reconciledNode(node, context.machine),
      undefined,
      (error, node) => this.#registered(error, node),
    );
  }

  #registered(error: Error | undefined, node: Node | undefined): void {
    this.#nodeUid = node?.metadata.uid;
    if (node !== undefined) compareWith(this.#parts.context, node);
    if (error === undefined) {
      this.#nodes.start();
      this.#mirrors?.nodeRegistered(node?.metadata.uid);
      if (node !== undefined) this.#devices?.nodeRegistered(node.metadata.uid);
    }
    this.#tell({ type: error === undefined ? 'node.registered' : 'request.failed' });
  }

  #tell(event: NodeEvent): void {
    if (!this.#isStopped) this.#actor.send(event);
  }

  /** Conditions of the node that were written by others are corrected with the next report. */
  #nodeShown(node: Node): void {
    this.#parts.context.situation.shown = node;
    this.#parts.context.volumes.nodeShown(node);
    if (Number(node.metadata.resourceVersion) > this.#reportedVersion && isShownWrongly(this.#parts.context, node)) {
      this.noteChange();
    }
  }

  #runtimeChanged(uid: string): void {
    this.#workers.get(uid)?.wake();
    this.machines.tell(uid, { type: 'runtime.changed' });
    this.#eviction.usageChanged();
  }

  /** The first list is here: its pods come in the order in which they were created. */
  #synced(): void {
    const pods = this.#batch ?? [];
    this.#batch = undefined;
    for (const pod of pods.toSorted(byCreation)) this.#added(pod);
    this.#mirrors?.synced();
    this.#endOrphans();
  }

  #added(pod: Pod): void {
    if (this.#batch !== undefined) return void this.#batch.push(pod);
    if (isMirror(pod)) return this.#mirrorShown(pod);
    const { uid } = pod.metadata;
    if (this.#workers.has(uid)) return this.#updated(pod, pod);
    const isOver = isTerminalPhase(pod.status.phase);
    if (this.#finished.has(uid) || (isOver && this.#parts.context.runtime.held(uid) === undefined))
      return this.#removeFinished(pod);
    const worker = new PodWorker(this.#parts.context, pod);
    const resumed = this.#resumedPods.get(uid);
    if (resumed !== undefined) worker.resume(resumed.memory);
    this.#begin(worker);
  }

  #begin(worker: PodWorker): void {
    this.#workers.set(worker.uid, worker);
    worker.machines = this.machines;
    this.#tell({ type: 'pod.added', worker });
    this.machines.tell(worker.uid, { type: 'pod.begin' });
  }

  /** Only what others changed makes a pod's machine move: its own status comes back here, too. */
  #updated(previous: Pod, pod: Pod): void {
    const { uid } = pod.metadata;
    if (previous.metadata.uid !== uid) {
      this.#removed(previous);
      return this.#added(pod);
    }
    if (isMirror(pod)) return this.#mirrorShown(pod);
    const worker = this.#workers.get(uid);
    if (worker === undefined) return this.#removeFinished(pod);
    const hadToEnd = worker.mustEnd;
    worker.sandbox.pod = pod;
    if (hasOtherResources(previous, pod) && !worker.mustEnd) this.#resizes.ask(worker, previous.spec);
    if (hadToEnd || worker.mustEnd) {
      const isShorter =
        previous.metadata.deletionGracePeriodSeconds !== pod.metadata.deletionGracePeriodSeconds || !hadToEnd;
      if (isShorter) this.machines.tell(uid, { type: 'pod.ending' });
    } else if (previous.metadata.generation !== pod.metadata.generation || hasOtherGates(previous, pod)) {
      worker.wake();
      this.machines.tell(uid, { type: 'pod.changed' });
    } else this.#reconciler.shown(worker);
  }

  /** Static pods run from the start, whether there is an API or not. */
  #startStaticPods(): void {
    const { context, setup } = this.#parts;
    const { staticPods = [] } = setup;
    if (staticPods.length === 0) return;
    const { clock, timestamps } = context.kernel;
    const mirrors = new MirrorPods(context.client, (uid) => this.#workers.get(uid)?.reportAgain());
    this.#mirrors = mirrors;
    context.situation.targetOf = (uid) => mirrors.targetOf(uid);
    for (const manifest of staticPods) {
      const pod = staticPod(manifest, context.nodeName, timestamps.toTime(clock.now()));
      mirrors.add(pod);
      this.#begin(new PodWorker(context, pod));
    }
  }

  /** A mirror is not run; one that shows nothing is taken away. */
  #mirrorShown(pod: Pod): void {
    if (this.#mirrors !== undefined) return this.#mirrors.shown(pod);
    const { uid, namespace, name } = pod.metadata;
    deleteObject({ node: this.#parts.context, name: { namespace, name }, uid }, () => undefined);
  }

  #removed(pod: Pod): void {
    const { uid } = pod.metadata;
    if (isMirror(pod)) return this.#mirrors?.gone(pod);
    this.#finished.delete(uid);
    this.#parts.context.runtime.removeLogs(uid);
    const worker = this.#workers.get(uid);
    if (worker === undefined) return;
    worker.isGone = true;
    this.machines.tell(uid, { type: 'pod.ending' });
  }

  /** A pod that ended before, and is being deleted now, needs no more time. */
  #removeFinished(pod: Pod): void {
    const { metadata, status } = pod;
    this.#finished.add(metadata.uid);
    if (metadata.deletionTimestamp === undefined || !isTerminalPhase(status.phase)) return;
    const { context } = this.#parts;
    const name = { namespace: metadata.namespace, name: metadata.name };
    deleteObject({ node: context, name, uid: metadata.uid }, (outcome) => {
      if (outcome === 'failed') this.#removeLater(metadata.uid, keyOf(pod));
    });
  }

  /** The batch in which upstream's status manager goes through all that is still to be told. */
  #removeLater(uid: string, key: string): void {
    this.#parts.context.kernel.clock.schedule(STATUS_RETRY_MS, () => {
      const pod = this.#isStopped ? undefined : this.#pods.getByKey(key);
      if (pod?.metadata.uid === uid) this.#removeFinished(pod);
    });
  }

  /**
   * Ends containers of pods that vanished while no kubelet ran; of those that have ended the records go. What is mounted
   * for none is unmounted.
   */
  #endOrphans(): void {
    const { context } = this.#parts;
    for (const sandbox of [...context.runtime.sandboxes]) {
      const { pod } = sandbox;
      const { uid } = pod.metadata;
      if (this.#workers.has(uid) || this.#pods.getByKey(keyOf(pod))?.metadata.uid === uid) continue;
      if (removeEnded(context, sandbox)) continue;
      const worker = new PodWorker(context, pod);
      worker.isGone = true;
      worker.graceSeconds = 1;
      this.#begin(worker);
    }
    context.volumes.releaseOrphans((uid) => this.#workers.has(uid));
  }

  writeAgain(): void {
    // Its creation may have been lost; a lease that is there is left as it is.
    if (this.#nodeUid !== undefined) this.createLease();
    for (const worker of this.#workers.values()) worker.reportAgain();
  }
}
