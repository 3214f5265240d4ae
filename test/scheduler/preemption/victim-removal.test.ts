import test from 'ava';
import type { Pod } from '../../../src/api/objects/objects.js';
import { createApiServer } from '../../../src/apiserver/api-server.js';
import type { ApiServer } from '../../../src/apiserver/store/server-types.js';
import { createBus } from '../../../src/bus/bus.js';
import type { Bus, Link } from '../../../src/bus/bus-types.js';
import { createKernel, type Kernel } from '../../../src/kernel/engine/kernel.js';
import { ChangeLog } from '../../../src/scheduler/framework/change-log.js';
import { WaitingPods } from '../../../src/scheduler/framework/waiting-pods.js';
import { VictimRemoval } from '../../../src/scheduler/preemption/victim-removal.js';
import { Nominations } from '../../../bench/conformance/nominations.js';
import { guest } from './preemption-scene.js';

interface Scene {
  readonly kernel: Kernel;
  readonly server: ApiServer;
  readonly bus: Bus;
  readonly link: Link;
  readonly nominator: Nominations;
  readonly waitingPods: WaitingPods;
  readonly removal: VictimRemoval;
  readonly activated: string[];
  /** What happened to pods, in order. */
  readonly log: string[];
  /** Creates a pod, on `n1` unless it is to be pending. */
  create(pod: Pod, isBound?: boolean): Pod;
  run(forMs: number): Promise<void>;
  dispose(): void;
}

function createScene(): Scene {
  const kernel = createKernel({ seed: 'removal' });
  const server = createApiServer(kernel);
  const bus = createBus(kernel, server, { latency: 1 });
  const connection = bus.connect('kube-scheduler');
  const nominator = new Nominations();
  const waitingPods = new WaitingPods(kernel.clock);
  const activated: string[] = [];
  const log: string[] = [];
  const removal = new VictimRemoval({
    kernel,
    client: connection.client,
    recorder: connection.recorder('default-scheduler'),
    nominator,
    waitingPod: (uid) => waitingPods.get(uid),
    activate: (pods) => activated.push(...[...pods].map(({ metadata }) => metadata.name)),
    openings: new ChangeLog(),
    plugin: 'DefaultPreemption',
  });
  server.watch('Pod', { resourceVersion: String(server.version) }, (event) => {
    if (event.type === 'BOOKMARK' || event.type === 'ADDED') return;
    const { metadata, status } = event.object;
    const isMarked = status.conditions?.some(({ type }) => type === 'DisruptionTarget') ?? false;
    const what = metadata.deletionTimestamp !== undefined ? 'terminating' : isMarked ? 'marked' : 'changed';
    log.push(`${metadata.name} ${event.type === 'DELETED' ? 'deleted' : what}`);
  });
  return {
    kernel,
    server,
    bus,
    link: connection.link,
    nominator,
    waitingPods,
    removal,
    activated,
    log,
    create(pod, isBound = true) {
      const { uid: _uid, resourceVersion: _version, creationTimestamp: _time, ...metadata } = pod.metadata;
      const { priority: _priority, ...spec } = pod.spec;
      const draft = { ...pod, metadata, spec: isBound ? { ...spec, nodeName: 'n1' } : spec };
      const stored = server.create('Pod', draft);
      const nominated = pod.status.nominatedNodeName;
      if (nominated === undefined) return stored;
      return server.change(
        'Pod',
        stored.metadata,
        (current) => ({ ...current, status: { ...current.status, nominatedNodeName: nominated } }),
        { subresource: 'status' },
      );
    },
    run: async (forMs) => {
      await kernel.clock.run({ untilMs: kernel.clock.now() + forMs });
    },
    dispose() {
      bus.dispose();
      kernel.clock.dispose();
    },
  };
}

const PREEMPTOR: Pod = guest('high', { priority: 10, spec: { schedulerName: 'my-scheduler' } });

