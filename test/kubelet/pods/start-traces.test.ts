import test from 'ava';
import { createRunningScene, IMAGE, podDraft, story } from '../scene.js';

test('a plain pod takes two status writes, and three events', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft());
  await scene.run(10_000);
  t.deepEqual(story(scene.writes), [
    '0 ADDED Pending',
    '0 MODIFIED Pending Sched:T',
    '4 MODIFIED Pending c=ContainerCreating Start:F Init:T Ready:F(ContainersNotReady) CReady:F(ContainersNotReady) Sched:T',
    '404 MODIFIED Running c=Running+ Start:T Init:T Ready:T CReady:T Sched:T',
  ]);
  t.deepEqual(scene.told(), [
    `Pulled: Container image "${IMAGE}" already present on machine`,
    'Created: Created container: c',
    'Started: Started container c',
  ]);
});

test('the first status write has start time and host address, the second the pod address', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft());
  await scene.run(10_000);
  const [, bound, first, second] = scene.writes.map(({ pod }) => pod.status);
  t.is(bound?.startTime, undefined);
  t.deepEqual(
    [first?.startTime, first?.hostIP, first?.hostIPs, first?.podIP, first?.observedGeneration],
    ['2030-01-01T00:00:01Z', '172.16.0.1', [{ ip: '172.16.0.1' }], undefined, 1],
  );
  t.deepEqual(first?.containerStatuses, [
    {
      name: 'c',
      state: { waiting: { reason: 'ContainerCreating' } },
      lastState: {},
      ready: false,
      restartCount: 0,
      image: IMAGE,
      imageID: '',
      started: false,
    },
  ]);
  t.deepEqual([second?.podIP, second?.podIPs, second?.hostIP], ['10.0.0.1', [{ ip: '10.0.0.1' }], '172.16.0.1']);
  const [container] = second?.containerStatuses ?? [];
  t.regex(container?.containerID ?? '', /^containerd:\/\/[0-9a-f]{64}$/);
  t.deepEqual(
    { ...container, containerID: '', imageID: '' },
    {
      name: 'c',
      state: { running: { startedAt: '2030-01-01T00:00:01Z' } },
      lastState: {},
      ready: true,
      restartCount: 0,
      image: IMAGE,
      imageID: '',
      containerID: '',
      started: true,
    },
  );
});

test('while an image is being pulled no status is written', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft({ containers: [{ name: 'c', image: 'nginx:1.25' }] }));
  await scene.run(10_000);
  t.deepEqual(
    story(scene.writes).map((line) => line.split(' ', 4).join(' ')),
    [
      '0 ADDED Pending',
      '0 MODIFIED Pending Sched:T',
      '4 MODIFIED Pending c=ContainerCreating',
      '2404 MODIFIED Running c=Running+',
    ],
  );
  t.deepEqual(scene.told().slice(0, 2), [
    'Pulling: Pulling image "nginx:1.25"',
    'Pulled: Successfully pulled image "nginx:1.25" in 2s (2s including waiting). Image size: 176898317 bytes.',
  ]);
  const node = scene.server.get('Node', { name: 'n1' });
  t.deepEqual(
    node.status.images?.map(({ names }) => names),
    [['docker.io/library/nginx:1.25'], [IMAGE]],
  );
});

test('init containers run one by one, each with a write for its start and its end', async (t) => {
  const scene = await createRunningScene();
  const initContainers = [
    { name: 'i1', image: IMAGE },
    { name: 'i2', image: IMAGE },
  ];
  scene.bind(podDraft({ initContainers }));
  await scene.run(10_000);
  const unready = 'Ready:F(ContainersNotReady) CReady:F(ContainersNotReady) Sched:T';
  const init = 'Init:F(ContainersNotInitialized)';
  t.deepEqual(story(scene.writes).slice(2), [
    `4 MODIFIED Pending i1=PodInitializing i2=PodInitializing c=PodInitializing Start:F ${init} ${unready}`,
    `404 MODIFIED Pending i1=Running i2=PodInitializing c=PodInitializing Start:T ${init} ${unready}`,
    `1404 MODIFIED Pending i1=Completed+ i2=PodInitializing c=PodInitializing Start:T ${init} ${unready}`,
    `1504 MODIFIED Pending i1=Completed+ i2=Running c=PodInitializing Start:T ${init} ${unready}`,
    `2504 MODIFIED Pending i1=Completed+ i2=Completed+ c=PodInitializing Start:T Init:T ${unready}`,
    '2604 MODIFIED Running i1=Completed+ i2=Completed+ c=Running+ Start:T Init:T Ready:T CReady:T Sched:T',
  ]);
  const initialized = scene.writes.map(({ pod }) => pod.status.conditions?.find(({ type }) => type === 'Initialized'));
  t.deepEqual(
    initialized.slice(2, 6).map((condition) => condition?.message),
    [
      'containers with incomplete status: [i1 i2]',
      'containers with incomplete status: [i1 i2]',
      'containers with incomplete status: [i2]',
      'containers with incomplete status: [i2]',
    ],
  );
});

