import test from 'ava';
import type { Draft } from '../../src/api/objects/objects.js';
import { createCluster } from '../../src/index.js';
import { createRoom } from '../requests/ask.js';

const PATH = '/apis/apiregistration.k8s.io/v1/apiservices';

/** As kube-apiserver v1.34.2 said it. */
const REFUSED: readonly (readonly [name: string, spec: object, message: string])[] = [
  [
    'v1.foo.io',
    { group: 'foo.io', version: 'v2', groupPriorityMinimum: 100, versionPriority: 10 },
    'metadata.name: Invalid value: "v1.foo.io": must be `spec.version+"."+spec.group`: "v2.foo.io"',
  ],
  [
    'v1.foo.io',
    { group: 'foo.io', version: 'v1', groupPriorityMinimum: 30_000, versionPriority: 0 },
    '[spec.groupPriorityMinimum: Invalid value: 30000: must be positive and less than 20000, ' +
      'spec.versionPriority: Invalid value: 0: must be positive and less than 1000]',
  ],
  [
    'v2.',
    { version: 'v2', groupPriorityMinimum: 100, versionPriority: 10 },
    'spec.group: Required value: only v1 may have an empty group and it better be legacy kube',
  ],
  [
    'v1.bar.io',
    {
      group: 'bar.io',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      caBundle: 'YWJj',
      service: { port: 70_000 },
    },
    '[spec.service.namespace: Required value, spec.service.name: Required value, ' +
      'spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive, ' +
      'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present]',
  ],
];

test('APIService › what is wrong with one is said as upstream says it', (t) => {
  const { ask } = createRoom();
  for (const [name, spec, message] of REFUSED) {
    const body = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name }, spec };
    const answer = ask('POST', PATH, { body });
    t.is(answer.status, 422);
    t.is(
      (answer.body as { readonly message: string }).message,
      `APIService.apiregistration.k8s.io "${name}" is invalid: ${message}`,
    );
  }
});

test('APIService › one of a service gets its port, and each built-in group version has one that is available', (t) => {
  const cluster = createCluster({ nodes: 0 });
  t.teardown(() => cluster.dispose());
  const service = { name: 'a', namespace: 'b' };
  const spec = { group: 'ok.io', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, service };
  cluster.apply([
    { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: 'v1.ok.io' }, spec },
  ]);
  t.like(cluster.get('APIService', 'v1.ok.io').spec, { service: { port: 443 } });
  const local = cluster.list('APIService').filter(({ metadata }) => metadata.name !== 'v1.ok.io');
  t.true(local.length > 20);
  for (const { status } of local)
    t.like(status, { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] });
});

/** Beside its versions it has one that is not served. */
function definition(name: string, versions: readonly string[]): Draft {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}.shop.io` },
    spec: {
      group: 'shop.io',
      scope: 'Namespaced',
      names: { plural: name, kind: name.toUpperCase() },
      versions: [...versions, 'v9'].map((each, index) => {
        const schema = { openAPIV3Schema: { type: 'object' } };
        return { name: each, served: each !== 'v9', storage: index === 0, schema };
      }),
    },
  };
}

test('APIService › each group version of definitions has one as long as one of them serves it', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  t.teardown(() => cluster.dispose());
  const names = async (): Promise<readonly string[]> => {
    await cluster.run({ limit: 5000 });
    const services = cluster.list('APIService').map(({ metadata }) => metadata.name);
    return services.filter((name) => name.endsWith('.shop.io'));
  };
  cluster.apply([definition('as', ['v1', 'v2']), definition('bs', ['v1'])]);
  t.deepEqual(await names(), ['v1.shop.io', 'v2.shop.io']);
  const service = cluster.get('APIService', 'v2.shop.io');
  t.like(service, {
    metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
    spec: { group: 'shop.io', version: 'v2', groupPriorityMinimum: 1000, versionPriority: 100 },
    status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
  });
  cluster.delete('APIService', 'v1.shop.io');
  t.deepEqual(await names(), ['v1.shop.io', 'v2.shop.io']);
  cluster.apply([definition('as', ['v1'])]);
  t.deepEqual(await names(), ['v1.shop.io']);
  cluster.delete('CustomResourceDefinition', 'as.shop.io');
  t.deepEqual(await names(), ['v1.shop.io']);
  cluster.delete('CustomResourceDefinition', 'bs.shop.io');
  t.deepEqual(await names(), []);
});

const REFUSING: readonly Draft[] = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'none' },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['apiregistration.k8s.io'], apiVersions: ['*'], operations: ['*'], resources: ['*'] },
        ],
      },
      validations: [{ expression: 'false' }],
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'none' },
    spec: { policyName: 'none', validationActions: ['Deny'] },
  },
];
const ASKED_OF_ALL: Draft = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'all' },
  webhooks: [
    {
      name: 'all.shop.io',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
    },
  ],
};

for (const [what, hooks] of [
  ['a policy that refuses them', REFUSING],
  ['a webhook that is asked of everything and is not there', [ASKED_OF_ALL]],
] as const) {
  test(`APIService › ${what} holds up neither a cluster that is taken over nor one that runs`, async (t) => {
    const taken = createCluster({ nodes: 0, from: [...hooks, definition('as', ['v1'])] });
    t.teardown(() => taken.dispose());
    t.is(taken.get('APIService', 'v1.shop.io').metadata.name, 'v1.shop.io');
    const running = createCluster({ nodes: 0 });
    t.teardown(() => running.dispose());
    running.apply([definition('as', ['v1']), ...hooks]);
    await t.notThrowsAsync(running.run({ limit: 1000 }));
    t.false(running.list('APIService').some(({ metadata }) => metadata.name === 'v1.shop.io'));
  });
}
