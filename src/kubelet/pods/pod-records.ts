/** How a kubelet's process comes to know the containers of a pod, and keeps up with the pod's spec. */
import type { Container, ContainerStatus, Pod, PodSpec } from '../../api/objects/objects.js';
import type { RandomStream } from '../../kernel/random.js';
import type { ContainerRecord, PodRecords } from '../containers/container-record.js';
import { ContainerSlot, type PodSandbox } from '../containers/container-runtime.js';
import type { NodeContext } from '../node/node-context.js';
import type { ContainerMemory } from '../resumed/resumed-machine.js';
import { nextBackOff, type BackOffEntry } from '../containers/restart-back-off.js';
import { initRole, type ContainerRole } from '../containers/restart-policy.js';
import { scriptStream } from '../scripts/script-stream.js';
import type { ScriptProblem } from '../scripts/script-types.js';

/** Why containers wait that nothing has gone wrong with. */
const STARTING: readonly string[] = ['ContainerCreating', 'PodInitializing'];
/** A back-off does not grow after that. */
const MOST_DOUBLINGS = 6;
const NO_RECORDS: readonly ContainerRecord[] = [];

/** Begins to remember. What the API shows of containers that the runtime does not know is where they stand. */
export function recordsOf(node: NodeContext, pod: Pod, sandbox: PodSandbox): PodRecords {
  const { slots } = sandbox;
  const { initContainers = [], containers } = pod.spec;
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status;
  const record = recorder(node, pod);
  const init = known(
    initContainers.map((spec, index) => record(spec, initRole(spec), slots[index], initContainerStatuses)),
  );
  const app = known(
    containers.map((spec, index) => record(spec, 'app', slots[initContainers.length + index], containerStatuses)),
  );
  const records: PodRecords = { init, app, ephemeral: NO_RECORDS };
  addEphemeral(node, sandbox, records);
  return records;
}

/** The same list where none is missing: it has room for no more, of which every pod has some. */
function known(records: readonly (ContainerRecord | undefined)[]): readonly ContainerRecord[] {
  if (records.length === 0) return NO_RECORDS;
  return records.every((each) => each !== undefined) ? records : records.filter((each) => each !== undefined);
}

type Recorder = (
  spec: Container,
  role: ContainerRole,
  slot: ContainerSlot | undefined,
  shown: readonly ContainerStatus[],
) => ContainerRecord | undefined;

/** Begins to remember single containers. */
function recorder(node: NodeContext, pod: Pod): Recorder {
  const nowMs = node.kernel.clock.now();
  const onProblem = (problem: ScriptProblem): void => node.events.invalidScript(pod, problem);
  return (spec, role, slot, shown) => {
    if (slot === undefined) return undefined;
    const script = node.scripts.scriptOf(pod, spec, onProblem);
    const probes = node.probes.watch(spec, script, nowMs);
    const status = shown.length === 0 ? undefined : shown.find(({ name }) => name === spec.name);
    if (status !== undefined) takeOver(slot, status);
    const unknown = { backOff: undefined, waiting: undefined, kill: undefined, facts: undefined };
    return { spec, role, script, slot, probes, ...unknown, status };
  };
}

/** Containers that were added to the pod since it was looked at last; none is ever taken out. */
function addEphemeral(node: NodeContext, sandbox: PodSandbox, records: PodRecords): void {
  const { pod, slots } = sandbox;
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  const added = ephemeralContainers.slice(records.ephemeral.length);
  if (added.length === 0) return;
  const record = recorder(node, pod);
  const shown = pod.status.ephemeralContainerStatuses ?? [];
  const before = initContainers.length + containers.length + records.ephemeral.length;
  const more = added.map((spec, index) => {
    const slot = (slots[before + index] ??= new ContainerSlot(spec.name));
    return record(spec, 'ephemeral', slot, shown);
  });
  records.ephemeral = [...records.ephemeral, ...known(more)];
}

/** Remembers what another process of the kubelet knew of a container, as far as it is known. */
export function resumeRecord(record: ContainerRecord, memory: ContainerMemory | undefined): void {
  const { status, slot } = record;
  if (status === undefined) return;
  const { started, ready, state } = status;
  record.found = { isStarted: started === true || ready, isReady: ready };
  const { waiting } = state ?? {};
  if (waiting?.reason !== undefined && !STARTING.includes(waiting.reason)) {
    record.waiting = { reason: waiting.reason, ...(waiting.message === undefined ? {} : { message: waiting.message }) };
  }
  record.backOff = memory?.backOff ?? likelyBackOff(slot, status.restartCount);
}

/** A container that was restarted so often waits so long before it is again. */
function likelyBackOff({ current }: ContainerSlot, restarts: number): BackOffEntry | undefined {
  if (current === undefined || restarts < 1) return undefined;
  let entry: BackOffEntry | undefined;
  for (let count = 0; count < Math.min(restarts, MOST_DOUBLINGS); count += 1) {
    entry = nextBackOff(entry, current.runningMs);
  }
  return entry;
}

/** A machine that has lost everything but its log files still counts the runs. */
function takeOver(slot: ContainerSlot, { restartCount, state, lastState }: ContainerStatus): void {
  if (slot.attempts > 0) return;
  const hasRun = state?.waiting === undefined || lastState?.terminated !== undefined;
  slot.attempts = hasRun ? restartCount + 1 : restartCount;
}

/** The pod's spec has changed: what depends on its old form begins anew. */
export function updateSpecs(node: NodeContext, sandbox: PodSandbox, records: PodRecords, spec: PodSpec): void {
  const { init, app } = records;
  const { initContainers = [], containers } = spec;
  for (const [index, record] of init.entries()) update(record, initContainers[index]);
  for (const [index, record] of app.entries()) update(record, containers[index]);
  addEphemeral(node, sandbox, records);
}

function update(record: ContainerRecord, spec: Container | undefined): void {
  if (spec === undefined || spec === record.spec) return;
  if (spec.image !== record.spec.image || spec.resources !== record.spec.resources) record.backOff = undefined;
  record.spec = spec;
}

/** Where a container's script draws what it needs step by step. */
export function stepStream({ kernel }: NodeContext, pod: Pod, { slot, spec }: ContainerRecord): RandomStream {
  slot.random ??= scriptStream(kernel, pod, spec, 'steps');
  return slot.random;
}
