import test from 'ava';
import { createCluster, type Cluster } from '../../../src/index.js';
import { ask, serve } from '../../server/wire-client.js';

const NAME = 'p';

function policy(resources: readonly string[], expressions: readonly string[], more: object = {}): object {
  const rule = { apiGroups: ['', 'apps'], apiVersions: ['v1'], operations: ['CREATE'], resources };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: NAME },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: expressions.map((expression) => ({ expression })),
      ...more,
    },
  };
}

async function statusOf(cluster: Cluster, object: object): Promise<unknown> {
  cluster.apply(object as never);
  await cluster.run({ limit: '2s' });
  return cluster.get('ValidatingAdmissionPolicy', NAME).status;
}

test('a policy learns what its expressions get wrong for the kinds that it is about', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const first = policy(['deployments', 'configmaps', 'pods/*', '*'], ['object.spec.replicas > 1', 'has(object.kind)']);
  const problem = "ERROR: <input>:1:7: undefined field 'spec'\n | object.spec.replicas > 1\n | ......^";
  t.deepEqual(await statusOf(cluster, first), {
    observedGeneration: 1,
    typeChecking: {
      expressionWarnings: [
        { fieldRef: 'spec.validations[0].expression', warning: `/v1, Kind=ConfigMap: ${problem}\n` },
      ],
    },
  });
  const second = policy(['deployments'], ['variables.count > 1'], {
    variables: [{ name: 'count', expression: 'object.spec.replicas' }],
  });
  t.deepEqual(await statusOf(cluster, second), { observedGeneration: 2, typeChecking: {} });
  await cluster.dispose();
});

test('a generation is looked at once, whatever else of the policy changes', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const before = await statusOf(cluster, policy(['deployments'], ['object == 1']));
  t.regex(JSON.stringify(before), /Deployment\d+/);
  cluster.patch('ValidatingAdmissionPolicy', NAME, { metadata: { labels: { a: 'b' } } });
  const { resourceVersion } = cluster.get('ValidatingAdmissionPolicy', NAME).metadata;
  await cluster.run({ limit: '2s' });
  const { metadata, status } = cluster.get('ValidatingAdmissionPolicy', NAME);
  t.is(metadata.resourceVersion, resourceVersion);
  t.deepEqual(status, before);
  await cluster.dispose();
});

test('types are those of the published schemas', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const expressions = [
    "object.metadata.namespace + object.spec.template.spec.containers[0].image == ''",
    'object.metadata.creationTimestamp > 1',
    'object.spec.strategy.rollingUpdate.maxSurge == 1',
    "object.spec.template.spec.containers[0].resources.limits['cpu'] == ''",
    "authorizer.requestResource.check('get').allowed()",
  ];
  const { typeChecking } = (await statusOf(cluster, policy(['deployments'], expressions))) as {
    readonly typeChecking: { readonly expressionWarnings: readonly { readonly warning: string }[] };
  };
  t.deepEqual(
    typeChecking.expressionWarnings.map(({ warning }) => warning.split('\n')[0]?.replace(/.*ERROR: <input>:/, '')),
    [
      "1:35: found no matching overload for '_>_' applied to '(timestamp, int)'",
      "1:50: undefined field 'limits'",
      "1:11: unexpected failed resolution of 'kubernetes.authorization.Authorizer'",
    ],
  );
  await cluster.dispose();
});

test('the kinds of definitions have types, too, also as parameters', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.apply({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'limits.shop.io' },
    spec: {
      group: 'shop.io',
      names: { kind: 'Limit', plural: 'limits' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { most: { type: 'integer' } } } },
        },
      ],
    },
  });
  const stated = policy(['configmaps'], ['params.most == 1 && params.metadata.name != ""', "params.most == 'a'"], {
    paramKind: { apiVersion: 'shop.io/v1', kind: 'Limit' },
  });
  const { typeChecking } = (await statusOf(cluster, stated)) as {
    readonly typeChecking: { readonly expressionWarnings: readonly { readonly fieldRef: string }[] };
  };
  t.deepEqual(
    typeChecking.expressionWarnings.map(({ fieldRef }) => fieldRef),
    ['spec.validations[1].expression'],
  );
  await cluster.dispose();
});

test('the status is applied: its controller owns the fields that it states', async (t) => {
  const served = await serve(t);
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
  const body = JSON.stringify(policy(['deployments'], ['object.spec.replicas > 1', 'object.nope == 1']));
  await ask(served, policies, { method: 'POST', body });
  await served.cluster.run({ limit: '2s' });
  const { metadata } = (await ask(served, `${policies}/${NAME}`)).json as {
    readonly metadata: {
      readonly managedFields: readonly { readonly operation: string; readonly manager: string; fieldsV1: object }[];
    };
  };
  const { manager, fieldsV1 } = metadata.managedFields.find(({ operation }) => operation === 'Apply') ?? {};
  t.is(manager, 'validatingadmissionpolicy-status');
  t.deepEqual(fieldsV1, {
    'f:status': { 'f:observedGeneration': {}, 'f:typeChecking': { 'f:expressionWarnings': {} } },
  });
});
