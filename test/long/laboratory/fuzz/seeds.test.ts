import test from 'ava';
import { parseFound, playPlan, type PlanDocument } from '../../../../src/index.js';
import { loadBroken } from '../../../laboratory/fuzz/planted/broken-program.js';

/** What searches have found in this program before it was mended, as they wrote it down. */
const FOUND = [
  `
version: 0.1.0
seed: '3178'
invariant: finished-jobs
object: Job default/tick-31557610
text: is Complete and got pod tick-31557610-r88tc
plan:
  title: seed 3178
  cluster: { seed: '3178', nodes: 3, invariants: true }
  workloads:
    - apiVersion: batch/v1
      kind: CronJob
      metadata: { name: tick }
      spec:
        schedule: '*/2 * * * *'
        concurrencyPolicy: Allow
        jobTemplate:
          spec:
            backoffLimit: 100
            template:
              metadata: { labels: { app: tick }, annotations: { kubeloom.dev/run-for: 'uniform(1s, 74s)' } }
              spec:
                restartPolicy: OnFailure
                containers: [{ name: app, image: 'tick:1', resources: { requests: { cpu: 100m } } }]
  actions:
    - { at: 287454ms, for: 418s, mayFail: true, cut: { node: node-2, direction: out } }
    - { at: 646550ms, for: 570s, mayFail: true, lossy: { component: kube-controller-manager, requests: 0.3, when: after } }
`,
  `
version: 0.1.0
seed: '10952'
invariant: finished-jobs
object: Job default/batch
text: is Complete and got pod batch-pk6dp
plan:
  title: seed 10952
  cluster: { seed: '10952', nodes: 5, invariants: true }
  workloads:
    - apiVersion: batch/v1
      kind: Job
      metadata: { name: batch }
      spec:
        completions: 8
        parallelism: 2
        backoffLimit: 100
        template:
          metadata: { labels: { app: batch }, annotations: { kubeloom.dev/run-for: 'uniform(1s, 79s)' } }
          spec:
            restartPolicy: OnFailure
            containers: [{ name: app, image: 'batch:1', resources: { requests: { cpu: 100m } } }]
    - apiVersion: v1
      kind: ReplicationController
      metadata: { name: old }
      spec:
        replicas: 5
        selector: { app: old }
        template:
          metadata: { labels: { app: old }, annotations: { kubeloom.dev/shutdown: 19s } }
          spec:
            terminationGracePeriodSeconds: 13
            containers:
              - name: app
                image: 'old:1'
                resources: { requests: { cpu: 300m, memory: 64Mi } }
                readinessProbe: { httpGet: { port: 80 }, periodSeconds: 5 }
  actions:
    - { at: 83267ms, for: 593s, mayFail: true, crashAfterWrites: { controller: endpointslice-controller, writes: 5 } }
    - { at: 121576ms, for: 362s, mayFail: true, lossy: { component: kube-controller-manager, requests: 0.4, when: after } }
`,
].map((text) => parseFound(text, 'found.yaml'));

/** Plans that are like a found one but for the numbers that are drawn while it is played. */
function likenesses(plan: PlanDocument, count: number): readonly PlanDocument[] {
  const { seed } = plan.cluster;
  const nths = Array.from({ length: count - 1 }, (_, index) => index + 1);
  return [plan, ...nths.map((nth) => ({ ...plan, cluster: { ...plan.cluster, seed: `${seed}-${nth}` } }))];
}

/** Within so many of them the broken program is caught: what is drawn differs with every change of the program. */
const LIKENESSES_SEARCHED = 60;

for (const { seed, invariant, plan } of FOUND) {
  test(`search › what seed ${seed} found is mended`, async (t) => {
    for (const candidate of likenesses(plan, 4)) t.deepEqual((await playPlan(candidate)).violations, []);
  });

  test(`search › what seed ${seed} found comes back with the job controller that did not wait for its own writes`, async (t) => {
    const broken = await loadBroken(`before-${seed}`, [
      {
        file: 'controllers/job/job-controller',
        text: 'currency.confirm(this.#context, this.#key, this.#job)',
        becomes: 'undefined',
      },
    ]);
    let caught: string | undefined;
    for (const candidate of likenesses(plan, LIKENESSES_SEARCHED)) {
      const { violations } = await broken.playPlan(candidate);
      caught = violations[0]?.invariant;
      if (caught === invariant) break;
    }
    t.is(caught, invariant);
  });
}
