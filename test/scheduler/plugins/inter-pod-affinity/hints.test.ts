import test from 'ava';
import type { AnyObject, core, Node, Pod, StringMap } from '../../../../src/api/objects/objects.js';
import { ActionType, matchesEvent, type EventResource } from '../../../../src/scheduler/framework/cluster-event.js';
import { testNode, testPod } from '../../support/objects.js';
import { affinePod, affinityOf, Scene, testNamespace } from './scene.js';

const ZONE = 'topology.kubernetes.io/zone';

function term(app: string, more: Partial<core.PodAffinityTerm> = {}): core.PodAffinityTerm {
  return { topologyKey: ZONE, labelSelector: { matchLabels: { app } }, ...more };
}

/** Whether the plugin would bring the pod back; `undefined` when it did not register for the event. */
function wakes(
  pod: Pod,
  resource: EventResource,
  actionType: number,
  before: AnyObject | undefined,
  after: AnyObject | undefined,
): boolean | undefined {
  const { plugin } = new Scene().declare(testNamespace('prod', { env: 'prod' }));
  const registration = plugin
    .eventsToRegister()
    .find(({ event }) => matchesEvent(event, { resource, actionType, label: '' }));
  return registration?.hint === undefined ? undefined : registration.hint(pod, before, after) === 1;
}

function assigned(labels: StringMap, namespace = 'default'): Pod {
  return testPod('other', { labels, namespace, spec: { nodeName: 'n' } });
}

const { Add, Delete, UpdatePodLabel, UpdateNodeLabel, UpdateNodeAllocatable, UpdatePodScaleDown } = ActionType;
const added = (pod: Pod, other: Pod): boolean | undefined => wakes(pod, 'AssignedPod', Add, undefined, other);
const deleted = (pod: Pod, other: Pod): boolean | undefined => wakes(pod, 'AssignedPod', Delete, other, undefined);
const changed = (pod: Pod, before: Pod, after: Pod): boolean | undefined =>
  wakes(pod, 'AssignedPod', UpdatePodLabel, before, after);
const nodeAdded = (pod: Pod, node: Node): boolean | undefined => wakes(pod, 'Node', Add, undefined, node);
const relabelled = (pod: Pod, before: Node, after: Node): boolean | undefined =>
  wakes(pod, 'Node', UpdateNodeLabel, before, after);

const near = affinePod('pod', affinityOf({ near: [term('web'), term('web', { topologyKey: 'rack' })] }));
const apart = affinePod('pod', affinityOf({ apart: [term('web')] }));
const plain = testPod('pod');

test('InterPodAffinity › wakes a pod when one comes that matches all its affinity terms', (t) => {
  t.true(added(near, assigned({ app: 'web' })));
  t.false(added(near, assigned({ app: 'db' })));
  t.false(added(near, assigned({ app: 'web' }, 'other')));
  t.false(added(near, testPod('pending', { labels: { app: 'web' } })));
  t.false(added(apart, assigned({ app: 'web' })));
  t.false(added(plain, assigned({})));
  const two = affinePod(
    'pod',
    affinityOf({ near: [term('web'), { topologyKey: ZONE, labelSelector: { matchLabels: { tier: 'a' } } }] }),
  );
  t.false(added(two, assigned({ app: 'web' })));
  t.true(added(two, assigned({ app: 'web', tier: 'a' })));
});

test('InterPodAffinity › wakes a pod when one goes that matched all its anti-affinity terms', (t) => {
  t.true(deleted(apart, assigned({ app: 'web' })));
  t.false(deleted(apart, assigned({ app: 'db' })));
  t.false(deleted(near, assigned({ app: 'web' })));
  const two = affinePod('pod', affinityOf({ apart: [term('web'), term('db')] }));
  t.false(deleted(two, assigned({ app: 'web' })));
});

test('InterPodAffinity › does not wake a pod without anti-affinity when one goes that kept it away', (t) => {
  const loner: Pod = {
    ...assigned({}),
    spec: { ...assigned({}).spec, affinity: affinityOf({ apart: [term('web')] }) },
  };
  t.false(deleted(testPod('pod', { labels: { app: 'web' } }), loner));
});

test('InterPodAffinity › wakes a pod when labels of another come to match, or no longer match', (t) => {
  const [web, db] = [assigned({ app: 'web' }), assigned({ app: 'db' })];
  t.true(changed(near, db, web));
  t.false(changed(near, web, db));
  t.false(changed(near, web, web));
  t.true(changed(apart, web, db));
  t.false(changed(apart, db, web));
  t.false(changed(plain, web, db));
});

test('InterPodAffinity › asks namespace selectors in hints about a namespace without labels', (t) => {
  const select = (selector: core.PodAffinityTerm['namespaceSelector']): Pod =>
    affinePod(
      'pod',
      affinityOf({ near: [term('web', selector === undefined ? {} : { namespaceSelector: selector })] }),
    );
  const other = assigned({ app: 'web' }, 'prod');
  t.false(added(select({ matchLabels: { env: 'prod' } }), other));
  t.true(added(select({}), other));
  t.true(added(select({ matchExpressions: [{ key: 'env', operator: 'NotIn', values: ['prod'] }] }), other));
  t.true(added(affinePod('pod', affinityOf({ near: [term('web', { namespaces: ['prod'] })] })), other));
});

test('InterPodAffinity › wakes a pod when a node comes with any key of its affinity, or at all with anti-affinity', (t) => {
  t.true(nodeAdded(near, testNode('n', { zone: 'x' })));
  t.true(nodeAdded(near, testNode('n', { labels: { rack: '1' } })));
  t.false(nodeAdded(near, testNode('n')));
  t.true(nodeAdded(apart, testNode('n')));
  t.false(nodeAdded(plain, testNode('n', { zone: 'x' })));
});

test('InterPodAffinity › wakes a pod when a node gains or changes a key of affinity, or loses or changes one of anti-affinity', (t) => {
  const [bare, x, y] = [testNode('n'), testNode('n', { zone: 'x' }), testNode('n', { zone: 'y' })];
  t.true(relabelled(near, bare, x));
  t.true(relabelled(near, x, y));
  t.false(relabelled(near, x, bare));
  t.false(relabelled(near, x, x));
  t.true(relabelled(apart, x, bare));
  t.true(relabelled(apart, x, y));
  t.false(relabelled(apart, bare, x));
  t.false(relabelled(plain, x, y));
});

test('InterPodAffinity › is deaf to everything else', (t) => {
  t.is(wakes(near, 'AssignedPod', UpdatePodScaleDown, plain, plain), undefined);
  t.is(wakes(near, 'Node', UpdateNodeAllocatable, testNode('n'), testNode('n')), undefined);
  t.is(wakes(near, 'Node', Delete, testNode('n'), undefined), undefined);
});
