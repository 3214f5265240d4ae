/**
 * The node lifecycle controller: nodes announced and missed, NoSchedule taints that follow their
 * conditions, nodes that fall silent declared Unknown, and NoExecute taints for the lost ones at a rate
 * that depends on how many there are in their zone. It never decides that a node is ready, and never
 * deletes a pod: the kubelet and taint eviction do. Mirrors kube-controller-manager v1.34
 * pkg/controller/nodelifecycle.
 */
import { ApiError, isApiError } from '../../api/errors/api-error.js';
import { LinkDownError } from '../../bus/bus-types.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { withConditionTaints } from './condition-taints.js';
import { HealthMonitor } from './health-monitor.js';
import { LifecycleMemory, MONITOR, NODE, POD, ZONE } from './lifecycle-memory.js';
import { isMarkable, markPodsNotReady } from './mark-pods.js';
import { READ_FIRST, withNoExecuteTaint, type ReadyStatus } from './no-execute-taints.js';
import { countEviction, notePass } from './zone-metrics.js';
import { SECOND_MS } from '../../kernel/time-units.js';

/** Upstream's 8 workers for nodes, 4 for pods, the monitor and the loop that taints. */
const CONCURRENT_SYNCS = 14;
/** Until a node that could not be read is taken out of the queue again, as upstream. */
const RETRY_MS = 50;

/** See the file header. */
export const nodeLifecycleController = defineController({
  name: 'node-lifecycle-controller',
  component: 'node-controller',
  concurrentSyncs: CONCURRENT_SYNCS,
  setup: (context) => new LifecycleMemory(context),
  async reconcile(context, key, memory) {
    if (key === MONITOR) return monitor(context, memory);
    if (key.startsWith(NODE)) return followConditions(context, memory, key.slice(NODE.length));
    if (key.startsWith(ZONE)) return taintNodes(context, memory, key.slice(ZONE.length));
    return markPod(context, memory, key.slice(POD.length));
  },
});

async function monitor(context: ControllerContext, memory: LifecycleMemory): Promise<void> {
  const { clock } = context.kernel;
  const nowMs = clock.now();
  memory.passes.begin(nowMs);
  // A pass that took longer than the period makes the next one wait for its time.
  if (memory.passes.from(nowMs) === nowMs) {
    await new HealthMonitor(context, memory).pass(nowMs);
    notePass(context.metrics, (clock.now() - nowMs) / SECOND_MS);
  }
  memory.arm();
}

async function followConditions(context: ControllerContext, memory: LifecycleMemory, name: string): Promise<void> {
  if (!memory.records.has(name)) return;
  const timestamp = context.timestamp();
  try {
    await context.api.change('Node', { name }, (node) => withConditionTaints(node, timestamp), READ_FIRST);
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

/** Taints the nodes of a zone that wait for it, as far as there are tokens. */
async function taintNodes(context: ControllerContext, memory: LifecycleMemory, zone: string): Promise<void> {
  const { clock } = context.kernel;
  const queue = memory.zones.get(zone)?.queue;
  for (let name = queue?.take(clock.now()); name !== undefined; name = queue?.take(clock.now())) {
    const record = memory.records.get(name);
    if (record === undefined || record.ready === 'True') continue;
    if (record.ready !== undefined && (await taint(context, name, record.ready))) countEviction(context.metrics, zone);
    else queue?.putBack(name, clock.now() + (record.ready === undefined ? RETRY_MS : 0));
  }
  memory.armZone(zone);
}

async function taint(context: ControllerContext, name: string, ready: ReadyStatus): Promise<boolean> {
  try {
    const timestamp = context.timestamp();
    await context.api.change('Node', { name }, (node) => withNoExecuteTaint(node, ready, timestamp), READ_FIRST);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof LinkDownError)) throw error;
    return false;
  }
}

async function markPod(context: ControllerContext, memory: LifecycleMemory, key: string): Promise<void> {
  const pod = memory.pod(key);
  if (pod === undefined || !isMarkable(pod)) return;
  const ready = memory.records.get(pod.spec.nodeName ?? '')?.passedReady;
  if (ready !== undefined && ready !== 'True') await markPodsNotReady(context, [pod]);
}
