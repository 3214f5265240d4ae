import test from 'ava';
import { createCluster, type Cluster, type Kind } from '../../src/index.js';

const WIDGET = 'Widget' as Kind;

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.shop.example.com }
spec:
  group: shop.example.com
  names: { kind: Widget, plural: widgets, singular: widget }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
---`;

function stage(name: string, spec: string, kind = 'Widget', apiGroup = 'shop.example.com/v1'): string {
  return `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: { name: ${name} }
spec:
  resourceRef: { apiGroup: ${apiGroup}, kind: ${kind} }
${spec.replaceAll(/^/gm, '  ')}
---`;
}

function widget(name: string, more = ''): string {
  return `
apiVersion: shop.example.com/v1
kind: Widget
metadata: { name: ${name}, namespace: default${more} }
spec: { size: 3 }
---`;
}

async function played(text: string, limit: string, seed = '7'): Promise<Cluster> {
  const cluster = createCluster({ nodes: 0, seed });
  cluster.apply(`${DEFINITION}${text}`);
  await cluster.run({ limit });
  return cluster;
}

interface Widget {
  readonly metadata: { readonly name: string; readonly finalizers?: readonly string[] };
  readonly status?: Readonly<Record<string, unknown>>;
}

function widgets(cluster: Cluster): readonly Widget[] {
  return cluster.list(WIDGET) as unknown as readonly Widget[];
}

const PHASES =
  stage(
    'start',
    `selector: { matchExpressions: [{ key: .status.phase, operator: DoesNotExist }] }
delay: { durationMilliseconds: 2000 }
next:
  event: { type: Normal, reason: Started, message: it begins }
  finalizers: { add: [{ value: shop.example.com/held }] }
  statusTemplate: |
    {{ $now := Now }}
    phase: Running
    size: {{ add .spec.size 1 }}
    since: {{ $now | Quote }}`,
  ) +
  stage(
    'end',
    `selector: { matchExpressions: [{ jq: { key: .status.phase, operator: In, values: [Running] } }] }
delay:
  durationMilliseconds: 60000
  durationFrom: { expressionFrom: '.metadata.annotations["after"]' }
steps:
  - patch: { subresource: status, root: status, template: '{phase: Done}' }`,
  );

function mark(text: string): string {
  return stage('mark', `selector: {}\nsteps: [{ patch: { root: metadata, template: 'labels: { mark: ${text} }' } }]`);
}

function fate(name: string, weight: number): string {
  return stage(
    name,
    `selector: { matchExpressions: [{ key: .status.fate, operator: DoesNotExist }] }
weight: ${weight}
weightFrom: { expressionFrom: '.metadata.annotations["${name}"]' }
next: { statusTemplate: 'fate: ${name}' }`,
  );
}

test('stages › of a custom kind follow each other with their delays, statuses, events and finalizers', async (t) => {
  const cluster = await played(`${PHASES}${widget('a')}${widget('b', ', annotations: { after: 3s }')}`, '4s');
  const [first] = widgets(cluster);
  t.deepEqual({ ...first?.status, since: '' }, { phase: 'Running', size: 4, since: '' });
  t.regex(String(first?.status?.['since']), /^2030-01-01T00:00:02(?:\.\d+)?Z$/);
  t.deepEqual(first?.metadata.finalizers, ['shop.example.com/held']);
  const events = cluster.list('Event').filter(({ reason }) => reason === 'Started');
  t.deepEqual(
    events.map(({ message, source }) => [message, source?.component]),
    [
      ['it begins', 'kwok_controller'],
      ['it begins', 'kwok_controller'],
    ],
  );
  await cluster.run({ limit: '2s' });
  t.deepEqual(
    widgets(cluster).map(({ status }) => status?.['phase']),
    ['Running', 'Done'],
  );
  await cluster.dispose();
});

test('stages › a stage that comes by apply is played for what is there, one of the same name takes its place', async (t) => {
  const cluster = await played(widget('a'), '1s');
  t.deepEqual(
    cluster.apply(mark('one')).map(({ action }) => action),
    ['played'],
  );
  await cluster.run({ limit: '1s' });
  t.is(cluster.get(WIDGET, 'a').metadata.labels?.['mark'], 'one');
  cluster.apply(mark('two'));
  cluster.patch(WIDGET, 'a', { spec: { size: 4 } });
  await cluster.run({ limit: '1s' });
  t.is(cluster.get(WIDGET, 'a').metadata.labels?.['mark'], 'two');
  await cluster.dispose();
});

test('stages › weights draw, and the same seed draws the same', async (t) => {
  const names = Array.from({ length: 60 }, (_, index) => `w${index}`);
  const text = `${fate('good', 3)}${fate('bad', 1)}${names.map((name) => widget(name)).join('')}${widget('z', ', annotations: { good: "0", bad: "9" }')}`;
  const cluster = await played(text, '5s');
  const fates = widgets(cluster).map(({ status }) => status?.['fate']);
  const good = fates.filter((each) => each === 'good').length;
  t.true(good > 30 && good < 58, String(good));
  t.is(fates.at(-1), 'bad');
  const again = await played(text, '5s');
  t.is(again.traceHash, cluster.traceHash);
  const other = await played(text, '5s', '8');
  t.not(other.traceHash, cluster.traceHash);
  for (const each of [cluster, again, other]) await each.dispose();
});

test('stages › delete, keep finalizers until they are emptied, and apply other objects', async (t) => {
  const text =
    stage(
      'make',
      `selector: { matchLabels: { makes: config } }
