/** Loads of objects of which a definition brings the kind, before the load, in an earlier job, or in the same one. */
import test from 'ava';
import { runBurner, type BurnerResult } from '../../src/index.js';
import { played as playedTest } from './clusterloader2/harness.js';

/** @param names - of the kind, in a template's words */
function definition(name: string, number: string, scope: 'Namespaced' | 'Cluster'): string {
  return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: "${name}"}
spec:
  group: example.com
  scope: ${scope}
  names: {plural: "widgets${number}", singular: "widget${number}", kind: "Widget${number}"}
  versions:
  - {name: v1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`;
}

const WIDGET = `
apiVersion: example.com/v1
kind: Widget{{.Iteration}}
metadata: {name: "widget-{{.Iteration}}-{{.Replica}}"}
spec: {size: {{.Replica}}}
`;

function playedWorkload(jobs: string, scope: 'Namespaced' | 'Cluster' = 'Namespaced'): Promise<BurnerResult> {
  const files: Readonly<Record<string, string>> = {
    'w/config.yml': `jobs:${jobs}`,
    'w/definition.yml': definition('widgets{{.Iteration}}.example.com', '{{.Iteration}}', scope),
    'w/widget.yml': WIDGET,
    'w/patch.yml': 'spec: {size: 9}',
  };
  return runBurner({ config: 'w/config.yml', nodes: 1, seed: 3, readFile: (path) => files[path] ?? '' });
}

const CREATE = `
- {name: definitions, namespace: d, jobIterations: 3, qps: 5, burst: 5, preLoadImages: false, objects: [{objectTemplate: definition.yml}]}
- {name: widgets, namespace: w, jobIterations: 3, qps: 5, burst: 5, preLoadImages: false, objects: [{objectTemplate: widget.yml, replicas: 2}]}
`;

test('kube-burner › a job makes objects of the kinds that a job before it has defined, another kind each iteration', async (t) => {
  for (const scope of ['Namespaced', 'Cluster'] as const) {
    const patch = `
- {name: patch, jobType: patch, qps: 5, burst: 5, objects: [{kind: Widget1, apiVersion: example.com/v1, labelSelector: {kube-burner.io/job: widgets}, objectTemplate: patch.yml, patchType: application/merge-patch+json}]}
- {name: delete, jobType: delete, qps: 5, burst: 5, objects: [{kind: Widget2, apiVersion: example.com/v1, labelSelector: {kube-burner.io/job: widgets}}]}
`;
    const result = await playedWorkload(`${CREATE}${patch}`, scope);
    t.deepEqual(result.errors, [], scope);
    t.deepEqual(result.ignored, [], scope);
    t.is(result.exitCode, 0, scope);
    t.deepEqual(
      result.jobs.map(({ name, isPassed }) => [name, isPassed]),
      ['definitions', 'widgets', 'patch', 'delete'].map((name) => [name, true]),
      scope,
    );
  }
});

test('kube-burner › what is missing of such objects is told, and ends with exit code 1', async (t) => {
  const broken = CREATE.replace('replicas: 2', 'replicas: 2, runOnce: false').replace(
    'jobIterations: 3',
    'jobIterations: 2',
  );
  const result = await playedWorkload(broken);
  t.deepEqual(result.ignored, ['objects of example.com/v1 Widget2']);
  t.is(result.exitCode, 1);
  t.deepEqual(result.errors, ['object verification failed']);
});

test('kube-burner › a definition and its first object may come with one job, in groups', async (t) => {
  const result = await playedWorkload(`
- name: both
  namespace: both
  qps: 1
  burst: 1
  preLoadImages: false
  objects: [{objectTemplate: definition.yml, group: 1}, {objectTemplate: widget.yml, replicas: 3, group: 2}]
`);
  t.deepEqual(result.ignored, []);
  t.deepEqual(result.errors, []);
});

/** A step of one phase, in both namespaces. */
function phase(step: string, replicas: number, object: string): string {
  return `
- name: ${step}
  phases:
  - {namespaceRange: {min: 1, max: 2}, replicasPerNamespace: ${replicas}, tuningSet: all, objectBundle: [{basename: widget, objectTemplatePath: ${object}, templateFillMap: {Round: ${step}}}]}`;
}

/** A step that waits for so many widgets. */
function wait(id: string, wanted: number, timeout: string): string {
  return `
- name: wait ${id}
  measurements:
  - {Identifier: ${id}, Method: WaitForGenericK8sObjects, Params: {objectGroup: example.com, objectVersion: v1, objectResource: widgets, namespaceRange: {allNamespaces: true}, minDesiredObjectCount: ${wanted}, timeout: ${timeout}, refreshInterval: 1s}}`;
}

test('clusterloader2 › phases make, patch and delete objects of a kind that the cluster was taken over with', async (t) => {
  const files = {
    't/widget.yaml':
      'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: {{.Name}}}\nspec: {round: {{.Round}}}\n',
    't/config.yaml': `
name: widgets
namespace: {number: 2, prefix: w}
tuningSets: [{name: all, qpsLoad: {qps: 10}}]
steps:
${phase('create', 3, 'widget.yaml')}${wait('six', 6, '10s')}${phase('patch', 3, 'widget.yaml')}${wait('seven', 7, '3s')}${phase('delete', 1, 'widget.yaml')}${wait('three', 3, '3s')}
`,
  };
  const result = await playedTest(files, { cluster: { from: definition('widgets.example.com', '', 'Namespaced') } });
  t.deepEqual(result.ignored, []);
  const counts = result.tests[0]?.errors.map((error) =>
    /waiting for (\d) objects .* (count=\d)$/.exec(error)?.slice(1),
  );
  t.deepEqual(counts, [
    ['7', 'count=6'],
    ['3', 'count=2'],
  ]);
});
