/** What holds at every write, whatever scripts, faults and deletions do to the pods of a node. */
import test from 'ava';
import type { ContainerStatus, Draft, Pod } from '../../src/api/objects/objects.js';
import type { RandomStream } from '../../src/kernel/random.js';
import type { ScriptInput } from '../../src/kubelet/scripts/script-input.js';
import { createRunningScene, forget, IMAGE, podDraft, scripted, type Scene, type Write } from './scene.js';

const PODS = 24;

function pick<T>(random: RandomStream, choices: readonly [T, ...T[]]): T {
  return choices[random.int(0, choices.length - 1)] ?? choices[0];
}

function randomScript(random: RandomStream): ScriptInput {
  const reasons = ['CreateContainerError', 'CreateContainerConfigError', 'RunContainerError'] as const;
  return {
    runs: pick(random, ['forever', '1s', '3s exit 1', 'uniform(1s, 40s) exit choice(0, 1)', '2s oom, forever']),
    shutdown: pick(random, ['500ms', '8s exit 1', 'ignore']),
    creation: { failures: pick(random, [0, 0, 0, 2]), reason: pick(random, reasons) },
    imagePull: { failures: pick(random, [0, 0, 1, 3]), duration: 700 },
    startDelay: pick(random, [0, 0, 2000]),
    postStart: { duration: pick(random, [0, 1500]), fails: pick(random, [false, false, true]) },
    preStop: { duration: pick(random, [0, 4000, 60_000]), fails: pick(random, [false, true]) },
    liveness: pick(random, ['ok', 'ok', 'ok 7s, fail 9s']),
  };
}

function randomContainer(random: RandomStream, name: string, fields: Draft = {}): Draft {
  const exec = { exec: { command: ['true'] } };
  const hooks = pick<Draft>(random, [
    {},
    {},
    { postStart: exec },
    { preStop: exec },
    { preStop: { sleep: { seconds: 3 } } },
  ]);
  const probe = { tcpSocket: { port: 80 }, periodSeconds: 2, failureThreshold: 2 };
  const probes = pick<Draft>(random, [
    {},
    {},
    { livenessProbe: probe },
    { startupProbe: probe, readinessProbe: probe },
  ]);
  return { name, image: pick(random, [IMAGE, 'app:1', 'nginx']), lifecycle: hooks, ...probes, ...fields };
}

function randomPod(random: RandomStream, name: string): Draft {
  const sidecar = { restartPolicy: 'Always' };
  const initContainers = pick<readonly Draft[]>(random, [
    [],
    [],
    [{ name: 'i', image: IMAGE }],
    [randomContainer(random, 's', sidecar)],
    [randomContainer(random, 's', sidecar), { name: 'i', image: IMAGE }, randomContainer(random, 'z', sidecar)],
  ]);
  const containers = ['a', 'b'].slice(0, random.int(1, 2)).map((each) => randomContainer(random, each));
  const restartPolicy = pick(random, ['Always', 'OnFailure', 'Never']);
  // A hook may sleep for less than the grace period only.
  const least = JSON.stringify([initContainers, containers]).includes('sleep') ? 4 : 0;
  const spec = { initContainers, containers, restartPolicy, terminationGracePeriodSeconds: random.int(least, 20) };
  const scripts = ['a', 'b', 's', 'z'].map((each) => scripted(randomScript(random), each));
  return podDraft(spec, Object.assign({}, ...scripts) as Record<string, string>, name);
}

/** One thing that users, others or faults do to a pod. */
function disturb({ server, kubelet, link }: Scene, random: RandomStream, pod: Pod): void {
  const { name, uid } = pod.metadata;
  const at = { namespace: 'default', name };
  const container = pick(random, ['a', 'b', 's', 'i']);
  const verdict = { phase: 'Failed', reason: 'Evicted', message: 'm', graceSeconds: random.int(1, 10) } as const;
  const acts: readonly [() => void, ...(() => void)[]] = [
    () => void server.delete('Pod', at, { gracePeriodSeconds: random.int(0, 12) }),
    () => void server.delete('Pod', at),
    () => kubelet.condemn(uid, verdict),
    () => kubelet.runtime.loseSandbox(uid),
    () => kubelet.runtime.loseContainer(uid, container),
    () => kubelet.runtime.loseTrackOf(uid, container),
    () => {
      kubelet.stop();
      kubelet.start();
    },
    () => {
      link.cut();
      link.restore();
    },
    () => {
      kubelet.runtime.stopError = pick(random, [undefined, 'rpc error: code = Unknown desc = no']);
    },
    () => {
      kubelet.runtime.sandboxError = pick(random, [undefined, undefined, 'rpc error: code = Unknown desc = no']);
    },
  ];
  pick(random, acts)();
}