steps:
  - apply:
      template: |
        apiVersion: v1
        kind: ConfigMap
        metadata: { name: "of-{{ .metadata.name }}" }
        data: { size: {{ .spec.size | Quote }} }`,
    ) +
    stage('go', `selector: { matchAnnotations: { go: now } }\nnext: { delete: true }`) +
    stage(
      'free',
      `selector: { matchExpressions: [{ cel: { expression: 'has(self.metadata.deletionTimestamp)' } }] }
delay: { durationMilliseconds: 5000 }
steps: [{ finalizers: { empty: true } }]`,
    );
  const held = ', finalizers: [shop.example.com/held]';
  const cluster = await played(
    `${text}${widget('a', ', labels: { makes: config }')}${widget('b', ', annotations: { go: now }')}${widget('c', held)}`,
    '1s',
  );
  t.deepEqual(cluster.get('ConfigMap', 'of-a').data, { size: '3' });
  t.deepEqual(
    widgets(cluster).map(({ metadata }) => metadata.name),
    ['a', 'c'],
  );
  cluster.delete(WIDGET, 'c');
  await cluster.run({ limit: '4s' });
  t.is(widgets(cluster).length, 2);
  await cluster.run({ limit: '2s' });
  t.deepEqual(
    widgets(cluster).map(({ metadata }) => metadata.name),
    ['a'],
  );
  await cluster.dispose();
});

test('stages › what cannot be used is refused with its line, its field and what is allowed', (t) => {
  const refused = (spec: string, kind?: string): string =>
    t.throws(() => createCluster({ nodes: 0, stages: stage('bad', spec, kind) })).message;
  t.regex(refused('selecter: {}'), /^stages:7: spec\.selecter must be one of resourceRef, .*, got "selecter"$/);
  t.regex(refused('weight: -1'), /spec\.weight must be a whole number of 0 or more, got -1$/);
  t.regex(refused('delay: { durationMilliseconds: 1s }'), /spec\.delay\.durationMilliseconds must be a whole number/);
  t.regex(
    refused('selector: { matchExpressions: [{ key: ".a |", operator: Exists }] }'),
    /spec\.selector\.matchExpressions\[0\]\.key must be a query of jq \(unexpected EOF\), got ".a \|"$/,
  );
  t.regex(
    refused('selector: { matchExpressions: [{ key: .a, operator: In }] }'),
    /matchExpressions\[0\]\.values must be a list with a value at least for In, got nothing$/,
  );
  t.regex(
    refused('selector: { matchExpressions: [{ cel: { expression: "self." } }] }'),
    /matchExpressions\[0\]\.cel\.expression must be an expression of CEL/,
  );
  t.regex(refused("next: { statusTemplate: '{{ .a' }"), /spec\.next\.statusTemplate must be a template of Go/);
  t.regex(
    t.throws(() => createCluster({ nodes: 0, stages: 'apiVersion: v1\nkind: Pod\nmetadata: { name: a }' })).message,
    /^stages:1: kind must be a Stage of kwok\.x-k8s\.io\/v1alpha1, got v1 Pod$/,
  );
});
