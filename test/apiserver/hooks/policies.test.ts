import test from 'ava';
import { ApiError, createCluster, type Cluster } from '../../../src/index.js';

const RULES = [
  { operations: ['CREATE', 'UPDATE', 'DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
];

function bind(cluster: Cluster, spec: object, binding: object = {}): void {
  cluster.create('ValidatingAdmissionPolicy', {
    metadata: { name: 'p' },
    spec: { matchConstraints: { resourceRules: RULES }, ...spec },
  });
  cluster.create('ValidatingAdmissionPolicyBinding', {
    metadata: { name: 'b' },
    spec: { policyName: 'p', validationActions: ['Deny'], ...binding },
  });
}

/** What is said to a new object. */
function told(cluster: Cluster, name: string, more: object = {}): readonly [number, string] {
  const { labels, ...data } = more as { readonly labels?: object };
  try {
    cluster.create('ConfigMap', { metadata: { name, ...(labels && { labels }) }, ...data } as never);
    return [201, ''];
  } catch (error) {
    const { code, message } = error as ApiError;
    return [code, message.replace(/^.* denied request: /, '')];
  }
}

test('validations refuse in the words of a real server', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  bind(cluster, {
    variables: [
      { name: 'n', expression: 'object.metadata.name' },
      { name: 'long', expression: 'size(variables.n) > 6' },
      { name: 'boom', expression: 'object.data.nope' },
    ],
    validations: [
      { expression: "variables.n != 'bad'" },
      { expression: '!variables.long', message: 'long names', reason: 'Forbidden' },
      { expression: "variables.n != 'worse'", messageExpression: "'name is ' + variables.n" },
      { expression: "variables.n != 'boom' || variables.boom == ''" },
    ],
  });
  t.deepEqual(told(cluster, 'fine'), [201, '']);
  t.deepEqual(told(cluster, 'bad'), [422, "failed expression: variables.n != 'bad'"]);
  t.deepEqual(told(cluster, 'longest'), [403, 'long names']);
  t.deepEqual(told(cluster, 'worse'), [422, 'name is worse']);
  const failed = `expression 'variables.n != 'boom' || variables.boom == ''' resulted in error: composited variable "boom" fails to evaluate: no such key: data`;
  t.deepEqual(told(cluster, 'boom'), [422, failed]);
  const error = t.throws(() => cluster.delete('ConfigMap', 'fine'), { instanceOf: ApiError });
  const place = `configmaps "fine" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request`;
  t.is(
    error?.message,
    `${place}: expression 'variables.n != 'bad'' resulted in error: composited variable "n" fails to evaluate: no such key: metadata`,
  );
  await cluster.dispose();
});

test('conditions, selectors, actions and failure policies of policies and bindings', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const warnings: string[] = [];
  cluster.warnings$.subscribe(({ text }) => warnings.push(text));
  bind(
    cluster,
    {
      matchConditions: [{ name: 'c', expression: "request.name.startsWith('c')" }],
      validations: [{ expression: 'false' }],
    },
    { matchResources: { objectSelector: { matchLabels: { a: 'b' } } } },
  );
  const labels = { a: 'b' };
  t.deepEqual(told(cluster, 'd', { labels }), [201, '']);
  t.deepEqual(told(cluster, 'cc'), [201, '']);
  t.deepEqual(told(cluster, 'c', { labels }), [422, 'failed expression: false']);
  cluster.patch('ValidatingAdmissionPolicyBinding', 'b', { spec: { validationActions: ['Warn'] } });
  t.deepEqual(told(cluster, 'c', { labels }), [201, '']);
  t.deepEqual(warnings, [
    "Warning: Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': failed expression: false",
  ]);
  cluster.patch('ValidatingAdmissionPolicyBinding', 'b', { spec: { validationActions: ['Deny'] } });
  cluster.patch('ValidatingAdmissionPolicy', 'p', { spec: { validations: [{ expression: 'object.data.x == "1"' }] } });
  t.is(told(cluster, 'cf', { labels })[0], 422);
  cluster.patch('ValidatingAdmissionPolicy', 'p', { spec: { failurePolicy: 'Ignore' } });
  t.is(told(cluster, 'cf', { labels })[0], 201);
  await cluster.dispose();
});

