import { deepStrictEqual } from 'node:assert';
import test from 'ava';
import fc from 'fast-check';
import type { Container, core } from '../../../src/api/objects/objects.js';
import type { Distribution } from '../../../src/kernel/distribution.js';
import { ProbedContainer, type ContainerProbes } from '../../../src/kubelet/probes/container-probes.js';
import { drawAnswers } from '../../../src/kubelet/probes/probe-answers.js';
import type { ProbeNotice } from '../../../src/kubelet/probes/probe-outcome.js';
import type { ProbeScript } from '../../../src/kubelet/scripts/script-types.js';
import {
  naiveStory,
  turnsStream,
  type Kind,
  type NaiveProbe,
  type NaiveRun,
  type NaiveWorld,
  type Story,
} from './naive-prober.js';

/** Plays a world with the closed form, which is asked at its own moments and at some others. */
class ClosedPlayer {
  readonly #world: NaiveWorld;
  readonly #probes: ContainerProbes;
  readonly #story: string[] = [];
  #plan: NaiveRun | undefined;
  #exitMs = Infinity;
  #nextRunMs: number;
  #runs = 0;
  #shown = '';

  constructor(world: NaiveWorld) {
    this.#world = world;
    this.#nextRunMs = world.firstRunMs;
    const firsts = (['startup', 'readiness', 'liveness'] as const).flatMap((kind) => world.probes[kind]?.firstMs ?? []);
    this.#probes = new ProbedContainer(containerOf(world), () => firsts.shift() ?? 0);
  }

  play(looks: readonly number[]): Story {
    const { addedMs, firstRunMs, horizonMs } = this.#world;
    if (firstRunMs < addedMs) this.#begin(addedMs);
    for (let nowMs = addedMs; nowMs <= horizonMs; nowMs = this.#nextMs(nowMs, looks)) this.#playMoment(nowMs);
    return this.#story;
  }

  #playMoment(nowMs: number): void {
    if (this.#exitMs === nowMs) {
      this.#plan = undefined;
      this.#exitMs = Infinity;
      this.#probes.end(nowMs);
    }
    if (this.#nextRunMs === nowMs && nowMs < this.#world.endingMs) this.#begin(nowMs);
    if (nowMs === this.#world.endingMs) this.#probes.holdLivenessAndStartup(nowMs);
    if (this.#plan !== undefined) for (const notice of this.#probes.advance(nowMs)) this.#tell(notice);
    this.#show(nowMs);
  }

  #nextMs(nowMs: number, looks: readonly number[]): number {
    const workMs = this.#plan === undefined ? Infinity : this.#probes.nextMs;
    const { endingMs, horizonMs } = this.#world;
    const candidates = [this.#nextRunMs, this.#exitMs, endingMs, workMs, horizonMs + 1, ...looks];
    return Math.min(...candidates.filter((ms) => ms > nowMs));
  }

  #begin(nowMs: number): void {
    const { runs, seed, scripts } = this.#world;
    const number = this.#runs;
    this.#runs += 1;
    const plan = runs[number % runs.length];
    if (plan === undefined) return;
    const runningMs = this.#nextRunMs;
    const { startDelayMs: startDelay, readinessDelayMs: readinessDelay } = plan;
    const script = {
      startDelay,
      readinessDelay,
      ...(scripts.readiness === undefined ? {} : { readiness: scripts.readiness }),
      ...(scripts.liveness === undefined ? {} : { liveness: scripts.liveness }),
    };
    const unused = turnsStream(seed, number, 'delays');
    const answers = drawAnswers(script, runningMs, unused, (kind) => turnsStream(seed, number, kind));
    const startedAtMs = Math.floor(runningMs / 1000) * 1000;
    this.#plan = plan;
    this.#exitMs = runningMs + plan.ownMs;
    this.#nextRunMs = this.#exitMs + plan.pauseMs;
    this.#probes.begin(answers, { runningMs, startedAtMs }, nowMs);
  }

  #tell({ kind, outcome, atMs }: ProbeNotice): void {
    this.#story.push(`${atMs} ${kind} ${outcome}`);
  }

  #show(nowMs: number): void {
    let shown = 'down';
    const { failure, isStarted, isReady } = this.#probes;
    if (this.#plan !== undefined) {
      shown = [
        'up',
        isStarted ? 'started' : '-',
        isReady ? 'ready' : '-',
        ...(failure === undefined ? [] : [failure.kind]),
      ].join(' ');
    }
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#story.push(`${nowMs} ${shown}`);
    if (failure === undefined || this.#plan === undefined || nowMs >= this.#world.endingMs) return;
    this.#exitMs = Math.min(this.#exitMs, nowMs + this.#plan.killMs);
    this.#nextRunMs = this.#exitMs + this.#plan.pauseMs;
  }
}

const HANDLERS: Readonly<Record<NaiveProbe['handler'], core.Probe>> = {
  exec: { exec: { command: ['true'] } },
  httpGet: { httpGet: { port: 80 } },
  tcpSocket: { tcpSocket: { port: 80 } },
  grpc: { grpc: { port: 80 } },
  broken: { tcpSocket: { port: 'none' } },
};

function containerOf({ probes }: NaiveWorld): Container {
  const specs = Object.entries(probes).map(([kind, probe]) => [
    `${kind}Probe`,
    {
      ...HANDLERS[probe.handler],
      initialDelaySeconds: probe.initialDelayMs / 1000,
      periodSeconds: probe.periodMs / 1000,
      timeoutSeconds: probe.timeoutMs / 1000,
      successThreshold: probe.successThreshold,
      failureThreshold: probe.failureThreshold,
    },
  ]);
  return { name: 'c', ...(Object.fromEntries(specs) as Partial<Container>) };
}

const HORIZON_MS = 60_000;

const durations: fc.Arbitrary<Distribution> = fc.oneof(
  fc.integer({ min: 0, max: 12_000 }),
  fc.tuple(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 9000 })).map(([min, more]): Distribution => ({
    uniform: [min, min + more],
  })),
  fc
    .array(fc.integer({ min: 0, max: 15_000 }), { minLength: 1, maxLength: 3 })
    .map((choice): Distribution => ({ choice })),
  fc.integer({ min: 1, max: 6000 }).map((meanMs): Distribution => ({ exponential: { meanMs } })),
);

