import test from 'ava';
import type { Pod } from '../../../src/api/objects/objects.js';
import { parseObjectTemplate } from '../../../src/workload/scheduler-perf/object-template.js';

function podOf(text: string, Index = 0, Count = 10): Pod {
  return parseObjectTemplate(text, 'pod.yaml').instantiate({ Index, Count }) as unknown as Pod;
}

/** What a value without a context comes to. */
function value(text: string): unknown {
  return podOf(`apiVersion: v1\nkind: Pod\nspec: ${text}\n`).spec;
}

const POD = `
apiVersion: v1
kind: Pod
metadata:
  name: pod-{{ .Index }}
  labels:
    app: app-{{ Mod .Index 2 }}
    number: '{{ .Index }}'
spec:
  priority: {{ .Index }}
  overhead: { cpu: 1{{ .Index }}m }
  containers:
    - name: c
      image: pause
`;

test('a template of an object › computes values, numbers where there are no quotes', (t) => {
  t.deepEqual<unknown, unknown>(podOf(POD, 3), {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'pod-3', labels: { app: 'app-1', number: '3' } },
    spec: { priority: 3, overhead: { cpu: '13m' }, containers: [{ name: 'c', image: 'pause' }] },
  });
});

test('a template of an object › shares the parts that come out equal', (t) => {
  const text = `
apiVersion: v1
kind: Pod
metadata:
  name: pod-{{ .Index }}
  labels: { app: 'app-{{ Mod .Index 2 }}' }
spec:
  priority: {{ Mod .Index 2 }}
  containers: [{ name: c, image: pause }]
`;
  const template = parseObjectTemplate(text, 'pod.yaml');
  const [first, second, third] = [0, 1, 2].map((Index) => template.instantiate({ Index, Count: 3 }) as unknown as Pod);
  t.is(first?.spec, third?.spec);
  t.is(first?.metadata.labels, third?.metadata.labels);
  t.not(first?.spec, second?.spec);
  t.is(first?.spec.containers, second?.spec.containers);
  t.not(first?.metadata, third?.metadata);
});

test('a template of an object › computes keys as well', (t) => {
  t.deepEqual(podOf(POD.replace('    app:', '    app-{{ .Index }}:'), 4).metadata.labels, {
    'app-4': 'app-0',
    number: '4',
  });
});

test('a template of an object › reads a whole value as YAML does', (t) => {
  t.is(value('{{ printf "true" }}'), true);
  t.is(value('"{{ printf "true" }}"'), 'true');
  t.is(value('{{ DivideFloat 1 4 }}'), 0.25);
  t.is(value('0{{ .Count }}x'), '010x');
});

test('a template of an object › without expressions is the same object every time', (t) => {
  const template = parseObjectTemplate('apiVersion: v1\nkind: Namespace\nmetadata: { labels: { team: a } }', 'ns.yaml');
  t.is(template.instantiate({ Index: 0, Count: 2 }), template.instantiate({ Index: 1, Count: 2 }));
  t.deepEqual([template.kind, template.isNamespaced], ['Namespace', false]);
});

const refusals: readonly (readonly [title: string, text: string, message: string])[] = [
  ['what is no object', '- a', 'pod.yaml: must be one object with apiVersion and kind, got a list'],
  ['a missing kind', 'apiVersion: v1', 'pod.yaml: kind must be the name of a kind such as Pod, got nothing'],
  ['a missing apiVersion', 'kind: Pod', 'pod.yaml: apiVersion must be a text such as v1, got nothing'],
  [
    'a kind that is not simulated',
    'apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway',
    'pod.yaml: kind Gateway of gateway.networking.k8s.io/v1 is not simulated',
  ],
  [
    'broken YAML',
    'apiVersion: v1\nkind: [Pod',
    'pod.yaml:2: Flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
  [
    'a loop',
    'apiVersion: v1\nkind: Pod\n{{ range .X }}',
    'pod.yaml:3: {{ range .X }}: range is not supported; supported are .Index, .Count, parentheses, | and AddFloat, AddInt, DivideFloat, DivideInt, Mod, MultiplyFloat, MultiplyInt, SubtractFloat, SubtractInt, div, mod, printf',
  ],
];

for (const [title, text, message] of refusals) {
  test(`a template of an object › is refused for ${title}`, (t) => {
    const error = t.throws(() => parseObjectTemplate(text, 'pod.yaml'));
    t.is(error.message, message);
    t.is(error.name, 'SchedulerPerfError');
  });
}

test('a template of an object › names the line of an expression that cannot be computed', (t) => {
  const template = parseObjectTemplate('apiVersion: v1\nkind: Pod\nspec: { priority: {{ Mod 1 .Index }} }', 'pod.yaml');
  const error = t.throws(() => template.instantiate({ Index: 0, Count: 5 }));
  t.is(error.message, 'pod.yaml:3: with .Index 0 and .Count 5: division by zero');
});
