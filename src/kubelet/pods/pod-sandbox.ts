/** How a pod gets its sandbox with its address, and loses it. Mirrors the sandbox part of the kubelet's SyncPod (v1.34). */
import { assert } from '../../kernel/assert.js';
import { sample } from '../../kernel/distribution.js';
import { isAlive, type PodSandbox } from '../containers/container-runtime.js';
import type { NodeContext } from '../node/node-context.js';
import type { PodWorker } from './pod-worker.js';

/** Says that a sandbox has been lost; what ran in it is to go first. */
export function announceSandboxChange({ node, pod, sandbox, plan }: PodWorker): void {
  if (!plan.createsSandbox || sandbox.attempts === 0) return;
  const message = 'Pod sandbox changed, it will be killed and re-created.';
  node.events.pod(pod, 'Normal', 'SandboxChanged', message);
}

/** Begins to make a sandbox. The init containers of an older one are forgotten: they will run again. */
export function beginSandbox(worker: PodWorker): void {
  const { node, sandbox, records, nowMs } = worker;
  const { runtime, profile, random } = node;
  closeSandbox(worker);
  worker.plan.createsSandbox = false;
  if (sandbox.attempts > 0) runtime.purge(records.init.map(({ slot }) => slot));
  if (runtime.sandboxDelayMs > 0) runtime.meet('createSandbox');
  worker.stepEndMs = nowMs + sample(profile.sandbox, random) + runtime.sandboxDelayMs;
}

/** Whether the runtime cannot make it. */
export function failsSandbox({ node }: PodWorker): boolean {
  return node.runtime.sandboxError !== undefined;
}

/** The runtime could not make it. */
export function failSandbox({ node, pod }: PodWorker): void {
  const error = node.runtime.sandboxError ?? '';
  node.runtime.meet('createSandbox');
  node.events.pod(pod, 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${error}`);
}

/** The sandbox is up, and has an address. */
export function openSandbox({ node, pod, sandbox }: PodWorker): void {
  const { podRange, hostIps, nodeName } = node;
  sandbox.attempts += 1;
  sandbox.isReady = true;
  sandbox.address = pod.spec.hostNetwork === true ? hostIps[0]?.ip : undefined;
  sandbox.address ??= podRange.take();
  assert(sandbox.address !== undefined, `node ${nodeName} must have an address for each pod it admits`);
}

/** The sandbox goes, and its address is free. */
export function closeSandbox({ node, sandbox }: Pick<PodWorker, 'node' | 'sandbox'>): void {
  sandbox.isReady = false;
  if (sandbox.address === undefined) return;
  node.podRange.free(sandbox.address);
  sandbox.address = undefined;
}

/** Removes the records of a pod that is gone from the API. `false` when something of it still runs. */
export function removeEnded(node: NodeContext, sandbox: PodSandbox): boolean {
  if (isAlive(sandbox)) return false;
  closeSandbox({ node, sandbox });
  node.runtime.remove(sandbox.pod.metadata.uid);
  return true;
}
