/** Writes what is attached into the statuses of nodes. Upstream: statusupdater (v1.34). */
import { ApiError, isApiError } from '../../api/errors/api-error.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import type { Node } from '../../api/objects/objects.js';
import { LinkDownError } from '../../bus/bus-types.js';
import type { AttachDetachMemory } from './attach-detach-memory.js';

/** Writes all that are due, one after the other; one that fails is due again. */
export async function updateNodeStatuses(memory: AttachDetachMemory): Promise<void> {
  for (const nodeName of memory.actual.dueNodes()) await updateNodeStatus(memory, nodeName);
}

/** Writes one if it is due. `false` when that failed; a node that is not there needs nothing. */
export async function updateNodeStatus(
  { actual, context, nodes }: AttachDetachMemory,
  nodeName: string,
): Promise<boolean> {
  if (!actual.isDue(nodeName)) return true;
  actual.setDue(nodeName, false);
  if (nodes.getByKey(nodeName) === undefined) return true;
  const attached = [...actual.reported(nodeName)].map((name) => ({ name, devicePath: '' }));
  try {
    await context.api.change('Node', { name: nodeName }, (node) => withAttached(node, attached), {
      subresource: 'status',
    });
    return true;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return true;
    if (!(error instanceof ApiError) && !(error instanceof LinkDownError)) throw error;
    actual.setDue(nodeName, true);
    return false;
  }
}

function withAttached(node: Node, attached: NonNullable<Node['status']['volumesAttached']>): Node {
  const { volumesAttached = [], ...status } = node.status;
  if (isSameJson(volumesAttached, attached)) return node;
  return { ...node, status: attached.length === 0 ? status : { ...status, volumesAttached: attached } };
}
