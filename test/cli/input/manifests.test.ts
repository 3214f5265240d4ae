import { readFileSync } from 'node:fs';
import test from 'ava';
import { inputFile, kubeloom } from '../command.js';

const POD = `apiVersion: v1
kind: Pod
metadata: { name: a }
spec:
  foo: 1
  containers:
    - { name: c, image: busybox }
`;
const autoscaler = (field: string): string =>
  `apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: { name: h }\nspec:\n  maxReplicas: 3\n  ${field}: 50\n  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }\n`;
const ALONE = ['--pods', '0', '--nodes', '2'];

test('kubeloom run › refuses unknown fields of a manifest in one line with file and line', async (t) => {
  const file = inputFile('unknown-field.yaml', POD);
  const { status, stdout, stderr } = await kubeloom('run', '--manifest', file, ...ALONE);
  t.deepEqual([status, stdout], [2, '']);
  t.is(
    stderr,
    `kubeloom: ${file}:5: Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.foo"\n`,
  );
});

test('kubeloom run › with --validate=warn tells of unknown fields and goes on, with ignore says nothing', async (t) => {
  const file = inputFile('warned-field.yaml', POD);
  const warned = await kubeloom('run', '--manifest', file, ...ALONE, '--validate=warn');
  t.is(warned.status, 0, warned.stderr);
  t.is(warned.stderr.split('\n')[0], `Warning: unknown field "spec.foo" (${file}:5)`);
  const ignored = await kubeloom('run', '--manifest', file, ...ALONE, '--validate=false');
  t.is(ignored.status, 0, ignored.stderr);
  t.notRegex(ignored.stderr, /unknown field/);
  const { status, stderr } = await kubeloom('run', '--manifest', file, ...ALONE, '--validate=maybe');
  t.is(status, 2);
  t.is(stderr, 'kubeloom: --validate must be one of strict, true, warn, ignore, false, got "maybe"\n');
});

test('kubeloom run › refuses manifests without any object', async (t) => {
  const file = inputFile('empty.yaml', '# nothing\n---\n');
  const { status, stderr } = await kubeloom('run', '--manifest', file, ...ALONE);
  t.deepEqual([status, stderr], [2, `kubeloom: --manifest ${file}: no objects passed to apply\n`]);
});

test('kubeloom run › does not reach its goal with manifests of which nothing runs, and names what was ignored', async (t) => {
  const ignored = inputFile('ignored.yaml', 'apiVersion: example.org/v1\nkind: Widget\nmetadata: { name: w }\n');
  const configMap = inputFile('config-map.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: w }\n');
  const alone = await kubeloom('run', '--manifest', ignored, ...ALONE);
  t.is(alone.status, 1);
  t.regex(alone.stdout, /goal not reached: .*\n.*\n {2}example.org\/v1 Widget: not simulated, ignored\n$/);
  const beside = await kubeloom('run', '--manifest', ignored, '--pods', '3', '--nodes', '2');
  t.is(beside.status, 1);
  t.regex(beside.stdout, /goal not reached: .*\n {2}example.org\/v1 Widget: not simulated, ignored\n$/);
  const idle = await kubeloom('run', '--manifest', configMap, ...ALONE);
  t.is(idle.status, 1);
  t.regex(idle.stdout, /goal not reached: .*\n {2}no object that was applied runs anything\n$/);
});

test('kubeloom run › names the kinds on which nothing acts', async (t) => {
  const text =
    'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: all }\nspec: { podSelector: {} }\n';
  const file = inputFile('policy.yaml', text);
  const { stdout } = await kubeloom('run', '--manifest', file, '--pods', '3', '--nodes', '2');
  t.regex(stdout, /\nkept without effect: NetworkPolicy\ngoal reached/);
});

test('kubeloom scenario › refuses unknown fields of its objects at their lines', async (t) => {
  const text = `title: t
workloads:
  - apiVersion: v1
    kind: Pod
    metadata: { name: a }
    spec:
      containers: [{ name: c, image: i }]
      foo: 1
`;
  const file = inputFile('scenario-field.yaml', text);
  const { status, stderr } = await kubeloom('scenario', file);
  t.is(status, 2);
  t.is(
    stderr,
    `kubeloom: ${file}:8: workloads[0].spec.foo is not known: strict decoding error: unknown field "spec.foo"\n`,
  );
});