/** Breaches of what must hold from one write of a pod to the next. */
function breaches({ pod: before }: Write, { pod, type }: Write): readonly string[] {
  const found: string[] = [];
  const was = before.status.phase;
  if (['Succeeded', 'Failed'].includes(was) && pod.status.phase !== was)
    found.push(`phase ${was} → ${pod.status.phase}`);
  if (before.status.startTime !== undefined && pod.status.startTime !== before.status.startTime)
    found.push('start time');
  const counts = new Map(all(before).map(({ name, restartCount }) => [name, restartCount]));
  for (const { name, restartCount, state = {}, ready, started } of all(pod)) {
    if (restartCount < (counts.get(name) ?? 0)) found.push(`restarts of ${name} fell`);
    if (Object.keys(state).length !== 1) found.push(`states of ${name}: ${Object.keys(state).join()}`);
    if (state.running === undefined && started === true) found.push(`${name} is started and does not run`);
    if (state.waiting !== undefined && ready) found.push(`${name} waits and is ready`);
  }
  const { deletionGracePeriodSeconds: grace = Infinity } = before.metadata;
  if ((pod.metadata.deletionGracePeriodSeconds ?? Infinity) > grace) found.push('the grace grew');
  const wasForced = before.metadata.deletionGracePeriodSeconds === 0 || pod.metadata.deletionGracePeriodSeconds === 0;
  if (type === 'DELETED' && !wasForced) found.push('removed without a grace of 0');
  return found.map((text) => `${pod.metadata.name}: ${text}`);
}

function all({ status }: Pod): readonly ContainerStatus[] {
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
}

for (const seed of ['one', 'two', 'three', 'four', 'five', 'six']) {
  test(`whatever happens, no write breaks what holds, and every pod comes to its end: seed ${seed}`, async (t) => {
    const setup = { capacity: { cpu: '400', memory: '800Gi', pods: '110' } };
    const scene = await createRunningScene({ seed, setup });
    const { server, kubelet, kernel } = scene;
    const random = kernel.random('test');
    const reported: string[] = [];
    server.watch('Pod', {}, (event) => {
      if (event.type !== 'MODIFIED' || !['Succeeded', 'Failed'].includes(event.object.status.phase)) return;
      const sandbox = [...kubelet.runtime.sandboxes].find(({ pod }) => pod.metadata.uid === event.object.metadata.uid);
      if (sandbox?.slots.some(({ isRunning }) => isRunning) === true) reported.push(event.object.metadata.name);
    });
    for (let index = 0; index < PODS; index += 1) {
      scene.bind(randomPod(random, `p${index}`));
      await scene.run(random.int(0, 3000));
    }
    for (let step = 0; step < 60; step += 1) {
      await scene.run(random.int(10, 6000));
      const { items } = server.list('Pod');
      const pod = items[random.int(0, Math.max(0, items.length - 1))];
      if (pod !== undefined) disturb(scene, random, pod);
    }
    kubelet.runtime.stopError = undefined;
    kubelet.runtime.sandboxError = undefined;
    server.deleteCollection('Pod', {});
    await scene.run(300_000);
    t.is(server.count('Pod'), 0);
    t.deepEqual([...kubelet.runtime.sandboxes], []);
    t.deepEqual(reported, [], 'no terminal phase while a process runs');
    const stories = Map.groupBy(scene.writes, ({ pod }) => pod.metadata.uid);
    const found = [...stories.values()].flatMap((writes) =>
      writes.slice(1).flatMap((write, index) => breaches(writes[index] ?? write, write)),
    );
    t.deepEqual(found, []);
    t.true(stories.size === PODS && scene.writes.length > PODS * 8);
    forget(scene);
  });
}
