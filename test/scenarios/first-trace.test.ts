/** The start of a pod as one trace, from its creation to the endpoint that serves it, through the public door. */
import test from 'ava';
import { createCluster, type EndpointSlice, type Pod } from '../../src/index.js';

const IMAGE = 'registry.example/app:1';
const CAPACITY = { cpu: '4', memory: '8Gi', pods: '20' };

function shown({ metadata, spec, status }: Pod): string {
  const { phase, conditions = [], containerStatuses = [], hostIP, podIP, startTime } = status;
  const containers = containerStatuses.map(({ name, state, ready }) => {
    const what = state?.waiting?.reason ?? (state?.running === undefined ? 'ended' : 'running');
    return `${name}=${what}${ready ? '+' : ''}`;
  });
  const told = conditions.map(({ type, status: value, reason }) =>
    [`${type}=${value}`, ...(reason === undefined ? [] : [reason])].join(' '),
  );
  const facts = Object.entries({ node: spec.nodeName, startTime, hostIP, podIP })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  return `pod ${metadata.name} ${[phase, ...containers, ...told, ...facts].join(', ')}`;
}

function shownSlice({ endpoints }: EndpointSlice): string {
  const texts = endpoints.map(({ targetRef, conditions }) => `${targetRef?.name} ready=${conditions?.ready}`);
  return `slice [${texts.join(', ')}]`;
}

test('T1 › start, no init containers, image present: API, scheduler, kubelet, events, kubelet, endpoint', async (t) => {
  const images = [{ names: [IMAGE], sizeBytes: 1000 }];
  const node = {
    name: 'n1',
    labels: {},
    annotations: {},
    taints: [],
    capacity: CAPACITY,
    allocatable: CAPACITY,
    images,
  };
  const cluster = createCluster({ nodes: [node], seed: 1 });
  await cluster.ready();
  cluster.create('Service', { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } });
  await cluster.run({ limit: '5s' });
  const lines: string[] = [];
  const times: number[] = [];
  const tell = (line: string): void => {
    lines.push(line);
    times.push(cluster.nowMs);
  };
  cluster.watch('Pod').subscribe((event) => {
    tell(shown(event.object));
  });
  cluster.watch('Event').subscribe((event) => {
    if (event.type !== 'ADDED' || event.object.involvedObject.name !== 'p') return;
    const { source, reportingComponent, reason } = event.object;
    tell(`event ${source?.component ?? reportingComponent} ${reason}`);
  });
  cluster.watch('EndpointSlice').subscribe((event) => {
    if (event.type === 'MODIFIED') tell(shownSlice(event.object));
  });
  cluster.create('Pod', {
    metadata: { name: 'p', labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image: IMAGE }] },
  });
  await cluster.run({ limit: '10s' });
  const unready = 'Ready=False ContainersNotReady, ContainersReady=False ContainersNotReady, PodScheduled=True';
  t.deepEqual(lines, [
    'pod p Pending',
    'pod p Pending, PodScheduled=True, node',
    'event default-scheduler Scheduled',
    `pod p Pending, c=ContainerCreating, PodReadyToStartContainers=False, Initialized=True, ${unready}, node, startTime, hostIP`,
    'event kubelet Pulled',
    'event kubelet Created',
    'event kubelet Started',
    'pod p Running, c=running+, PodReadyToStartContainers=True, Initialized=True, Ready=True, ContainersReady=True, PodScheduled=True, node, startTime, hostIP, podIP',
    'slice [p ready=true]',
  ]);
  const [started = 0, reported = 0] = times.slice(6, 8);
  t.true(reported - started <= 1000);
  await cluster.dispose();
});
