import test from 'ava';
import fc from 'fast-check';
import type { Node, Pod } from '../../../src/api/objects/objects.js';
import { VirtualClock } from '../../../src/kernel/engine/virtual-clock.js';
import { randomStream } from '../../../src/kernel/random.js';
import { createTimestamps } from '../../../src/kernel/timestamps.js';
import { fitErrorText } from '../../../src/scheduler/cycle/attempt/node-statuses.js';
import { PodScheduler } from '../../../src/scheduler/cycle/schedule-pod.js';
import { CycleState } from '../../../src/scheduler/framework/cycle-state.js';
import { Framework } from '../../../src/scheduler/framework/framework.js';
import { PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import { preemptionLimits } from '../../../src/scheduler/framework/preemption/preemption-args.js';
import { buildPlugins, DEFAULT_PLUGINS, IN_TREE_PLUGINS } from '../../../src/scheduler/plugins/registry.js';
import { PreemptionEvaluator } from '../../../src/scheduler/preemption/evaluator.js';
import { Algorithm } from '../support/algorithm.js';
import { testNode } from '../support/objects.js';
import { budget, guest, timeAt, type GuestParts } from './preemption-scene.js';

const NODES = 5;
const GUESTS = 15;
const GPU = 'example.com/gpu';

/** Pods that come in; those of one kind differ in nothing but the name. The first two differ in priority alone. */
const KINDS: readonly GuestParts[] = [
  { priority: 3, requests: { cpu: '2' } },
  { priority: 2, requests: { cpu: '2' } },
  { priority: 4, requests: { cpu: '500m', [GPU]: '1' } },
  { priority: 3, requests: { cpu: '1' }, ports: [{ containerPort: 80, hostPort: 80 }] },
  // For this one its neighbours count as well.
  {
    priority: 3,
    requests: { cpu: '1' },
    spec: {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: { app: 'db' } }, topologyKey: 'topology.kubernetes.io/zone' },
          ],
        },
      },
    },
  },
];
/** Pods of each kind. */
const TWINS = 2;

/** One thing that happens; numbers choose among what is there. */
type Step =
  | { readonly what: 'place'; readonly guest: number; readonly node: number; readonly priority: number }
  | { readonly what: 'remove' | 'start' | 'terminate' | 'relabel'; readonly guest: number; readonly at: number }
  | { readonly what: 'node'; readonly node: number; readonly cores: number; readonly isCordoned: boolean }
  | { readonly what: 'drop'; readonly node: number }
  | { readonly what: 'nominate'; readonly kind: number; readonly twin: number; readonly node: number }
  | { readonly what: 'withdraw'; readonly kind: number; readonly twin: number }
  | { readonly what: 'budget'; readonly allowed: number }
  | { readonly what: 'pass'; readonly seconds: number };

