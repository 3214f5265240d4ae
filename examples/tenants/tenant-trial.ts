/** What the tenant operator promises, what users do to it, and how it is searched for bugs. */
import type { Draft, Invariant, Kind, OperatorSearchOptions, OperatorSubject } from 'kubeloom';

const TENANT = 'Tenant' as Kind;
const LABEL = 'example.com/tenant';

const NAMES = ['ada', 'bob', 'cleo'];

const DEFINITION: Draft = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'tenants.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'tenants', singular: 'tenant', kind: 'Tenant', listKind: 'TenantList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

const oneSecret: Invariant = {
  name: 'one-secret',
  promise: 'a tenant never has two secrets',
  onWrite: {
    Secret: ({ type, object: { metadata } }, world) => {
      const tenant = metadata.labels?.[LABEL];
      if (type !== 'ADDED' || tenant === undefined) return undefined;
      const owner = metadata.ownerReferences?.[0]?.uid;
      const secrets = world.list('Secret', { namespace: 'default', labelSelector: `${LABEL}=${tenant}` });
      const own = secrets.filter((secret) => secret.metadata.ownerReferences?.[0]?.uid === owner);
      if (own.length < 2) return undefined;
      return { object: `Tenant ${tenant}`, text: `has ${own.length} secrets` };
    },
  },
};

/** The search; seeds and the like may be given beside it. */
export function tenantSearch(operator: OperatorSubject): Omit<OperatorSearchOptions, 'seeds'> {
  return {
    operator,
    cluster: { nodes: 0 },
    prepare: (cluster) => {
      cluster.apply([DEFINITION, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'billing' } }]);
    },
    actions: [
      {
        name: 'join',
        act: (cluster, random) =>
          void cluster.create(TENANT, {
            apiVersion: 'example.com/v1',
            kind: 'Tenant',
            metadata: { name: NAMES[random.int(0, 2)] ?? 'ada', namespace: 'default' },
          }),
      },
      { name: 'leave', act: (cluster, random) => cluster.delete(TENANT, NAMES[random.int(0, 2)] ?? 'ada') },
      {
        name: 'edit',
        act: (cluster, random) => {
          const metadata = { annotations: { edited: String(random.bits()) } };
          cluster.patch(TENANT, NAMES[random.int(0, 2)] ?? 'ada', { metadata });
        },
      },
    ],
    invariants: [oneSecret],
    expectations: [
      {
        name: 'billed',
        holds: (cluster) => {
          const tenants = cluster.list(TENANT).map(({ metadata }) => metadata.name);
          const bills = cluster.list('ConfigMap', { namespace: 'billing' }).map(({ metadata }) => metadata.name);
          const billed = bills.filter((name) => name !== 'kube-root-ca.crt');
          return tenants.join() === billed.join() || `tenants are ${tenants.join()}, bills ${billed.join()}`;
        },
      },
      {
        name: 'secrets',
        holds: (cluster) => {
          const secrets = cluster.list('Secret', { labelSelector: LABEL });
          const without = cluster.list(TENANT).filter(({ metadata }) => {
            return !secrets.some((secret) => secret.metadata.labels?.[LABEL] === metadata.name);
          });
          return without.length === 0 || `${without.map(({ metadata }) => metadata.name).join()} has no secret`;
        },
      },
    ],
    bounds: { actions: [6, 14], faults: [3, 6], seconds: 90 },
  };
}
