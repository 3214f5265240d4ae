/** The subresource scale of custom resources: their definition says where replicas are (registry/customresource/etcd.go). */
import { valueAt, withValueAt } from '../../api/custom/scale-paths.js';
import type { AnyObject } from '../../api/objects/objects.js';
import { customScaleOf } from '../../apiserver/requests/scale.js';
import { badRequest } from '../../apiserver/store/api-errors.js';
import type { Scale } from '../../apiserver/store/server-types.js';
import type { Asked } from '../asked.js';

/** What a Scale says of an object that does not say its replicas, to whoever is about to write them. */
const UNSET_REPLICAS = -(2 ** 31);

/** How a custom resource is scaled; undefined for one that is not. */
export interface CustomScale {
  /** Of the replicas in the object, as steps of owned fields. */
  readonly path: readonly string[];
  /** @throws ApiError 500 for an object that does not say its replicas */
  readonly read: () => Scale;
  /** The scale that a write changes, of any object. */
  readonly live: () => Scale;
  /** @throws ApiError 400 for a scale that says as little as an object that has none, 409 for another version, 422 */
  readonly write: (scale: WantedScale) => Scale;
}

/** What a write of a scale is about. */
export interface WantedScale {
  readonly replicas: number;
  /** That the object must have; none = any. */
  readonly resourceVersion?: string | undefined;
}

/** The scale of what is asked for, where its kind is a custom one. */
export function customScale({ server, kind, name, resource }: Asked): CustomScale | undefined {
  const paths = resource.custom?.version.defined.subresources?.scale;
  if (paths === undefined) return undefined;
  const { specReplicasPath } = paths;
  const names = specReplicasPath.split('.').filter((each) => each !== '');
  const live = (): Scale => {
    const object = server.get(kind, name);
    const isSet = typeof valueAt(object, specReplicasPath) === 'number';
    return customScaleOf(isSet ? object : withValueAt(object, specReplicasPath, UNSET_REPLICAS), paths);
  };
  return {
    path: names.map((each) => `f:${each}`),
    read: () => customScaleOf(server.get(kind, name), paths),
    live,
    write: ({ replicas, resourceVersion }) => {
      if (replicas === UNSET_REPLICAS) {
        throw badRequest(`the spec replicas field ${JSON.stringify(specReplicasPath)} cannot be empty`);
      }
      return server.scaling(kind, name, { present: live(), replicas }, (admitted) => {
        const scale = (object: AnyObject): AnyObject => withValueAt(object, specReplicasPath, admitted);
        const preconditions = { resourceVersion };
        return customScaleOf(server.change(kind, name, scale, { preconditions }), paths);
      });
    },
  };
}
