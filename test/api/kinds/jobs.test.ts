import test from 'ava';
import type { Draft } from '../../../src/api/objects/objects.js';
import { answerOf, created, updated } from '../object-pipeline.js';

const TEMPLATE = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
const INDEXED = { completionMode: 'Indexed', completions: 3 };

function job(spec: object = {}, name = 'j'): Draft {
  return { apiVersion: 'batch/v1', metadata: { name }, spec: { template: TEMPLATE, ...spec } };
}

function refusal(spec: object, name?: string): string {
  return answerOf(() => created('Job', job(spec, name)));
}

function changeRefusal(before: object, after: object): string {
  const old = created('Job', job(before));
  return answerOf(() => updated('Job', { ...old, spec: { ...old.spec, ...after } }, old));
}

function failureRule(rule: object, more: object = {}): string {
  return refusal({ podFailurePolicy: { rules: [rule] }, ...more });
}

function successRule(rule: object): string {
  return refusal({ ...INDEXED, successPolicy: { rules: [rule] } });
}

test('7.5.1 › a job gets its defaults, a selector and labels out of its own uid and name', (t) => {
  const { metadata, spec, status } = created('Job', job());
  const { template, ...rest } = spec;
  const labels = {
    'job-name': 'j',
    'batch.kubernetes.io/job-name': 'j',
    'controller-uid': metadata.uid,
    'batch.kubernetes.io/controller-uid': metadata.uid,
  };
  t.deepEqual(rest, {
    completions: 1,
    parallelism: 1,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: 'TerminatingOrFailed',
    manualSelector: false,
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': metadata.uid } },
  });
  t.deepEqual(template.metadata?.labels, labels);
  t.deepEqual(metadata.labels, labels);
  t.deepEqual(status, {});
});

test('7.5.1 › what is given decides what is filled in', (t) => {
  t.is(created('Job', job({ parallelism: 3 })).spec.completions, undefined);
  t.is(created('Job', job({ completions: 3 })).spec.parallelism, 1);
  t.is(created('Job', job({ ...INDEXED, backoffLimitPerIndex: 1 })).spec.backoffLimit, 2_147_483_647);
  const onPodConditions = [{ type: 'DisruptionTarget' }];
  const { spec } = created('Job', job({ podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions }] } }));
  t.is(spec.podReplacementPolicy, 'Failed');
  t.deepEqual(spec.podFailurePolicy?.rules[0]?.onPodConditions, [{ type: 'DisruptionTarget', status: 'True' }]);
  const own = { ...job(), metadata: { name: 'j', labels: { mine: 'yes' } } };
  t.deepEqual(created('Job', own).metadata.labels, { mine: 'yes' });
});

test('a selector of its own must be asked for, and match the template', (t) => {
  const labels = { app: 'x' };
  const template = { ...TEMPLATE, metadata: { labels } };
  t.deepEqual(
    created('Job', job({ manualSelector: true, selector: { matchLabels: labels }, template })).spec.template.metadata
      ?.labels,
    labels,
  );
  t.is(
    refusal({ selector: { matchLabels: labels } }),
    'Job.batch "j" is invalid: [spec.selector: Invalid value: {"matchLabels":{"app":"x","batch.kubernetes.io/controller-uid":"u1"}}: `selector` not auto-generated, spec.template.metadata.labels: Invalid value: {"batch.kubernetes.io/controller-uid":"u1","batch.kubernetes.io/job-name":"j","controller-uid":"u1","job-name":"j"}: `selector` does not match template `labels`]',
  );
  t.is(
    refusal({ template: { ...TEMPLATE, metadata: { labels: { 'job-name': 'k' } } } }),
    'Job.batch "j" is invalid: spec.template.metadata.labels[job-name]: Invalid value: {"batch.kubernetes.io/controller-uid":"u1","batch.kubernetes.io/job-name":"j","controller-uid":"u1","job-name":"k"}: must be \'j\'',
  );
  t.is(
    refusal({ manualSelector: true }),
    'Job.batch "j" is invalid: [spec.selector: Required value, spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`]',
  );
});

