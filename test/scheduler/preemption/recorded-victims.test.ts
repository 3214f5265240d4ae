import test from 'ava';
import type { Pod } from '../../../src/api/objects/objects.js';
import { testNode, testPod } from '../support/objects.js';
import { createScheduledCluster } from '../support/scheduled-cluster.js';
import { RECORDED_NODES, type RecordedNode } from './recorded-victims.js';

const nameOf = (index: number): string => `p-${String(index).padStart(3, '0')}`;

/** Which of the pods of a full node have to go for one that asks for so many tenths of a core. */
async function victimsOf({ starts }: RecordedNode, count: number): Promise<string> {
  const cluster = createScheduledCluster();
  const { server } = cluster;
  server.create('PriorityClass', { metadata: { name: 'high' }, value: 1000 });
  const node = testNode('n', { allocatable: { cpu: `${starts.length * 100}m`, memory: '100Gi', pods: '500' } });
  const requests = { cpu: '100m' };
  cluster.create(node);
  for (const [index, second] of starts.split('').entries()) {
    const name = nameOf(index);
    const startTime = `2025-01-01T00:00:${String(Number.parseInt(second, 36)).padStart(2, '0')}Z`;
    cluster.create(testPod(name, { requests, spec: { nodeName: 'n', terminationGracePeriodSeconds: 0 } }));
    const started = (pod: Pod): Pod => ({ ...pod, status: { ...pod.status, phase: 'Running', startTime } });
    server.change('Pod', { namespace: 'default', name }, started, { subresource: 'status' });
  }
  cluster.create(testPod('high', { requests: { cpu: `${count * 100}m` }, spec: { priorityClassName: 'high' } }));
  await cluster.run();
  const left = new Set(server.list('Pod').items.map(({ metadata }) => metadata.name));
  await cluster.dispose();
  return starts
    .split('')
    .map((_, index) => (left.has(nameOf(index)) ? '.' : '#'))
    .join('');
}

for (const recorded of RECORDED_NODES) {
  const { starts, victims } = recorded;
  test(`preemption › of ${starts.length} pods of which many are equal, those go that a real kube-scheduler chose`, async (t) => {
    for (const [count, expected] of Object.entries(victims)) {
      t.is(await victimsOf(recorded, Number(count)), expected, `${count} of them`);
    }
  });
}
