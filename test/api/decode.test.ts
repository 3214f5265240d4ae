import test from 'ava';
import { decodeDraft } from '../../src/api/decoding/decode.js';
import { kindRegistry } from '../../src/api/kinds/registry.js';
import type { Draft, Kind } from '../../src/api/objects/objects.js';
import { answerOf } from './object-pipeline.js';

function refusal(kind: Kind, draft: Draft): string {
  return answerOf(() => decodeDraft(kindRegistry[kind], draft));
}

function container(extra: object): Draft {
  return { spec: { containers: [{ name: 'c', ...extra }] } };
}

test('values of the wrong type are refused as the Go decoder words it', (t) => {
  const cases: readonly (readonly [Draft, string])[] = [
    [
      { metadata: { labels: { a: 1 } as never } },
      'number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [{ spec: 'x' }, 'string into Go struct field Pod.spec of type v1.PodSpec'],
    [{ spec: { containers: {} } }, 'object into Go struct field PodSpec.spec.containers of type []v1.Container'],
    [{ spec: { hostNetwork: 'yes' } }, 'string into Go struct field PodSpec.spec.hostNetwork of type bool'],
    [{ spec: { restartPolicy: 1 } }, 'number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy'],
    [
      container({ ports: [{ containerPort: '80' }] }),
      'string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [container({ args: [1] }), 'number into Go struct field Container.spec.containers.args of type string'],
    [
      container({ env: [{ name: 'A', value: true }] }),
      'bool into Go struct field EnvVar.spec.containers.env.value of type string',
    ],
    [
      { spec: { terminationGracePeriodSeconds: 1.5 } },
      'number 1.5 into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64',
    ],
  ];
  for (const [draft, expected] of cases) {
    t.is(refusal('Pod', draft), `Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal ${expected}`);
  }
});

test('replicas and other numbers have their size', (t) => {
  t.is(
    refusal('Deployment', { spec: { replicas: 2 ** 31 } }),
    'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32',
  );
  t.is(refusal('Deployment', { spec: { replicas: 2 ** 31 - 1 } }), 'accepted');
});

test('another kind or version is refused', (t) => {
  t.is(
    refusal('Pod', { kind: 'Service' }),
    'Service in version "v1" cannot be handled as a Pod: converting (v1.Service) to (core.Pod): unknown conversion',
  );
  t.is(
    refusal('Pod', { apiVersion: 'v2' }),
    'Pod in version "v2" cannot be handled as a Pod: no kind "Pod" is registered for version "v2" in scheme "pkg/api/legacyscheme/scheme.go:30"',
  );
  t.is(refusal('Deployment', { apiVersion: 'apps/v1', kind: 'Deployment' }), 'accepted');
});

test('a clean draft comes back as itself', (t) => {
  const draft = {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
    status: { phase: 'Running' },
  };
  t.is(decodeDraft(kindRegistry.Pod, draft), draft);
});

test('nulls are absent and unknown fields are dropped with a warning', (t) => {
  const warnings: string[] = [];
  const draft = {
    metadata: { name: 'p', labels: null as never, annotations: { a: null as never } },
    spec: { bar: 1, nodeName: null, containers: [{ name: 'c', foo: {}, image: 'i' }] },
    foo: 1,
  };
  const decoded = decodeDraft(kindRegistry.Pod, draft, (warning) => warnings.push(warning));
  t.deepEqual(decoded, {
    metadata: { name: 'p', annotations: { a: '' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  t.deepEqual(warnings, ['unknown field "spec.bar"', 'unknown field "spec.containers[0].foo"', 'unknown field "foo"']);
});