test('a job that must not be is refused in Kubernetes’ words', (t) => {
  const prefix = 'Job.batch "j" is invalid: ';
  const negative = 'must be greater than or equal to 0';
  const cases: readonly (readonly [object, string])[] = [
    [{ parallelism: -1 }, `spec.parallelism: Invalid value: -1: ${negative}`],
    [{ ttlSecondsAfterFinished: -1 }, `spec.ttlSecondsAfterFinished: Invalid value: -1: ${negative}`],
    [
      { template: { spec: { containers: TEMPLATE.spec.containers } } },
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
    [
      { completionMode: 'Other' },
      'spec.completionMode: Unsupported value: "Other": supported values: "NonIndexed", "Indexed"',
    ],
    [
      { completionMode: 'Indexed', parallelism: 1 },
      'spec.completions: Required value: when completion mode is Indexed',
    ],
    [{ backoffLimitPerIndex: 1 }, 'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
    [
      { ...INDEXED, maxFailedIndexes: 1 },
      'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
    ],
    [
      { ...INDEXED, backoffLimitPerIndex: 1, maxFailedIndexes: 4 },
      'spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions',
    ],
    [
      { completionMode: 'Indexed', completions: 100_001, backoffLimitPerIndex: 1 },
      'spec.maxFailedIndexes: Required value: must be specified when completions is above 100000',
    ],
    [
      { managedBy: 'mine' },
      'spec.managedBy: Invalid value: "mine": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
    [
      { podReplacementPolicy: 'Never' },
      'spec.podReplacementPolicy: Unsupported value: "Never": supported values: "Failed", "TerminatingOrFailed"',
    ],
  ];
  for (const [spec, text] of cases) t.is(refusal(spec), prefix + text);
  const long = 'a'.repeat(62);
  t.is(
    refusal(INDEXED, long),
    `Job.batch "${long}" is invalid: metadata.name: Invalid value: "${long}": will not able to create pod with invalid DNS label: ${long}-2`,
  );
});

test('rules for failing pods are checked one by one', (t) => {
  const rule = 'Job.batch "j" is invalid: spec.podFailurePolicy.rules[0]';
  const codes = { operator: 'In', values: [1] };
  t.is(failureRule({ action: 'Ignore', onExitCodes: codes }), 'accepted');
  t.is(
    failureRule({ action: 'Ignore' }),
    `${rule}: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`,
  );
  t.is(
    failureRule({ action: 'Ignore', onExitCodes: codes, onPodConditions: [{ type: 'A' }] }),
    `${rule}: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported`,
  );
  t.is(
    failureRule({ action: 'Other', onExitCodes: codes }),
    `${rule}.action: Unsupported value: "Other": supported values: "Count", "FailIndex", "FailJob", "Ignore"`,
  );
  t.is(
    failureRule({ action: 'FailIndex', onExitCodes: codes }),
    `${rule}.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set`,
  );
  t.is(
    failureRule({ action: 'Count', onExitCodes: { operator: 'In', values: [0] } }),
    `${rule}.onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator`,
  );
  t.is(
    failureRule({ action: 'Count', onExitCodes: { operator: 'NotIn', values: [2, 1] } }),
    `${rule}.onExitCodes.values: Invalid value: [2,1]: must be ordered`,
  );
  t.is(
    failureRule({ action: 'Count', onExitCodes: { operator: 'In', values: [1, 1] } }),
    `${rule}.onExitCodes.values[1]: Duplicate value: 1`,
  );
  t.is(
    failureRule({ action: 'Count', onExitCodes: { ...codes, containerName: 'd' } }),
    `${rule}.onExitCodes.containerName: Invalid value: "d": must be one of the container or initContainer names in the pod template`,
  );
  t.is(
    failureRule(
      { action: 'Count', onExitCodes: codes },
      { template: { spec: { ...TEMPLATE.spec, restartPolicy: 'OnFailure' } } },
    ),
    'Job.batch "j" is invalid: spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
  );
  t.is(
    failureRule({ action: 'Count', onExitCodes: codes }, { podReplacementPolicy: 'TerminatingOrFailed' }),
    'Job.batch "j" is invalid: spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
  );
});

test('rules for early success are checked one by one', (t) => {
  const rule = 'Job.batch "j" is invalid: spec.successPolicy.rules[0]';
  t.is(successRule({ succeededIndexes: '0,2', succeededCount: 1 }), 'accepted');
  t.is(
    successRule({}),
    `${rule}: Required value: at least one of succeededCount or succeededIndexes must be specified`,
  );
  const indexes = `${rule}.succeededIndexes: Invalid value:`;
  t.is(successRule({ succeededIndexes: '3' }), `${indexes} "3": error parsing succeededIndexes: too large index: "3"`);
  t.is(
    successRule({ succeededIndexes: '1,0' }),
    `${indexes} "1,0": error parsing succeededIndexes: non-increasing order, previous: 1, current: 0`,
  );
  t.is(
    successRule({ succeededIndexes: 'a' }),
    `${indexes} "a": error parsing succeededIndexes: cannot convert string to integer for index: "a"`,
  );
  t.is(
    successRule({ succeededCount: 4 }),
    `${rule}.succeededCount: Invalid value: 4: must be less than or equal to 3 (the number of specified completions)`,
  );
  t.is(
    successRule({ succeededIndexes: '0-1', succeededCount: 3 }),
    `${rule}.succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)`,
  );
  t.is(
    refusal({ successPolicy: { rules: [{ succeededCount: 1 }] } }),
    'Job.batch "j" is invalid: spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode',
  );
});

test('7.5.12 › what a job is made for never changes', (t) => {
  const prefix = 'Job.batch "j" is invalid: ';
  t.is(changeRefusal({}, { parallelism: 5, suspend: true, backoffLimit: 1 }), 'accepted');
  t.is(changeRefusal({}, { completions: 2 }), `${prefix}spec.completions: Invalid value: 2: field is immutable`);
  t.is(
    changeRefusal({}, { completionMode: 'Indexed' }),
    `${prefix}spec.completionMode: Invalid value: "Indexed": field is immutable`,
  );
  t.is(
    changeRefusal({ ...INDEXED, parallelism: 3 }, { completions: 5 }),
    `${prefix}spec.completions: Invalid value: 5: can only be modified in tandem with spec.parallelism`,
  );
  t.is(changeRefusal({ ...INDEXED, parallelism: 3 }, { completions: 5, parallelism: 5 }), 'accepted');
  t.is(
    changeRefusal({}, { managedBy: 'a.io/b' }),
    `${prefix}spec.managedBy: Invalid value: "a.io/b": field is immutable`,
  );
});

test('7.5.12 › where pods may run can change until the job has started', (t) => {
  for (const [suspend, isAllowed] of [
    [true, true],
    [false, false],
  ] as const) {
    const old = created('Job', job({ suspend }));
    const { template } = old.spec;
    const moved = {
      ...template,
      spec: { ...template.spec, nodeSelector: { disk: 'ssd' }, tolerations: [{ operator: 'Exists' }] },
    };
    const answer = answerOf(() => updated('Job', { ...old, spec: { ...old.spec, template: moved } }, old));
    t.is(answer === 'accepted', isAllowed, answer);
    const other = { ...template, spec: { ...template.spec, containers: [{ name: 'd', image: 'i' }] } };
    t.regex(
      answerOf(() => updated('Job', { ...old, spec: { ...old.spec, template: other } }, old)),
      /^Job\.batch .*field is immutable$/,
    );
  }
});
