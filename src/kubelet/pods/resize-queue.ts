/**
 * Resizes of a node's pods that wait for room: tried when they are asked for, and again when room is left. Mirrors
 * RetryPendingResizes of the kubelet's allocation manager (v1.34), which also looks every three minutes.
 */
import type { PodSpec } from '../../api/objects/objects.js';
import { podRequests } from '../../api/pods/pod-resources.js';
import { qosClass } from '../../api/pods/qos-class.js';
import { PodResize, resizableRecords, type PendingResize } from './pod-resize.js';
import type { PodWorker } from './pod-worker.js';
import { LateSet } from '../../kernel/late-collections.js';

/** What a runtime takes to change the limits of containers. */
const UPDATE_MS = 50;

/** See the file header. One per process of a kubelet. */
export class ResizeQueue {
  readonly #waiting = new LateSet<PodWorker>();

  /** The API asks for other resources than before: they are set aside if the node has them. */
  ask(worker: PodWorker, previous: PodSpec): void {
    const resize = (worker.resize ??= new PodResize(previous));
    if (resize.isAllocated(worker.pod.spec)) {
      resize.pending = undefined;
      this.#waiting.delete(worker);
      return;
    }
    if (!worker.isAdmitted) return;
    this.#waiting.add(worker);
    this.retry();
  }

  /** A pod has left room, or has come; one that waited when the process before ended waits until all pods are here. */
  podChanged(worker: PodWorker | undefined): void {
    if (worker?.isAdmitted !== true) return this.retry();
    if (worker.resize?.isAllocated(worker.pod.spec) !== false) return;
    this.#waiting.add(worker);
    worker.node.kernel.clock.schedule(UPDATE_MS, () => this.retry());
  }

  /** Looks again at all that wait: those that ask for no more first, then by priority, class and age. */
  retry(): void {
    if (this.#waiting.size === 0) return;
    for (const worker of [...this.#waiting].toSorted(byUrgency)) {
      const { resize } = worker;
      if (resize === undefined || worker.mustEnd || !worker.isAdmitted) {
        this.#waiting.delete(worker);
        continue;
      }
      const before = resize.conditions();
      tryResize(worker, resize);
      if (resize.pending?.reason !== 'Deferred') this.#waiting.delete(worker);
      if (resize.conditions() !== before) worker.report();
    }
  }
}

function byUrgency(a: PodWorker, b: PodWorker): number {
  const increasing = Number(isIncreasing(a)) - Number(isIncreasing(b));
  if (increasing !== 0) return increasing;
  const priority = (b.pod.spec.priority ?? 0) - (a.pod.spec.priority ?? 0);
  if (priority !== 0) return priority;
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) return rank;
  return (a.resize?.pending?.sinceMs ?? Infinity) < (b.resize?.pending?.sinceMs ?? Infinity) ? -1 : 1;
}

function rankOf({ pod }: PodWorker): number {
  return qosClass(pod.spec) === 'Guaranteed' ? 0 : 1;
}

function isIncreasing({ resize, pod }: PodWorker): boolean {
  if (resize === undefined) return false;
  const [before, after] = [podRequests(resize.allocated), podRequests(pod.spec)];
  return ['cpu', 'memory'].some((name) => (after.get(name) ?? 0) > (before.get(name) ?? 0));
}

function tryResize(worker: PodWorker, resize: PodResize): void {
  const { node, pod, nowMs } = worker;
  const { resources } = node;
  const wanted = podRequests(pod.spec);
  const wait = (reason: PendingResize['reason'], message: string): void => {
    const { sinceMs = nowMs } = resize.pending ?? {};
    resize.pending = { reason, message, generation: pod.metadata.generation, sinceMs };
  };
  for (const name of ['memory', 'cpu']) {
    const [requested, capacity] = [wanted.get(name) ?? 0, resources.capacity(name)];
    if (capacity === undefined || requested <= capacity) continue;
    const amounts = `${name}, requested: ${requested}, capacity: ${capacity}`;
    return wait('Infeasible', `Node didn't have enough capacity: ${amounts}`);
  }
  resources.giveBack(podRequests(resize.allocated));
  const [shortage] = resources.shortages(wanted);
  if (shortage !== undefined) {
    resources.take(podRequests(resize.allocated));
    const { resource, requested, used, capacity } = shortage;
    const amounts = `requested: ${requested}, used: ${used}, capacity: ${capacity}`;
    return wait('Deferred', `Node didn't have enough resource: ${resource}, ${amounts}`);
  }
  resources.take(wanted);
  resize.allocated = pod.spec;
  resize.pending = undefined;
  resize.progress = { generation: pod.metadata.generation };
  node.kernel.clock.schedule(UPDATE_MS, () => putIntoEffect(worker, resize));
}

/** Has the runtime change what it can, and ends the runs of containers that want to be restarted for it. */
function putIntoEffect(worker: PodWorker, resize: PodResize): void {
  if (resize !== worker.resize || worker.isGone || worker.mustEnd || resize.progress === undefined) return;
  let restarts = false;
  for (const { slot, spec } of resizableRecords(worker.records)) {
    const { current } = slot;
    if (!slot.isRunning || current === undefined || resize.isActual(spec.name)) continue;
    if (resize.needsRestart(worker.pod.spec.containers.find(({ name }) => name === spec.name) ?? spec)) {
      resize.restarting.add(current);
      restarts = true;
    } else resize.actuate(spec.name);
  }
  if (restarts) worker.notifyChange();
  else worker.report();
}
