import test from 'ava';
import { truncatedNote } from '../../src/scheduler/failure-handler.js';
import { Code, createStatus } from '../../src/scheduler/framework/status.js';
import { DEFAULT_PLUGINS, IN_TREE_PLUGINS } from '../../src/scheduler/plugins/registry.js';
import { createScheduledCluster } from './support/scheduled-cluster.js';
import { testNode, testPod } from './support/objects.js';

test('the Event of a failure › holds 1,024 bytes, and is cut with a mark beyond', (t) => {
  t.is(truncatedNote('x'.repeat(1024)), 'x'.repeat(1024));
  t.is(truncatedNote('x'.repeat(1025)), `${'x'.repeat(1020)} ...`);
});

test('Reserve › a refusal reads like a cluster of one node, and the room is free again', async (t) => {
  const cluster = createScheduledCluster({
    plugins: [...DEFAULT_PLUGINS, { name: 'NoReserve' }],
    registry: new Map([
      ...IN_TREE_PLUGINS,
      [
        'NoReserve',
        () => ({
          name: 'NoReserve',
          reserve: () => createStatus(Code.Unschedulable, 'NoReserve', 'no claim left'),
          unreserve: () => undefined,
          eventsToRegister: () => [],
        }),
      ],
    ]),
  });
  cluster.create(testNode('n1'), testPod('web'));
  await cluster.run();
  const condition = cluster.pod('web').status.conditions?.find(({ type }) => type === 'PodScheduled');
  t.is(condition?.message, '0/1 nodes are available: 1 no claim left.');
  t.is(condition?.reason, 'Unschedulable');
  t.is(cluster.scheduler.stats.queue.unschedulable, 1);
  await cluster.dispose();
});

test('the condition of a failure › is written once as long as it says the same', async (t) => {
  const cluster = createScheduledCluster();
  cluster.create(testNode('n1', { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } }));
  cluster.create(testPod('web', { requests: { cpu: '2' } }));
  await cluster.run();
  const version = cluster.pod('web').metadata.resourceVersion;
  cluster.create(testPod('small'));
  await cluster.run();
  cluster.server.delete('Pod', { namespace: 'default', name: 'small' }, { gracePeriodSeconds: 0 });
  await cluster.run(20_000);
  t.true((cluster.scheduler.explain('default/web')?.attempts.length ?? 0) >= 2);
  t.is(cluster.pod('web').metadata.resourceVersion, version);
  await cluster.dispose();
});

test('the nomination › of a pod that no preemption helps is taken away', async (t) => {
  const cluster = createScheduledCluster();
  cluster.create(testNode('n1', { unschedulable: true }));
  cluster.create(testPod('web'));
  cluster.server.change(
    'Pod',
    { namespace: 'default', name: 'web' },
    (pod) => ({ ...pod, status: { ...pod.status, nominatedNodeName: 'n1' } }),
    { subresource: 'status' },
  );
  await cluster.run();
  t.is(cluster.pod('web').status.nominatedNodeName, undefined);
  await cluster.dispose();
});

test('a pod that came back under its name while another was bound › is told of the failure of that one, as upstream does', async (t) => {
  let isReplaced = false;
  const cluster = createScheduledCluster({
    plugins: [...DEFAULT_PLUGINS, { name: 'Replacing' }],
    registry: new Map([
      ...IN_TREE_PLUGINS,
      [
        'Replacing',
        () => ({
          name: 'Replacing',
          reserve: () => {
            if (isReplaced) return undefined;
            isReplaced = true;
            cluster.server.delete('Pod', { namespace: 'default', name: 'web' }, { gracePeriodSeconds: 0 });
            cluster.create(testPod('web', { spec: { schedulingGates: [{ name: 'example.org/wait' }] } }));
            return undefined;
          },
          unreserve: () => undefined,
          eventsToRegister: () => [],
        }),
      ],
    ]),
  });
  cluster.create(testNode('n1'), testPod('web'));
  await cluster.run();
  const condition = cluster.pod('web').status.conditions?.find(({ type }) => type === 'PodScheduled');
  t.is(condition?.reason, 'SchedulerError');
  t.regex(condition?.message ?? '', /Key: \/registry\/pods\/default\/web, .* UID in precondition: /);
  await cluster.dispose();
});