test('victim removal › a victim is marked, then deleted with its own grace, and an Event names the preemptor', async (t) => {
  const scene = createScene();
  const victim = scene.create(guest('low'));
  scene.log.length = 0;
  scene.removal.remove({ nodeName: 'n1', victims: [victim], violations: 0 }, PREEMPTOR);
  await scene.run(100);
  t.deepEqual(scene.log, ['low marked', 'low terminating']);
  const { metadata, status } = scene.server.get('Pod', victim.metadata);
  t.is(metadata.deletionGracePeriodSeconds, 30);
  t.deepEqual(
    status.conditions?.filter(({ type }) => type === 'DisruptionTarget'),
    [
      {
        type: 'DisruptionTarget',
        observedGeneration: 1,
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: '2030-01-01T00:00:00Z',
        reason: 'PreemptionByScheduler',
        message: 'my-scheduler: preempting to accommodate a higher priority pod',
      },
    ],
  );
  const [event] = scene.server.list('Event').items;
  t.like(event, {
    type: 'Normal',
    reason: 'Preempted',
    action: 'Preempting',
    message: 'Preempted by pod default/high on node n1',
    involvedObject: { kind: 'Pod', name: 'low' },
    related: { kind: 'Pod', namespace: 'default', name: 'high', uid: 'default/high' },
  });
  t.deepEqual(scene.activated, []);
  scene.dispose();
});

test('victim removal › all but the last go at once, and only then the preemptor is let back', async (t) => {
  const scene = createScene();
  const victims = ['p1', 'p2', 'p3'].map((name) => scene.create(guest(name)));
  scene.log.length = 0;
  scene.removal.remove({ nodeName: 'n1', victims, violations: 0 }, PREEMPTOR);
  t.true(scene.removal.isPreempting('default/high'));
  t.false(scene.removal.isPreempting('default/other'));
  const states: boolean[] = [];
  for (let step = 0; step < 12; step += 1) {
    await scene.run(1);
    if (scene.log.length === 4) states.push(scene.removal.isPreempting('default/high'));
  }
  t.deepEqual(scene.log, ['p1 marked', 'p2 marked', 'p1 terminating', 'p2 terminating', 'p3 marked', 'p3 terminating']);
  t.is(states[0], true);
  t.is(states.at(-1), false);
  scene.dispose();
});

test('victim removal › nothing is sent before the attempt is over', async (t) => {
  const scene = createScene();
  const victim = scene.create(guest('low'));
  scene.log.length = 0;
  scene.removal.remove({ nodeName: 'n1', victims: [victim], violations: 0 }, PREEMPTOR);
  t.deepEqual(scene.log, []);
  await scene.run(10);
  t.is(scene.log.length, 2);
  scene.dispose();
});

test('victim removal › a victim that is terminating is asked to go and said to be preempted once more', async (t) => {
  const scene = createScene();
  const leaving = scene.create(guest('leaving'));
  scene.server.delete('Pod', leaving.metadata);
  const victims = [scene.server.get('Pod', leaving.metadata)];
  scene.log.length = 0;
  scene.removal.remove({ nodeName: 'n1', victims, violations: 0 }, PREEMPTOR);
  t.true(scene.removal.isPreempting('default/high'));
  await scene.run(100);
  t.false(scene.removal.isPreempting('default/high'));
  // It is marked; to be deleted once more changes nothing of it.
  t.deepEqual(scene.log, ['leaving terminating']);
  t.deepEqual(
    scene.server.list('Event').items.map(({ reason, involvedObject }) => [reason, involvedObject.name]),
    [['Preempted', 'leaving']],
  );
  t.deepEqual(scene.activated, []);
  scene.dispose();
});

test('victim removal › less important pods lose their nomination to the node, others keep theirs', async (t) => {
  const scene = createScene();
  const nominate = (name: string, priority: number, nodeName: string): void => {
    const stored = scene.create(guest(name, { status: { nominatedNodeName: nodeName } }), false);
    scene.nominator.nominate({ ...stored, spec: { ...stored.spec, priority } }, nodeName);
  };
  nominate('lower', 9, 'n1');
  nominate('equal', 10, 'n1');
  nominate('elsewhere', 1, 'n2');
  const victim = scene.create(guest('low'));
  scene.removal.remove({ nodeName: 'n1', victims: [victim], violations: 0 }, PREEMPTOR);
  await scene.run(100);
  const nominationOf = (name: string): string | undefined =>
    scene.server.get('Pod', { namespace: 'default', name }).status.nominatedNodeName;
  t.deepEqual(['lower', 'equal', 'elsewhere'].map(nominationOf), [undefined, 'n1', 'n2']);
  scene.dispose();
});

