/** What is noted briefly, while thousands of pods wait, is what is noted in full but for single nodes. */
import test from 'ava';
import type { Node, Pod } from '../../../src/api/objects/objects.js';
import { randomStream, type RandomStream } from '../../../src/kernel/random.js';
import type { Decision } from '../../../src/scheduler/cycle/schedule-pod.js';
import { AttemptLog } from '../../../src/scheduler/explain/attempt-log.js';
import type { AttemptExplanation } from '../../../src/scheduler/explain/explanation.js';
import { PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import { Algorithm } from '../support/algorithm.js';
import { testNode, testPod, type PodParts } from '../support/objects.js';
import { queued } from '../support/queued.js';

/** So many pods wait that nothing of a single node outlasts them. */
const CROWD = 1_000_000_000;
const ZONE = 'topology.kubernetes.io/zone';

/** The explanations of one attempt. */
interface Told {
  readonly brief: AttemptExplanation | undefined;
  /** Noted after it. */
  readonly full: AttemptExplanation | undefined;
  /** Noted in full where every node was judged by the plain forms. */
  readonly plain: AttemptExplanation | undefined;
  /** Whether the brief note has made the scan again. */
  readonly isScannedForBrief: boolean;
  /** Whether the full one has. */
  readonly isScannedForFull: boolean;
}

/** The same cluster twice: decided fast, and by the plain forms. */
class Stage {
  readonly fast: Algorithm;
  readonly plain: Algorithm;
  readonly #random: RandomStream;
  readonly #nodeNames: readonly string[];
  readonly #oddPercent: number;
  readonly #brief = new AttemptLog();
  readonly #full = new AttemptLog();
  readonly #plain = new AttemptLog();

  /** @param oddPercent - how many of the nodes are not like the others */
  constructor(seed: string, nodeCount: number, percentageOfNodesToScore: number, oddPercent: number) {
    this.#random = randomStream(seed, 'cluster');
    this.#oddPercent = oddPercent;
    this.fast = new Algorithm({ percentageOfNodesToScore });
    this.plain = new Algorithm({ percentageOfNodesToScore, isPlain: true });
    this.#nodeNames = Array.from({ length: nodeCount }, (_value, index) => `n${index}`);
    for (const name of this.#nodeNames) this.setNode(name);
  }

  /** A node in place of the one of this name; odd ones may have hardly any room. */
  setNode(name = this.pick(this.#nodeNames)): void {
    const isOdd = this.#random.int(1, 100) <= this.#oddPercent;
    const node = isOdd ? oddNode(this.#random, name) : testNode(name, { zone: this.pick(['z0', 'z0', 'z1', 'z2']) });
    for (const each of [this.fast, this.plain]) each.addNodes([node]);
  }

  nominate(pod: Pod, nodeName = this.pick(this.#nodeNames)): void {
    for (const each of [this.fast, this.plain]) each.nominator.nominate(pod, nodeName);
  }

  forget(pod: Pod): void {
    for (const each of [this.fast, this.plain]) each.nominator.forget(pod);
  }

  pick<T>(choices: readonly T[]): T {
    return pick(this.#random, choices);
  }

  somePod(name: string): Pod {
    return somePod(this.#random, name);
  }

  /** Decides and notes; the pod goes where it was decided. */
  attempt(pod: Pod): Told {
    const logs = [this.#brief, this.#full, this.#plain] as const;
    const [briefLog, fullLog, plainLog] = logs;
    const decision = this.fast.decide(pod);
    const { scan } = this.fast.scheduler;
    const runs = [scan.runs];
    note(briefLog, this.fast, pod, decision, CROWD);
    runs.push(scan.runs);
    note(fullLog, this.fast, pod, decision, 0);
    runs.push(scan.runs);
    note(plainLog, this.plain, pod, this.plain.decide(pod), 0);
    if (decision.kind === 'placed') {
      for (const each of [this.fast, this.plain]) each.place(pod, decision.nodeName);
    }
    const [brief, full, plain] = logs.map((log) => log.explain(new PodInfo(pod).key)?.attempts[0]);
    return {
      brief,
      full,
      // It differs in the way alone.
      plain: plain === undefined || full === undefined ? plain : { ...plain, way: full.way },
      isScannedForBrief: runs[0] !== runs[1],
      isScannedForFull: runs[1] !== runs[2],
    };
  }
}

function note(log: AttemptLog, { scheduler, snapshot }: Algorithm, pod: Pod, decision: Decision, behind: number): void {
  log.note(queued(pod, 1), 0, decision, scheduler, snapshot.columns, behind);
}

function pick<T>(random: RandomStream, choices: readonly T[]): T {
  return choices[random.int(0, choices.length - 1)] as T;
}

function oddNode(random: RandomStream, name: string): Node {
  const [key, value] = [pick(random, ['a', 'b']), pick(random, ['x', 'y'])];
  return testNode(name, {
    allocatable: {
      cpu: pick(random, ['4', '4', '4', '8', '3333m', '500m']),
      memory: pick(random, ['8Gi', '8Gi', '32Gi', '7777777777', '400Mi']),
      pods: pick(random, ['110', '110', '110', '2', '0']),
    },
    zone: pick(random, ['z0', 'z1', 'z2']),
    unschedulable: random.int(0, 19) === 0,
    ...(random.int(0, 9) === 0 ? { taints: [{ key, value, effect: 'NoSchedule' }] } : {}),
  });
}

const SPREAD: PodParts = {
  labels: { app: 'spread' },
  requests: { cpu: '700m', memory: '300Mi' },
  spec: {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: ZONE,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'spread' } },
      },
    ],
  },
};

/** Some come again and again, some are like no other, some fit nowhere. */
function somePod(random: RandomStream, name: string): Pod {
  const requests = { cpu: `${random.int(1, 2500)}m`, memory: `${random.int(1, 4000)}Mi` };
  return testPod(
    name,
    pick<PodParts>(random, [
      { requests },
      { requests },
      { requests, spec: { tolerations: [{ key: 'a', operator: 'Exists' }] } },
      { requests, spec: { nodeSelector: { [ZONE]: 'z1' } } },
      { requests: { cpu: '600m', memory: '500Mi' } },
      { requests: { cpu: '1200m', memory: '1Gi' }, spec: { nodeSelector: { [ZONE]: 'z2' } } },
      SPREAD,
      SPREAD,
      { requests: { cpu: '9' } },
      { requests: { cpu: '7', memory: '64Gi' } },
    ]),
  );
}

/** What is left of an attempt without its single nodes. */
function summaryOf(full: AttemptExplanation | undefined): AttemptExplanation | undefined {
  if (full === undefined) return undefined;
  return {
    ...full,
    detail: 'summary',
    rejections: full.rejections.map((group) => ({ ...group, nodes: group.nodes.slice(0, 3) })),
    scores: full.scores.filter(({ node }) => node === full.node),
    best: full.tieBreak === undefined ? full.best : [],
  };
}

for (const [percentage, nodeCount, oddPercent] of [
  [0, 420, 100],
  [100, 300, 50],
  [100, 640, 2],
  [35, 900, 1],
] as const) {
  test(`brief notes › of ${nodeCount} nodes, ${oddPercent} % of them odd, at ${percentage} % they tell as in full`, (t) => {
    const stage = new Stage(`brief/${nodeCount}`, nodeCount, percentage, oddPercent);
    const strangers = Array.from({ length: 6 }, (_value, index) =>
      testPod(`stranger${index}`, { requests: { cpu: '3' }, spec: { priority: 10 } }),
    );
    let kept = 0;
    let refused = 0;
    for (let step = 0; step < 240; step += 1) {
      if (step % 12 === 11) stage.setNode();
      if (step === 160) for (const pod of strangers) stage.nominate(pod);
      if (step === 200) for (const pod of strangers) stage.forget(pod);
      const { brief, full, plain, isScannedForBrief, isScannedForFull } = stage.attempt(stage.somePod(`p${step}`));
      // It is a lot to compare.
      if (step % 10 === 0) t.deepEqual(full, plain, `pod ${step}`);
      t.deepEqual(brief, summaryOf(plain), `pod ${step}`);
      t.false(isScannedForBrief, `pod ${step}`);
      if (plain?.outcome !== 'placed') refused += 1;
      else if (isScannedForFull && plain.rejections.length > 0) kept += 1;
    }
    t.true(kept > 60, `${kept} of 240 scans with rejected nodes were made for the full note alone`);
    t.true(refused > 30, `${refused} of 240 pods fitted nowhere`);
  });
}

test('brief notes › a nominated node that refuses is told of when the scan has not come by', (t) => {
  const stage = new Stage('brief/nominated', 400, 0, 100);
  let refusals = 0;
  for (let step = 0; step < 60; step += 1) {
    const nominatedNodeName = `n${step}`;
    const pod = testPod(`p${step}`, { requests: { cpu: '3600m' }, status: { nominatedNodeName } });
    const { brief, full, plain } = stage.attempt(pod);
    t.deepEqual(full, plain);
    if (plain?.chosenBy !== 'scores') continue;
    refusals += 1;
    const counts = plain.rejections.map(({ reasons, count }) => [reasons, count]);
    t.deepEqual([brief?.detail, brief?.rejections.map(({ reasons, count }) => [reasons, count])], ['summary', counts]);
  }
  t.true(refusals > 20, `${refusals} of 60 nominated nodes refused`);
});
