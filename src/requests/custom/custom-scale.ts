/** The subresource scale of custom resources: their definition says where replicas are (registry/customresource/etcd.go). */
import { withValueAt } from '../../api/custom/scale-paths.js';
import { customScaleOf } from '../../apiserver/requests/scale.js';
import type { Scale } from '../../apiserver/store/server-types.js';
import type { Asked } from '../asked.js';

/** How a custom resource is scaled; undefined for one that is not. */
export interface CustomScale {
  /** Of the replicas in the object, as steps of owned fields. */
  readonly path: readonly string[];
  readonly read: () => Scale;
  readonly write: (replicas: number) => Scale;
}

/** The scale of what is asked for, where its kind is a custom one. */
export function customScale({ server, kind, name, resource }: Asked): CustomScale | undefined {
  const paths = resource.custom?.version.defined.subresources?.scale;
  if (paths === undefined) return undefined;
  const names = paths.specReplicasPath.split('.').filter((each) => each !== '');
  return {
    path: names.map((each) => `f:${each}`),
    read: () => customScaleOf(server.get(kind, name), paths),
    write: (replicas) => {
      const scaled = server.change(kind, name, (object) => withValueAt(object, paths.specReplicasPath, replicas));
      return customScaleOf(scaled, paths);
    },
  };
}