test('kubeloom --version › prints the version of the package', async (t) => {
  const { status, stdout } = await kubeloom('--version');
  t.is(status, 0);
  t.regex(stdout, /^\d+\.\d+\.\d+\n$/);
});

const podWith = (container: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n---\napiVersion: v1\nkind: Pod\nmetadata: { name: p }\nspec:\n  containers:\n  - name: c\n    image: i\n    ${container}\n`;

test('manifests › a value of a wrong type is refused with file, line and field, and so is a quantity that is none', async (t) => {
  const refused = async (name: string, container: string): Promise<string> => {
    const { status, stderr } = await kubeloom(
      'run',
      '--nodes',
      '1',
      '--pods',
      '0',
      '-f',
      inputFile(name, podWith(container)),
    );
    t.is(status, 2, stderr);
    return stderr.slice(stderr.indexOf(name));
  };
  t.is(
    await refused('type.yaml', 'ports: [{ containerPort: eighty }]'),
    'type.yaml:12: Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32 (spec.containers[0].ports[0].containerPort)\n',
  );
  t.regex(
    await refused('quantity.yaml', 'resources: { requests: { cpu: 1x } }'),
    /^quantity\.yaml:12: .*quantities must match .*\(spec\.containers\[0\]\.resources\.requests\)\n$/,
  );
});

test('kubeloom run › says in which file and line an object stands that the API server refuses', async (t) => {
  const invalid = inputFile('invalid.yaml', `---\n${POD.replace('  foo: 1\n', '').replace('busybox', '""')}`);
  const { status, stderr } = await kubeloom('run', '--manifest', invalid, ...ALONE);
  t.is(status, 2);
  t.is(stderr, `kubeloom: ${invalid}:7: Pod "a" is invalid: spec.containers[0].image: Required value\n`);
  const lost = inputFile(
    'lost.yaml',
    '# one\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, namespace: b }\n',
  );
  t.is((await kubeloom('run', '--manifest', lost, ...ALONE)).stderr, `kubeloom: ${lost}:3: namespaces "b" not found\n`);
});

test('kubeloom run › refuses a kind that its version of Kubernetes does not have, and notes where others are ignored', async (t) => {
  const misspelt = inputFile('misspelt.yaml', 'apiVersion: apps/v1\nkind: Deploymnt\nmetadata: { name: w }\n');
  const { status, stderr } = await kubeloom('run', '--manifest', misspelt, ...ALONE);
  t.is(status, 2);
  t.is(stderr, `kubeloom: ${misspelt}:1: no matches for kind "Deploymnt" in version "apps/v1"\n`);
  const pod = POD.replace('  foo: 1\n', '');
  const both = inputFile('both.yaml', `${pod}---\napiVersion: example.org/v1\nkind: Widget\nmetadata: { name: w }\n`);
  const told = await kubeloom('run', '--manifest', both, ...ALONE);
  t.is(told.status, 0, told.stdout);
  t.true(told.stdout.includes(`${both}:8: no definition of Widget in version example.org/v1, ignored\n`), told.stdout);
});

test('kubeloom run › takes autoscalers of autoscaling/v1, with the fields of that version', async (t) => {
  const saved = inputFile('autoscaler.json', '');
  const file = inputFile('autoscaler.yaml', autoscaler('targetCPUUtilizationPercentage'));
  await kubeloom('run', '--manifest', file, '--pods', '3', '--nodes', '2', '--save', saved);
  t.regex(readFileSync(saved, 'utf8'), /"averageUtilization":50/);
  const wrong = inputFile('wrong-autoscaler.yaml', autoscaler('metrics'));
  t.regex(
    (await kubeloom('run', '--manifest', wrong, ...ALONE)).stderr,
    /wrong-autoscaler.yaml:6: .* unknown field "spec.metrics"\n$/,
  );
});