test('parameters are objects by name or by labels, and their absence counts as the binding says', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  bind(
    cluster,
    {
      paramKind: { apiVersion: 'v1', kind: 'Secret' },
      validations: [{ expression: 'object.metadata.name != params.metadata.name', message: 'taken' }],
    },
    { paramRef: { name: 'par', parameterNotFoundAction: 'Deny' } },
  );
  const absent = 'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction';
  t.deepEqual(told(cluster, 'ok'), [422, absent]);
  cluster.create('Secret', { metadata: { name: 'par', labels: { use: 'yes' } } });
  t.deepEqual(told(cluster, 'ok'), [201, '']);
  t.deepEqual(told(cluster, 'par'), [422, 'taken']);
  const selector = { matchLabels: { use: 'no' } };
  cluster.patch('ValidatingAdmissionPolicyBinding', 'b', {
    spec: { paramRef: { name: null, selector, parameterNotFoundAction: 'Allow' } },
  });
  t.deepEqual(told(cluster, 'par'), [201, '']);
  await cluster.dispose();
});

test('policies and bindings are refused in the words of a real server', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const errors = (
    kind: 'ValidatingAdmissionPolicy' | 'ValidatingAdmissionPolicyBinding',
    spec: object,
  ): readonly string[] => {
    const error = t.throws(() => cluster.create(kind, { metadata: { name: 'a' }, spec }), { instanceOf: ApiError });
    return (error?.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  };
  t.deepEqual(errors('ValidatingAdmissionPolicy', {}), [
    'spec.matchConstraints: Required value',
    'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
    'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
  ]);
  const found = errors('ValidatingAdmissionPolicy', {
    failurePolicy: 'Q',
    paramKind: { apiVersion: 'a', kind: '' },
    matchConditions: [{ name: 'a', expression: '1' }],
    variables: [
      { name: 'a b', expression: 'x' },
      { name: 'v', expression: 'variables.w' },
    ],
    validations: [
      { expression: 'params.x' },
      { expression: '1', message: 'a\nb', messageExpression: '1', reason: 'X' },
      { expression: '' },
    ],
    auditAnnotations: [{ key: 'k', valueExpression: '1' }],
  });
  t.deepEqual(
    found.filter((each) => !each.includes('compilation failed')),
    [
      'spec.failurePolicy: Unsupported value: "Q": supported values: "Fail", "Ignore"',
      'spec.paramKind.kind: Required value',
      'spec.matchConstraints: Required value',
      'spec.matchConditions[0].expression: Invalid value: "1": must evaluate to bool but got int',
      'spec.variables[0].name: Invalid value: "a b": must be a valid CEL identifier',
      'spec.validations[0].expression: Invalid value: "params.x": must evaluate to bool but got dyn',
      'spec.validations[1].expression: Invalid value: "1": must evaluate to bool but got int',
      'spec.validations[1].messageExpression: Invalid value: "1": must evaluate to string but got int',
      'spec.validations[1].message: Invalid value: "a\\nb": must not contain line breaks',
      'spec.validations[1].reason: Unsupported value: "X": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      'spec.validations[2].expression: Required value: expression is not specified',
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
    ],
  );
  t.deepEqual(
    errors('ValidatingAdmissionPolicyBinding', { paramRef: {}, validationActions: ['Deny', 'Warn', 'X', 'Deny'] }),
    [
      'spec.policyName: Required value',
      'spec.paramRef: Required value: one of name or selector must be specified',
      'spec.paramRef.parameterNotFoundAction: Required value',
      'spec.validationActions[2]: Unsupported value: "X": supported values: "Audit", "Deny", "Warn"',
      'spec.validationActions[3]: Duplicate value: "Deny"',
      'spec.validationActions: Invalid value: ["Deny","Warn","X","Deny"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ],
  );
  await cluster.dispose();
});

test('a policy without variables knows none, gives rules that exclude a scope, and refuses for three reasons alone', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const spec = { matchConstraints: { resourceRules: RULES, excludeResourceRules: RULES } };
  const create = (validations: readonly object[]): unknown =>
    cluster.create('ValidatingAdmissionPolicy', { metadata: { name: 'p' }, spec: { ...spec, validations } });
  const error = t.throws(() => create([{ expression: 'variables.v > 2', reason: 'Unauthorized' }]), {
    instanceOf: ApiError,
  });
  t.deepEqual(
    error?.details?.causes?.map(({ message }) => message),
    [
      `Invalid value: "variables.v > 2": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.v > 2\n | ^`,
      'Unsupported value: "Unauthorized": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  );
  const policy = create([{ expression: 'true' }]) as { readonly spec: typeof spec };
  t.deepEqual(policy.spec.matchConstraints.excludeResourceRules, [{ ...RULES[0], scope: '*' }] as never);
  await cluster.dispose();
});
