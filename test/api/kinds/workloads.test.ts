import test from 'ava';
import { kindRegistry } from '../../../src/api/kinds/registry.js';
import type { Deployment, Draft } from '../../../src/api/objects/objects.js';
import { answerOf, created, updated } from '../object-pipeline.js';

const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const SPEC = { selector: { matchLabels: { a: 'b' } }, template: TEMPLATE };

function deployment(extra: object = {}): Draft {
  return { apiVersion: 'apps/v1', metadata: { name: 'd' }, spec: { ...SPEC, ...extra } };
}

function refusal(extra: object): string {
  return answerOf(() => created('Deployment', deployment(extra)));
}

test('a deployment gets the defaults of its rollout', (t) => {
  const { spec, status } = created('Deployment', deployment());
  const { template: _template, ...rest } = spec;
  t.deepEqual(rest, {
    selector: { matchLabels: { a: 'b' } },
    replicas: 1,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
  t.deepEqual(status, {});
  t.deepEqual(created('Deployment', deployment({ strategy: { type: 'Recreate' } })).spec.strategy, {
    type: 'Recreate',
  });
});

test('templates are not given what only pods get', (t) => {
  const { containers, ...spec } = created('Deployment', deployment()).spec.template.spec;
  t.is(containers[0]?.imagePullPolicy, 'Always');
  t.is(spec.enableServiceLinks, undefined);
});

test('a template that was defaulted once is shared by replica sets and their pods', (t) => {
  const { spec } = created('Deployment', deployment());
  const replicaSet = created('ReplicaSet', {
    metadata: { name: 'r' },
    spec: { replicas: 3, selector: spec.selector, template: spec.template },
  });
  t.is(replicaSet.spec.template, spec.template);
  t.deepEqual(replicaSet.status, { replicas: 0 });
  const pod = created('Pod', { metadata: { name: 'p' }, spec: replicaSet.spec.template.spec });
  t.is(pod.spec.containers, spec.template.spec.containers);
});

test('wrong workloads are refused in the words of Kubernetes', (t) => {
  const mismatch = '`selector` does not match template `labels`';
  const cases: readonly (readonly [object, string])[] = [
    [{ replicas: -1 }, 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    [
      { selector: undefined },
      `[spec.selector: Required value, spec.template.metadata.labels: Invalid value: {"a":"b"}: ${mismatch}]`,
    ],
    [{ selector: {} }, 'spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    [{ selector: { matchLabels: { a: 'z' } } }, `spec.template.metadata.labels: Invalid value: {"a":"b"}: ${mismatch}`],
    [
      { template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } },
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
    [
      { template: { ...TEMPLATE, spec: { containers: [{ name: 'c' }] } } },
      'spec.template.spec.containers[0].image: Required value',
    ],
    [
      { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } },
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0',
    ],
    [
      { strategy: { rollingUpdate: { maxUnavailable: '101%' } } },
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ],
    [
      { strategy: { type: 'Recreate', rollingUpdate: {} } },
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ],
    [
      { progressDeadlineSeconds: 5, minReadySeconds: 5 },
      'spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds',
    ],
  ];
  for (const [extra, text] of cases) t.is(refusal(extra), `Deployment.apps "d" is invalid: ${text}`);
});

test('a selector never changes, and the template is looked at first', (t) => {
  const before = created('Deployment', deployment());
  const draft = deployment({ selector: { matchLabels: { a: 'z' } } });
  t.is(
    answerOf(() => updated('Deployment', { ...draft, metadata: before.metadata }, before)),
    'Deployment.apps "d" is invalid: [spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`, spec.selector: Invalid value: {"matchLabels":{"a":"z"}}: field is immutable]',
  );
});

test('a status update of a deployment leaves its labels alone', (t) => {
  const before = created('Deployment', { ...deployment(), metadata: { name: 'd', labels: { l: '1' } } });
  const next: Deployment = { ...before, metadata: { ...before.metadata, labels: { l: '2' } }, status: { replicas: 1 } };
  const kept = kindRegistry.Deployment.prepareForStatusUpdate(next, before);
  t.deepEqual([kept.metadata.labels, kept.status], [{ l: '1' }, { replicas: 1 }]);
});