test('a sidecar lets the next container start once it is started, and counts for readiness', async (t) => {
  const scene = await createRunningScene();
  const sidecar = { name: 's', image: IMAGE, restartPolicy: 'Always' };
  scene.bind(podDraft({ initContainers: [sidecar] }, { 'start-delay.s': '3s', 'readiness-delay.s': '5s' }));
  await scene.run(20_000);
  t.deepEqual(
    story(scene.writes)
      .slice(2)
      .map((line) => line.replaceAll(/ (Start|CReady|Sched):\S+/g, '')),
    [
      '4 MODIFIED Pending s=PodInitializing c=PodInitializing Init:F(ContainersNotInitialized) Ready:F(ContainersNotReady)',
      '404 MODIFIED Pending s=Running c=PodInitializing Init:F(ContainersNotInitialized) Ready:F(ContainersNotReady)',
      '3404 MODIFIED Pending s=Running c=PodInitializing Init:T Ready:F(ContainersNotReady)',
      '3504 MODIFIED Running s=Running c=Running+ Init:T Ready:F(ContainersNotReady)',
      '8404 MODIFIED Running s=Running+ c=Running+ Init:T Ready:T',
    ],
  );
});

test('containers start in the order of the spec and are shown by name', async (t) => {
  const scene = await createRunningScene();
  const containers = ['b', 'a'].map((name) => ({ name, image: IMAGE }));
  scene.bind(podDraft({ containers }));
  await scene.run(10_000);
  t.deepEqual(story(scene.writes).slice(3), [
    '504 MODIFIED Running a=Running+ b=Running+ Start:T Init:T Ready:T CReady:T Sched:T',
  ]);
  t.deepEqual(
    scene
      .events()
      .filter(({ reason }) => reason === 'Started')
      .map(({ involvedObject }) => involvedObject.fieldPath),
    ['spec.containers{b}', 'spec.containers{a}'],
  );
});

test('a readiness probe makes a pod ready at its first attempt after the readiness delay', async (t) => {
  const scene = await createRunningScene();
  await scene.run(60_000);
  const readinessProbe = { tcpSocket: { port: 80 }, initialDelaySeconds: 2, periodSeconds: 3 };
  scene.bind(podDraft({ containers: [{ name: 'c', image: IMAGE, readinessProbe }] }, { 'readiness-delay': '4s' }));
  await scene.run(20_000);
  t.deepEqual(
    story(scene.writes)
      .slice(3)
      .map((line) => line.replace(/ CReady.*/, '')),
    [
      '404 MODIFIED Running c=Running Start:T Init:T Ready:F(ContainersNotReady)',
      '6405 MODIFIED Running c=Running+ Start:T Init:T Ready:T',
    ],
  );
});

test('a pod with a readiness gate becomes ready when the gate is opened', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft({ readinessGates: [{ conditionType: 'x/gate' }] }));
  await scene.run(5000);
  t.deepEqual(
    scene
      .pod()
      .status.conditions?.filter(({ type }) => type.endsWith('Ready'))
      .map(({ status }) => status),
    ['False', 'True'],
  );
  scene.server.patch(
    'Pod',
    { namespace: 'default', name: 'p' },
    { type: 'strategic', body: { status: { conditions: [{ type: 'x/gate', status: 'True' }] } } },
    'status',
  );
  await scene.run(100);
  t.deepEqual(
    scene.pod().status.conditions?.map(({ type, status }) => `${type}=${status}`),
    [
      'x/gate=True',
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ],
  );
});

test('an annotation that is no script is told once and not obeyed', async (t) => {
  const scene = await createRunningScene();
  const containers = ['a', 'b'].map((name) => ({ name, image: IMAGE }));
  scene.bind(podDraft({ containers }, { 'run-for': 'a while' }));
  await scene.run(10_000);
  t.deepEqual(
    scene.told().filter((text) => text.startsWith('InvalidScript')),
    [
      'InvalidScript: annotation kubeloom.dev/run-for must be a duration such as 500ms or 1m30s, uniform(1s, 3s), ' +
        'exponential(10s), lognormal(10s, 0.5) or choice(1s, 5s), got "a while"; the default is used',
    ],
  );
  t.is(scene.pod().status.phase, 'Running');
});

test('a pod that does not fit is refused for good, with the reason', async (t) => {
  const scene = await createRunningScene();
  const containers = [{ name: 'c', image: IMAGE, resources: { requests: { cpu: '3' } } }];
  scene.bind(podDraft({ containers }, {}, 'p'));
  scene.bind(podDraft({ containers }, {}, 'q'));
  await scene.run(10_000);
  const { phase, reason, message, conditions, containerStatuses, startTime } = scene.pod('q').status;
  t.deepEqual(
    { phase, reason, message, conditions, containerStatuses, startTime },
    {
      phase: 'Failed',
      reason: 'OutOfcpu',
      message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 3000, used: 3000, capacity: 4000",
      conditions: undefined,
      containerStatuses: undefined,
      startTime: '2030-01-01T00:00:01Z',
    },
  );
  scene.server.delete('Pod', { namespace: 'default', name: 'p' });
  await scene.run(10_000);
  scene.bind(podDraft({ containers }, {}, 'r'));
  await scene.run(1000);
  t.is(scene.pod('r').status.phase, 'Running');
});
