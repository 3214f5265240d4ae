import test from 'ava';
import { played, resultOf } from './harness.js';

interface Restarts {
  readonly Container: string;
  readonly Pod: string;
  readonly Namespace: string;
  readonly RestartCount: number;
}

/** A step of pods whose first container has such runs. */
function pods(step: string, name: string, count: number, runs: string): string {
  return `
- {name: ${step}, phases: [{namespaceList: [r-1], replicasPerNamespace: ${count}, tuningSet: all, objectBundle: [{basename: ${name}, objectTemplatePath: pod.yaml, templateFillMap: {Runs: "${runs}"}}]}]}`;
}

/** Twice for containers of pods of this name. */
function allowed(pod: string): string {
  return `customAllowedRestarts: "- {pod: '${pod}', allowedRestarts: 2}"`;
}

/** Plays a test in which the containers of one pod are started anew before it is measured, and of two while it is. */
async function restarted(params: string) {
  const files = {
    't/pod.yaml': `
apiVersion: v1
kind: Pod
metadata: {name: {{.Name}}, annotations: {kubeloom.dev/runs.main: "{{.Runs}}"}}
spec: {containers: [{name: main, image: "registry.example/app:1"}, {name: side, image: "registry.example/side:1"}]}
`,
    't/config.yaml': `
name: restarts
namespace: {number: 1, prefix: r}
tuningSets: [{name: all, qpsLoad: {qps: 10}}]
steps:${pods('before', 'early', 1, '2s exit 1, 60s exit 1, forever')}
- {name: settle, measurements: [{Identifier: S, Method: Sleep, Params: {duration: 40s}}]}
- {name: start, measurements: [{Identifier: R, Method: ContainerRestarts, Params: {action: start}}]}${pods('crashing', 'late', 1, '2s exit 1, 2s exit 1, forever')}${pods('gone', 'gone', 1, '2s exit 1, forever')}
- {name: wait, measurements: [{Identifier: W, Method: Sleep, Params: {duration: 3m}}]}${pods('delete', 'gone', 0, 'forever')}
- {name: end, measurements: [{Identifier: W, Method: Sleep, Params: {duration: 1m}}]}
- {name: gather, measurements: [{Identifier: R, Method: ContainerRestarts, Params: {action: gather, ${params}}}]}
`,
  };
  const result = await played(files);
  const found = (resultOf(result, 'ContainerRestarts_restarts_2030-') as readonly Restarts[]).map(
    ({ Container, Pod, Namespace, RestartCount }) => `${Namespace}/${Pod} ${Container} ${RestartCount}`,
  );
  return { errors: result.tests[0]?.errors ?? [], found: found.sort(), ignored: result.ignored };
}

test('containers that are started anew are counted from start to gather, those of pods that are gone as well', async (t) => {
  const { errors, found, ignored } = await restarted('enableViolations: true, defaultAllowedRestarts: 2');
  t.deepEqual(errors, []);
  t.deepEqual(ignored, []);
  t.deepEqual(found, [
    'r-1/early-0 main 1',
    'r-1/early-0 side 0',
    'r-1/gone-0 main 1',
    'r-1/late-0 main 2',
    'r-1/late-0 side 0',
  ]);
});

test('more restarts than allowed are a violation where violations are enabled, with allowances by the name of pods', async (t) => {
  const one = await restarted(`enableViolations: true, defaultAllowedRestarts: 1, ${allowed('early*')}`);
  t.deepEqual(one.errors, [
    'measurement call ContainerRestarts - R error: container restarts: container restart count validation: ' +
      '[restartCount({Container:main Pod:late-0 Namespace:r-1}) = 2, expected <= 1]',
  ]);
  t.deepEqual((await restarted(`enableViolations: true, defaultAllowedRestarts: 1, ${allowed('late-*')}`)).errors, []);
  t.deepEqual((await restarted('defaultAllowedRestarts: 0')).errors, []);
  await t.throwsAsync(restarted('customAllowedRestarts: "pod: late"'), {
    message:
      /customAllowedRestarts must be a list of pod \(a text\) and allowedRestarts \(an integer\), as YAML, got "pod: late"$/,
  });
});