test('victim removal › nominations are cleared also when every victim is terminating already, as recorded', async (t) => {
  const scene = createScene();
  const lower = scene.create(guest('lower', { status: { nominatedNodeName: 'n1' } }), false);
  scene.nominator.nominate(lower, 'n1');
  const leaving = scene.create(guest('leaving'));
  scene.server.delete('Pod', leaving.metadata);
  const victims = [scene.server.get('Pod', leaving.metadata)];
  scene.removal.remove({ nodeName: 'n1', victims, violations: 0 }, PREEMPTOR);
  await scene.run(100);
  t.is(scene.server.get('Pod', lower.metadata).status.nominatedNodeName, undefined);
  scene.dispose();
});

test('victim removal › a victim that waits on Permit is rejected and not deleted', async (t) => {
  const scene = createScene();
  const victim = scene.create(guest('waiting'), false);
  scene.waitingPods.add(victim, new Map([['Gate', 60_000]]));
  const verdicts: unknown[] = [];
  scene.waitingPods.whenAllowed(victim, (status) => verdicts.push(status?.plugin, status?.reasons));
  scene.log.length = 0;
  scene.removal.remove({ nodeName: 'n1', victims: [victim], violations: 0 }, PREEMPTOR);
  await scene.run(100);
  t.deepEqual(verdicts, ['DefaultPreemption', ['preempted']]);
  t.deepEqual(scene.log, []);
  t.is(scene.server.list('Event').items[0]?.reason, 'Preempted');
  t.deepEqual(scene.activated, []);
  scene.dispose();
});

test('victim removal › when every victim was gone already the preemptor is tried again', async (t) => {
  const scene = createScene();
  const victims = ['p1', 'p2'].map((name) => scene.create(guest(name)));
  for (const { metadata } of victims) scene.server.delete('Pod', metadata, { gracePeriodSeconds: 0 });
  scene.removal.remove({ nodeName: 'n1', victims, violations: 0 }, PREEMPTOR);
  await scene.run(100);
  t.deepEqual(scene.activated, ['high']);
  t.deepEqual(scene.server.list('Event').items, []);
  scene.dispose();
});

test('victim removal › one victim that was there is enough: its departure brings the preemptor back', async (t) => {
  const scene = createScene();
  const victims = ['p1', 'p2'].map((name) => scene.create(guest(name)));
  scene.server.delete('Pod', { namespace: 'default', name: 'p2' }, { gracePeriodSeconds: 0 });
  scene.removal.remove({ nodeName: 'n1', victims, violations: 0 }, PREEMPTOR);
  await scene.run(100);
  t.deepEqual(scene.activated, []);
  scene.dispose();
});

test('victim removal › after a failure the last victim is spared and the preemptor tried again', async (t) => {
  const scene = createScene();
  const victims = ['p1', 'p2', 'p3'].map((name) => scene.create(guest(name)));
  // Another pod of that name: the mark carries the uid of the one that was seen.
  scene.server.delete('Pod', { namespace: 'default', name: 'p1' }, { gracePeriodSeconds: 0 });
  scene.create(guest('p1'));
  scene.removal.remove({ nodeName: 'n1', victims, violations: 0 }, PREEMPTOR);
  await scene.run(100);
  t.deepEqual(scene.activated, ['high']);
  t.false(scene.removal.isPreempting('default/high'));
  const markOf = (name: string): unknown =>
    scene.server
      .get('Pod', { namespace: 'default', name })
      .status.conditions?.find(({ type }) => type === 'DisruptionTarget');
  t.is(markOf('p1'), undefined);
  t.is(markOf('p3'), undefined);
  scene.dispose();
});

test('victim removal › over a cut link the preemptor is tried again', async (t) => {
  const scene = createScene();
  const victim = scene.create(guest('low'));
  scene.link.cut();
  scene.removal.remove({ nodeName: 'n1', victims: [victim], violations: 0 }, PREEMPTOR);
  await scene.run(600_000);
  t.deepEqual(scene.activated, ['high']);
  t.is(scene.server.get('Pod', victim.metadata).metadata.deletionTimestamp, undefined);
  scene.dispose();
});

test('victim removal › a victim that bears the same mark already is deleted without another', async (t) => {
  const scene = createScene();
  const stored = scene.create(guest('low'));
  const first = { nodeName: 'n1', victims: [stored], violations: 0 };
  scene.removal.remove(first, PREEMPTOR);
  await scene.run(2);
  const marked = scene.server.get('Pod', stored.metadata);
  t.is(marked.metadata.deletionTimestamp, undefined);
  scene.log.length = 0;
  scene.removal.remove({ ...first, victims: [marked] }, PREEMPTOR);
  await scene.run(100);
  t.false(scene.log.includes('low marked'));
  scene.dispose();
});