const scripts: fc.Arbitrary<ProbeScript | undefined> = fc.option(
  fc.record(
    {
      okFor: durations,
      failFor: durations,
      isTimeout: fc.boolean(),
      isError: fc.boolean(),
      redirectBody: fc.constant('x'),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);

const seconds = (min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min, max }).map((count) => count * 1000);

const ADDED_MS = 3210;

function probesOf(kind: Kind): fc.Arbitrary<NaiveProbe | undefined> {
  return fc.option(
    fc.record({
      handler: fc.constantFrom(
        'exec',
        'httpGet',
        'tcpSocket',
        'grpc',
        'exec',
        'httpGet',
        'tcpSocket',
        'grpc',
        'broken',
      ),
      initialDelayMs: fc.oneof(fc.constant(0), seconds(0, 8)),
      periodMs: seconds(1, 7),
      timeoutMs: seconds(1, 9),
      successThreshold: kind === 'readiness' ? fc.integer({ min: 1, max: 3 }) : fc.constant(1),
      failureThreshold: fc.integer({ min: 1, max: 4 }),
      firstMs: fc.oneof(fc.constant(ADDED_MS), fc.integer({ min: ADDED_MS, max: ADDED_MS + 6999 })),
    }),
    { nil: undefined },
  );
}

const delays = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9000 }));

const plans: fc.Arbitrary<NaiveRun> = fc.record({
  startDelayMs: delays,
  readinessDelayMs: delays,
  ownMs: fc.oneof(fc.constant(Infinity), fc.integer({ min: 2000, max: 40_000 })),
  killMs: fc.integer({ min: 1, max: 4000 }),
  pauseMs: fc.integer({ min: 1, max: 5000 }),
});

const worlds: fc.Arbitrary<NaiveWorld> = fc.record({
  seed: fc.integer({ min: 0, max: 1_000_000 }).map(String),
  probes: fc
    .record({ startup: probesOf('startup'), readiness: probesOf('readiness'), liveness: probesOf('liveness') })
    .map(
      (all) =>
        Object.fromEntries(Object.entries(all).filter(([, probe]) => probe !== undefined)) as NaiveWorld['probes'],
    ),
  scripts: fc.record({ readiness: scripts, liveness: scripts }),
  runs: fc.array(plans, { minLength: 1, maxLength: 3 }),
  addedMs: fc.constant(ADDED_MS),
  firstRunMs: fc.oneof(
    fc.integer({ min: ADDED_MS - 1999, max: ADDED_MS - 1 }),
    fc.integer({ min: ADDED_MS, max: ADDED_MS + 9000 }),
  ),
  endingMs: fc.oneof(fc.constant(Infinity), fc.integer({ min: ADDED_MS + 1, max: HORIZON_MS })),
  horizonMs: fc.constant(HORIZON_MS),
});

test('the closed form tells and records the same, at the same times, as a worker that makes every attempt', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(worlds, fc.array(fc.integer({ min: 0, max: HORIZON_MS }), { maxLength: 8 }), (world, looks) => {
        deepStrictEqual(new ClosedPlayer(world).play(looks), naiveStory(world));
      }),
      { numRuns: 4000 },
    ),
  );
});

test('an application that flaps only between attempts is looked at now and then, and nothing is told', (t) => {
  const probe = { tcpSocket: { port: 80 }, periodSeconds: 1 };
  const probes = new ProbedContainer({ name: 'c', livenessProbe: probe }, () => 0);
  const script = { liveness: { okFor: 600, failFor: 400 } };
  const answers = drawAnswers(script, 0, turnsStream('s', 0, 'delays'), (kind) => turnsStream('s', 0, kind));
  probes.begin(answers, { runningMs: 0, startedAtMs: 0 }, 0);
  let looks = 0;
  for (let nowMs = probes.nextMs; nowMs <= 3_600_000; nowMs = probes.nextMs) {
    looks += 1;
    t.deepEqual(probes.advance(nowMs), []);
  }
  t.true(looks > 0 && looks < 100);
  t.is(probes.failure, undefined);
});
