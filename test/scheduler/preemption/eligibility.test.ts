import test from 'ava';
import { Code } from '../../../src/scheduler/framework/status.js';
import { guest, PreemptionScene } from './preemption-scene.js';

const TERMINATING_TEXT = 'not eligible due to a terminating pod on the nominated node.';

const leaving = {
  isTerminating: true,
  requests: { cpu: '4' },
  status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] },
} as const;

function nominated(spec: object = {}, nodeName = 'n1') {
  return guest('high', { priority: 10, requests: { cpu: '3' }, spec, status: { nominatedNodeName: nodeName } });
}

test('preemption › a pod that never preempts says so and keeps its nomination', (t) => {
  const scene = new PreemptionScene().node('n1', [guest('low', { requests: { cpu: '4' } })]);
  t.deepEqual(scene.preempt(guest('high', { priority: 10, spec: { preemptionPolicy: 'Never' } })), {
    status: { code: Code.Unschedulable, plugin: '', reasons: ['not eligible due to preemptionPolicy=Never.'] },
  });
  t.deepEqual(scene.removed, []);
});

test('preemption › a pod waits for a victim that is terminating on its nominated node', (t) => {
  const scene = new PreemptionScene()
    .node('n1', [guest('low', leaving)])
    .node('n2', [guest('other', { requests: { cpu: '4' } })]);
  t.deepEqual(scene.preempt(nominated()), {
    status: { code: Code.Unschedulable, plugin: '', reasons: [TERMINATING_TEXT] },
  });
});

test('preemption › only a pod that a scheduler preempted holds the pod up', (t) => {
  const others = [
    { ...leaving, isTerminating: false },
    { ...leaving, status: {} },
    { ...leaving, status: { conditions: [{ ...leaving.status.conditions[0], status: 'False' as const }] } },
    { ...leaving, status: { conditions: [{ ...leaving.status.conditions[0], reason: 'EvictionByEvictionAPI' }] } },
  ];
  for (const parts of others) {
    const scene = new PreemptionScene().node('n1', [guest('low', parts)]);
    t.is(scene.preempt(nominated()).nominatedNodeName, 'n1');
  }
});

test('preemption › a terminating pod of equal priority holds no preemption up', (t) => {
  const scene = new PreemptionScene()
    .node('n1', [guest('same', { ...leaving, priority: 10 })])
    .node('n2', [guest('low', { requests: { cpu: '4' } })]);
  t.is(scene.preempt(nominated()).nominatedNodeName, 'n2');
});

test('preemption › a nominated node that cannot be helped frees the pod to look elsewhere', (t) => {
  const scene = new PreemptionScene()
    .node('n1', [guest('low', leaving)], { unschedulable: true })
    .node('n2', [guest('other', { requests: { cpu: '4' } })]);
  t.is(scene.preempt(nominated()).nominatedNodeName, 'n2');
});

test('preemption › a nominated node that is unknown frees the pod as well', (t) => {
  const scene = new PreemptionScene().node('n2', [guest('other', { requests: { cpu: '4' } })]);
  t.is(scene.preempt(nominated({}, 'gone')).nominatedNodeName, 'n2');
});

test('preemption › goes by the newest state of the pod', (t) => {
  const scene = new PreemptionScene().node('n1', [guest('low', { requests: { cpu: '4' } })]);
  const pod = guest('high', { priority: 10 });
  const never = { ...pod, spec: { ...pod.spec, preemptionPolicy: 'Never' } };
  t.deepEqual(scene.preempt(pod, never).status?.reasons, ['not eligible due to preemptionPolicy=Never.']);
});

test('preemption › a pod that is gone is an error', (t) => {
  const scene = new PreemptionScene().node('n1', [guest('low', { requests: { cpu: '4' } })]);
  t.deepEqual(scene.preempt(guest('high', { priority: 10 }), null), {
    status: { code: Code.Error, plugin: '', reasons: ['pod "high" not found'] },
  });
});