const below = (count: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: count - 1 });
const what = <T extends string>(text: T): fc.Arbitrary<T> => fc.constant(text);
const guestNumber = below(GUESTS);
const node = below(NODES);
const kind = below(KINDS.length);
const twin = below(TWINS);
const priority = fc.integer({ min: -1, max: 3 });
const cores = fc.integer({ min: 1, max: 4 });
const at = fc.integer({ min: 18, max: 40 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: what('place'), guest: guestNumber, node, priority }) },
  { weight: 2, arbitrary: fc.record({ what: what('start'), guest: guestNumber, at }) },
  { weight: 1, arbitrary: fc.record({ what: what('terminate'), guest: guestNumber, at }) },
  { weight: 1, arbitrary: fc.record({ what: what('relabel'), guest: guestNumber, at }) },
  { weight: 1, arbitrary: fc.record({ what: what('remove'), guest: guestNumber, at }) },
  { weight: 1, arbitrary: fc.record({ what: what('node'), node, cores, isCordoned: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: what('drop'), node }) },
  { weight: 4, arbitrary: fc.record({ what: what('nominate'), kind, twin, node }) },
  { weight: 1, arbitrary: fc.record({ what: what('withdraw'), kind, twin }) },
  { weight: 1, arbitrary: fc.record({ what: what('budget'), allowed: fc.integer({ min: -1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ what: what('pass'), seconds: fc.integer({ min: 1, max: 8 }) }) },
);

/** Clusters in which whatever happens is decided twice: with kept outcomes, and anew. */
class TwoMinds {
  readonly #algorithm = new Algorithm();
  readonly #guests = new Map<number, Pod>();
  readonly #budgets: ReturnType<typeof budget>[] = [];
  readonly #timestamps = createTimestamps('2030-01-01T00:00:00Z');
  readonly #evaluator: PreemptionEvaluator;
  readonly #anew: Framework;
  #nowMs = 20_000;

  constructor() {
    const { framework, snapshot } = this.#algorithm;
    this.#evaluator = this.#createEvaluator(framework);
    const clock = new VirtualClock();
    const handle = { clock, snapshot, bind: () => undefined, waitingPod: () => undefined, objects: () => [] };
    // A filter that may look at anything: nothing can be kept beside it.
    const registry = new Map([...IN_TREE_PLUGINS, ['Curious', () => ({ name: 'Curious', filter: () => undefined })]]);
    this.#anew = new Framework(buildPlugins([...DEFAULT_PLUGINS, { name: 'Curious' }], handle, registry), clock);
    for (let each = 0; each < NODES; each += 1) this.#algorithm.addNodes([nodeOf(each, 4, false)]);
    for (let each = 0; each < GUESTS; each += 1) this.#put(each, guestOf(each, each % 4), `n${each % NODES}`);
  }

  /** What both minds think of every pod that may come in. */
  *decide(): Generator<readonly [kept: unknown, anew: unknown]> {
    for (const each of KINDS.keys())
      for (let other = 0; other < TWINS; other += 1) yield this.#try(incoming(each, other));
  }

  /** Does one thing. */
  play(next: Step): void {
    const { cache, nominator } = this.#algorithm;
    switch (next.what) {
      case 'place':
        this.#leave(next.guest);
        return this.#put(next.guest, guestOf(next.guest, next.priority), `n${next.node}`);
      case 'remove':
        return this.#leave(next.guest);
      case 'start':
        return this.#change(next.guest, (pod) => ({ ...pod, status: { ...pod.status, startTime: timeAt(next.at) } }));
      case 'terminate':
        return this.#change(next.guest, ({ metadata, ...rest }) => ({
          ...rest,
          metadata: { ...metadata, deletionTimestamp: timeAt(next.at) },
        }));
      case 'relabel':
        return this.#change(next.guest, ({ metadata, ...rest }) => ({
          ...rest,
          metadata: { ...metadata, labels: { app: next.at % 2 === 0 ? 'db' : 'web' } },
        }));
      case 'node':
        return cache.setNode(nodeOf(next.node, next.cores, next.isCordoned));
      case 'drop':
        return cache.removeNode(`n${next.node}`);
      case 'nominate':
        return nominator.nominate(incoming(next.kind, next.twin), `n${next.node}`);
      case 'withdraw':
        return nominator.forget(incoming(next.kind, next.twin));
      case 'budget':
        this.#budgets.length = 0;
        if (next.allowed >= 0) this.#budgets.push(budget('db', { matchLabels: { app: 'db' } }, next.allowed));
        return undefined;
      case 'pass':
        this.#nowMs += next.seconds * 1000;
        return undefined;
    }
  }

  #try(pod: Pod): readonly [unknown, unknown] {
    const { cache, snapshot, nominator, scheduler, start } = this.#algorithm;
    cache.updateSnapshot(snapshot);
    const anew = new PodScheduler({
      framework: this.#anew,
      snapshot,
      nominator,
      random: randomStream('any', 'scheduler/tie-break'),
      percentageOfNodesToScore: 0,
      start: { ...start },
      isPlain: true,
    });
    const kept = this.#factsOf(pod, scheduler, this.#evaluator);
    return [kept, this.#factsOf(pod, anew, this.#createEvaluator(this.#anew))];
  }

  #factsOf(pod: Pod, scheduler: PodScheduler, evaluator: PreemptionEvaluator): unknown {
    const { snapshot } = this.#algorithm;
    const state = new CycleState();
    const info = new PodInfo(pod);
    const decision = scheduler.decide(state, info);
    if (decision.kind !== 'unfit') return { kind: decision.kind, feasible: scheduler.scan.count };
    const { diagnosis } = decision;
    const { nodeToStatus, unschedulablePlugins } = diagnosis;
    const { candidates, picked, statuses, ...report } = evaluator.evaluate(state, info, nodeToStatus);
    return {
      verdicts: [...nodeToStatus.entries()],
      text: fitErrorText(diagnosis, snapshot.size),
      unschedulablePlugins: [...unschedulablePlugins].sort(),
      report,
      candidates: candidates.map(({ nodeName, victims, violations }) => [nodeName, victims, violations]),
      statuses: [...statuses],
      picked: picked === undefined ? undefined : [picked.candidate.nodeName, picked.criterion, picked.ties],
    };
  }

  #createEvaluator(framework: Framework): PreemptionEvaluator {
    const { snapshot, nominator } = this.#algorithm;
    return new PreemptionEvaluator({
      framework,
      snapshot,
      nominator,
      clock: { now: () => this.#nowMs, schedule: unused, cancel: unused, hold: unused, settle: unused },
      timestamps: this.#timestamps,
      random: undefined,
      limits: preemptionLimits({ minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 4 }),
      findPod: () => undefined,
      budgets: () => this.#budgets,
      remover: { remove: unused, isPreempting: () => false },
    });
  }

  #put(number: number, pod: Pod, nodeName: string): void {
    this.#guests.set(number, this.#algorithm.place(pod, nodeName));
  }

  #change(number: number, change: (pod: Pod) => Pod): void {
    const present = this.#guests.get(number);
    if (present !== undefined) this.#put(number, change(present), present.spec.nodeName ?? '');
  }

  #leave(number: number): void {
    const present = this.#guests.get(number);
    if (present !== undefined) this.#algorithm.cache.removePod(present);
    this.#guests.delete(number);
  }
}

