/**
 * The role aggregation controller: an aggregated cluster role has the rules of all that it selects. Mirrors
 * kube-controller-manager v1.34 pkg/controller/clusterroleaggregation.
 */
import type { Role } from '../../api/rbac/rbac-objects.js';
import { aggregatedRules } from '../../api/rbac/role-aggregation.js';
import type { KindMap } from '../../api/objects/objects.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import type { Informer } from '../../bus/bus-types.js';
import { defineController } from '../runtime/controller-definition.js';

type KubeRole = KindMap['ClusterRole'];

/** See the file header; the name of a role is a key. */
export const roleAggregationController = defineController<Informer<'ClusterRole'>>({
  name: 'clusterrole-aggregation-controller',
  setup(context) {
    // Which role selects which hangs on labels: all that are aggregated are looked at.
    const lookAtAll = (): void => {
      for (const role of roles.list())
        if (asRole(role).aggregationRule !== undefined) context.queue.add(role.metadata.name);
    };
    const roles = context.informer('ClusterRole');
    context.watch('ClusterRole', {
      onAdd: lookAtAll,
      onUpdate: lookAtAll,
      onDelete: lookAtAll,
    });
    return roles;
  },
  async reconcile(context, name, roles) {
    const role = roles.get({ name });
    if (role === undefined) return;
    const rules = aggregatedRules(asRole(role), [...roles.list()].map(asRole));
    if (rules === undefined || isSameJson(rules, asRole(role).rules ?? [])) return;
    const change = (present: KubeRole): KubeRole => Object.assign({ ...present }, { rules });
    await context.api.change('ClusterRole', { name }, change, { appliedBy: context.name });
  },
});

function asRole(object: object): Role {
  return object as Role;
}
