/**
 * The node lifecycle controller: nodes announced and missed, and NoSchedule taints that follow their
 * conditions. It never decides that a node is ready: the kubelet says so. Mirrors
 * kube-controller-manager v1.34 pkg/controller/nodelifecycle.
 */
import { keyOf, type Node } from '../../api/objects.js';
import { isApiError } from '../../api/api-error.js';
import { defineController } from '../runtime/controller-definition.js';
import { withConditionTaints } from './condition-taints.js';

/** See the file header. */
export const nodeLifecycleController = defineController({
  name: 'node-lifecycle-controller',
  component: 'node-controller',
  // Upstream's update workers; their work is one patch each.
  concurrentSyncs: 8,
  setup(context) {
    const tell = (node: Node, reason: string, what: string): void => {
      context.recorder.record(node, 'Normal', reason, `Node ${node.metadata.name} event: ${what}`);
    };
    const enqueue = (node: Node): void => {
      if (withConditionTaints(node, '') !== node) context.queue.add(keyOf(node));
    };
    return context.watch('Node', {
      onAdd(node) {
        tell(node, 'RegisteredNode', `Registered Node ${node.metadata.name} in Controller`);
        enqueue(node);
      },
      onUpdate(previous, node) {
        if (previous.spec !== node.spec || previous.status.conditions !== node.status.conditions) enqueue(node);
      },
      onDelete(node) {
        tell(node, 'RemovingNode', `Removing Node ${node.metadata.name} from Controller`);
        context.queue.drop(keyOf(node));
      },
    });
  },
  async reconcile(context, key, nodes) {
    const node = nodes.getByKey(key);
    if (node === undefined) return;
    const timestamp = context.timestamp();
    try {
      await context.api.change('Node', node.metadata, (current) => withConditionTaints(current, timestamp));
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  },
});
