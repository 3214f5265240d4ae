/** Puts the objects of a picture into an API server that has none yet, and the leases of nodes that are alive. */
import { ApiError } from '../../api/errors/api-error.js';
import { getCondition } from '../../api/objects/conditions.js';
import type { AnyObject, Node } from '../../api/objects/objects.js';
import type { ApiServer } from '../../apiserver/store/server-types.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import type { ClusterPicture } from './picture.js';
import { ImportError } from './import-error.js';

const LEASE_NAMESPACE = 'kube-node-lease';
const LEASE_DURATION_SECONDS = 40;

/** See the file header. @throws ImportError that names the file and the field */
export function loadPicture(
  server: Pick<ApiServer, 'load' | 'endLoad'>,
  { objects, digest, state }: ClusterPicture,
  timestamps: Timestamps,
): void {
  const renewTime = timestamps.toMicroTime(0);
  for (const { kind, draft, place } of objects) {
    try {
      const object = server.load(kind, draft);
      if (!isNode(object) || !isAlive(object, state?.nodes[object.metadata.name]?.isRunning)) continue;
      const { name, uid } = object.metadata;
      server.load('Lease', {
        metadata: {
          name,
          namespace: LEASE_NAMESPACE,
          ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
        },
        spec: { holderIdentity: name, leaseDurationSeconds: LEASE_DURATION_SECONDS, renewTime },
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new ImportError(place, '', `${kind} ${nameText(draft.metadata)}: ${error.message}`);
    }
  }
  server.endLoad(digest);
}

function isNode(object: AnyObject): object is Node {
  return object.kind === 'Node';
}

/** Whether its kubelet runs: of a node that nothing is heard of it does not. */
export function isAlive(node: Node, isSavedRunning: boolean | undefined): boolean {
  return isSavedRunning ?? getCondition(node.status.conditions, 'Ready')?.status !== 'Unknown';
}

function nameText({ namespace = '', name = '' }: { readonly namespace?: string; readonly name?: string }): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