function nodeOf(each: number, cpu: number, unschedulable: boolean): Node {
  const gpu: object = each % 2 === 0 ? { [GPU]: '1' } : {};
  return testNode(`n${each}`, {
    allocatable: { cpu: String(cpu), memory: '8Gi', pods: '5', ...gpu },
    unschedulable,
    zone: `z${each % 2}`,
  });
}

function guestOf(each: number, own: number): Pod {
  return guest(`g${each}`, {
    priority: own,
    requests: { cpu: `${1100 + 100 * (each % 3)}m`, ...(each % 4 === 0 ? { [GPU]: '1' } : {}) },
    labels: { app: each % 3 === 0 ? 'db' : 'web' },
    ...(each % 5 === 0 ? { ports: [{ containerPort: 80, hostPort: 80 }] } : {}),
    ...(each % 2 === 0 ? { startedAt: each } : {}),
  });
}

function incoming(each: number, other: number): Pod {
  return guest(`k${each}-${other}`, KINDS[each]);
}

function unused(): never {
  throw new Error('a decision needs no timer and removes nobody');
}

test('preemption › what is kept from attempt to attempt is what would be found anew, whatever has happened', (t) => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 8, maxLength: 20 }), (steps) => {
      const minds = new TwoMinds();
      for (const next of steps) {
        minds.play(next);
        for (const [kept, anew] of minds.decide()) t.deepEqual(kept, anew, JSON.stringify(steps));
      }
    }),
    { numRuns: 60 },
  );
});
