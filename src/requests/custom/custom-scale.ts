/** The subresource scale of custom resources: their definition says where replicas are (registry/customresource/etcd.go). */
import type { ScalePaths } from '../../api/custom/definition.js';
import { valueAt, withValueAt } from '../../api/custom/scale-paths.js';
import type { AnyObject } from '../../api/objects/objects.js';
import { badRequest, internalError } from '../../apiserver/store/api-errors.js';
import { validateScale } from '../../apiserver/requests/scale.js';
import type { Scale } from '../../apiserver/store/server-types.js';
import type { Asked } from '../asked.js';

/** How a custom resource is scaled; undefined for one that is not. */
export interface CustomScale {
  read(): Scale;
  write(replicas: number | undefined): Scale;
}

/** The scale of what is asked for, where its kind is a custom one. */
export function customScale({ server, kind, name, resource }: Asked): CustomScale | undefined {
  const paths = resource.custom?.version.defined.subresources?.scale;
  if (paths === undefined) return undefined;
  return {
    read: () => scaleOf(server.get(kind, name), paths),
    write: (replicas) => {
      if (replicas === undefined)
        throw badRequest(`the spec replicas field "${paths.specReplicasPath}" cannot be empty`);
      validateScale(name.name, replicas);
      const scaled = server.change(kind, name, (object) => withValueAt(object, paths.specReplicasPath, replicas));
      return scaleOf(scaled, paths);
    },
  };
}

function scaleOf(object: AnyObject, { specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = valueAt(object, specReplicasPath);
  if (typeof replicas !== 'number') {
    throw internalError(`the spec replicas field "${specReplicasPath}" does not exist`);
  }
  const present = valueAt(object, statusReplicasPath);
  const selector = labelSelectorPath === undefined ? undefined : valueAt(object, labelSelectorPath);
  return {
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: { replicas },
    status: {
      replicas: typeof present === 'number' ? present : 0,
      ...(typeof selector === 'string' && selector !== '' ? { selector } : {}),
    } as Scale['status'],
  };
}
