import test from 'ava';
import { played } from './harness.js';

/** Plays a Job whose container has these arguments. @returns the simulated seconds until it is over, and its errors */
async function slept(args: readonly string[], image = 'gcr.io/k8s-staging-perf-tests/sleep:v0.0.3') {
  const files = {
    't/job.yaml': `
apiVersion: batch/v1
kind: Job
metadata: {name: {{.Name}}, labels: {group: jobs}}
spec:
  backoffLimit: 0
  template: {spec: {restartPolicy: Never, containers: [{name: c, image: "${image}", args: ${JSON.stringify(args)}}]}}
`,
    't/config.yaml': `
name: jobs
namespace: {number: 1, prefix: j}
tuningSets: [{name: all, qpsLoad: {qps: 10}}]
steps:
- {name: start, measurements: [{Identifier: W, Method: WaitForFinishedJobs, Params: {action: start, labelSelector: group = jobs}}]}
- {name: jobs, phases: [{namespaceList: [j-1], replicasPerNamespace: 1, tuningSet: all, objectBundle: [{basename: job, objectTemplatePath: job.yaml}]}]}
- {name: wait, measurements: [{Identifier: W, Method: WaitForFinishedJobs, Params: {action: gather, timeout: 1h}}]}
- {name: pods, measurements: [{Identifier: P, Method: WaitForGenericK8sObjects, Params: {objectResource: jobs, objectGroup: batch, objectVersion: v1, namespaceRange: {allNamespaces: true}, successfulConditions: [Complete=True], failedConditions: [Failed=True], minDesiredObjectCount: 1, timeout: 1m, refreshInterval: 1s}}]}
`,
  };
  const { tests } = await played(files);
  const wait = tests[0]?.steps.find(({ name }) => name.includes('] wait'));
  return { seconds: (wait?.durationMs ?? 0) / 1000, errors: tests[0]?.errors ?? [] };
}

test(`upstream's sleep sleeps as long as its arguments say, and fails for those that it cannot read`, async (t) => {
  for (const [args, seconds] of [
    [['90s'], 90],
    [['1m30s'], 90],
    [['--termination-grace-period=5s', '-termination-code', '3', '2m'], 120],
    [[], 0],
  ] as const) {
    const { seconds: took, errors } = await slept(args);
    t.deepEqual(errors, []);
    t.true(took >= seconds && took < seconds + 10, `${args.join(' ')}: ${took} s`);
  }
  for (const args of [['soon'], ['--speed=2', '1s']]) {
    const { errors } = await slept(args);
    t.regex(errors.join('\n'), /too many failed objects, expected at most 0, got 1/, args.join(' '));
  }
});
