import test from 'ava';
import type { AnyObject, core, ObjectMeta, OwnerReference, Pod } from '../../../../src/api/objects/objects.js';
import {
  validatePodTopologySpreadArgs,
  type PodTopologySpreadArgs,
} from '../../../../src/scheduler/plugins/pod-topology-spread/args.js';
import { DefaultSelectors } from '../../../../src/scheduler/plugins/pod-topology-spread/default-selectors.js';
import { PodInfo } from '../../../../src/scheduler/framework/pod-info.js';
import { testNode, testPod } from '../../support/objects.js';
import { SpreadStage } from './stage.js';

const ZONE = 'topology.kubernetes.io/zone';

function meta(name: string, namespace = 'default'): ObjectMeta {
  return { name, namespace, uid: `${namespace}/${name}`, resourceVersion: '1', creationTimestamp: '' };
}

function object(kind: string, name: string, selector: unknown, namespace?: string): AnyObject {
  const apiVersion = kind === 'Service' || kind === 'ReplicationController' ? 'v1' : 'apps/v1';
  return { apiVersion, kind, metadata: meta(name, namespace), spec: { selector } };
}

function owner(kind: string, name: string, apiVersion = 'apps/v1', controller = true): OwnerReference {
  return { apiVersion, kind, name, uid: 'some-other-uid', controller };
}

function podOf(owners: readonly OwnerReference[], labels = { app: 'a', tier: 'web' }): Pod {
  const pod = testPod('new', { labels });
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: owners } };
}

function selectorText(pod: Pod, ...objects: readonly AnyObject[]): string {
  const source = { objects: (kind: string) => objects.filter((each) => each.kind === kind) };
  return new DefaultSelectors(source).selectorOf(new PodInfo(pod)).text;
}

test('default selector › merges the selectors of all services that select the pod', (t) => {
  const services = [
    object('Service', 's1', { app: 'a' }),
    object('Service', 's2', { tier: 'web' }),
    object('Service', 'other', { app: 'b' }),
    object('Service', 'nil', undefined),
    object('Service', 'all', {}),
    object('Service', 'elsewhere', { app: 'a' }, 'other'),
  ];
  t.is(selectorText(podOf([]), ...services), 'app=a,tier=web');
  t.is(selectorText(podOf([]), ...services.slice(2)), '');
});

test('default selector › adds the selector of the controlling owner, by name alone', (t) => {
  const replicaSet = object('ReplicaSet', 'rs', { matchLabels: { app: 'unlike-the-pod' } });
  t.is(selectorText(podOf([owner('ReplicaSet', 'rs')]), replicaSet), 'app=unlike-the-pod');
  const service = object('Service', 's', { tier: 'web' });
  t.is(selectorText(podOf([owner('ReplicaSet', 'rs')]), replicaSet, service), 'app=unlike-the-pod,tier=web');
  const statefulSet = object('StatefulSet', 'db', { matchExpressions: [{ key: 'app', operator: 'Exists' }] });
  t.is(selectorText(podOf([owner('StatefulSet', 'db')]), statefulSet), 'app');
});

test('default selector › a replication controller has a plain selector, which goes over that of services', (t) => {
  const controller = object('ReplicationController', 'rc', { app: 'other' });
  const service = object('Service', 's', { app: 'a', tier: 'web' });
  const reference = owner('ReplicationController', 'rc', 'v1');
  t.is(selectorText(podOf([reference]), controller, service), 'app=other,tier=web');
});

test('default selector › other owners, owners of other groups and owners that are not found say nothing', (t) => {
  const replicaSet = object('ReplicaSet', 'rs', { matchLabels: { app: 'a' } });
  const elsewhere = object('ReplicaSet', 'rs', { matchLabels: { app: 'a' } }, 'other');
  t.is(selectorText(podOf([owner('ReplicaSet', 'gone')]), replicaSet), '');
  t.is(selectorText(podOf([owner('ReplicaSet', 'rs')]), elsewhere), '');
  t.is(selectorText(podOf([owner('ReplicaSet', 'rs', 'extensions/v1beta1')]), replicaSet), '');
  t.is(selectorText(podOf([owner('ReplicaSet', 'rs', 'apps/v1', false)]), replicaSet), '');
  t.is(selectorText(podOf([owner('Job', 'rs', 'batch/v1')]), replicaSet), '');
  t.is(selectorText(podOf([owner('ReplicaSet', 'rs')]), object('ReplicaSet', 'rs', undefined)), '');
});

test('default selector › follows services and owners as they come and go', (t) => {
  const objects: AnyObject[] = [];
  const source = { objects: (kind: string) => objects.filter((each) => each.kind === kind) };
  const selectors = new DefaultSelectors(source);
  const pod = new PodInfo(podOf([owner('ReplicaSet', 'rs')]));
  t.is(selectors.selectorOf(pod).text, '');
  objects.push(object('ReplicaSet', 'rs', { matchLabels: { app: 'a' } }));
  const first = selectors.selectorOf(pod);
  t.is(first.text, 'app=a');
  t.is(selectors.selectorOf(pod), first);
  objects.push(object('Service', 's', { tier: 'web' }));
  t.is(selectors.selectorOf(pod).text, 'app=a,tier=web');
  objects.shift();
  t.is(selectors.selectorOf(pod).text, 'tier=web');
});

test('default selector › looks at services again once one has come, changed or gone', (t) => {
  const objects: AnyObject[] = [object('Service', 'other', { app: 'b' })];
  let asked = 0;
  let tell = (): void => t.fail('nothing listens');
  const selectors = new DefaultSelectors({
    objects: (kind) => {
      asked += 1;
      return objects.filter((each) => each.kind === kind);
    },
    onChange(kind, listener) {
      t.is(kind, 'Service');
      tell = listener;
    },
  });
  const pod = new PodInfo(podOf([]));
  const pods = [pod, pod, new PodInfo(podOf([], { app: 'a', tier: 'db' }))];
  t.deepEqual(
    pods.map((each) => selectors.selectorOf(each).text),
    ['', '', ''],
  );
  t.is(asked, 2);
  objects.push(object('Service', 's', { tier: 'web' }));
  tell();
  t.is(selectors.selectorOf(pod).text, 'tier=web');
  objects.pop();
  tell();
  t.is(selectors.selectorOf(pod).text, '');
  t.is(selectors.selectorOf(pod).text, '');
  t.is(asked, 4);
});

test('default selector › asks for one object by key where it can', (t) => {
  const replicaSet = object('ReplicaSet', 'rs', { matchLabels: { app: 'a' } });
  const asked: string[] = [];
  const selectors = new DefaultSelectors({
    objects: (kind) => {
      if (kind !== 'Service') throw new Error(`all of kind ${kind} were asked for`);
      return [];
    },
    object(kind, key) {
      asked.push(`${kind} ${key}`);
      return replicaSet;
    },
  });
  t.is(selectors.selectorOf(new PodInfo(podOf([owner('ReplicaSet', 'rs')]))).text, 'app=a');
  t.deepEqual(asked, ['ReplicaSet default/rs']);
});

test('PodTopologySpread › a default list spreads pods that something selects, and no others', (t) => {
  const defaultConstraints: core.TopologySpreadConstraint[] = [
    { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule' },
  ];
  const stage = new SpreadStage({ defaultingType: 'List', defaultConstraints });
  stage.addNodes(testNode('n0', { zone: 'a' }), testNode('n1', { zone: 'b' }));
  stage.place(testPod('p', { labels: { app: 'a' } }), 'n0');
  const pod = podOf([owner('ReplicaSet', 'rs')], { app: 'a', tier: 'db' });
  t.is(stage.begin(pod), undefined);
  stage.objects.push(object('ReplicaSet', 'rs', { matchLabels: { app: 'a' } }));
  const rejected = {
    plugin: 'PodTopologySpread',
    code: 'Unschedulable',
    reasons: ["node(s) didn't match pod topology spread constraints"],
  };
  t.deepEqual(stage.filter(pod).plain, { n0: rejected, n1: null });
  t.is(stage.begin(podOf([])), undefined);
});

test('PodTopologySpread › an empty default list turns the defaults off', (t) => {
  const stage = new SpreadStage({ defaultingType: 'List' });
  stage.addNodes(testNode('n0', { zone: 'a' })).objects.push(object('Service', 's', { app: 'a' }));
  t.is(stage.score(podOf([]), ['n0']), undefined);
  const withSystem = new SpreadStage();
  withSystem.addNodes(testNode('n0', { zone: 'a' })).objects.push(object('Service', 's', { app: 'a' }));
  t.not(withSystem.score(podOf([]), ['n0']), undefined);
});

function problems(args: unknown): string[] {
  return validatePodTopologySpreadArgs(args as PodTopologySpreadArgs, 'args').map(
    ({ field, detail }) => `${field}: ${detail}`,
  );
}

test('PodTopologySpreadArgs › valid ones have no problems', (t) => {
  const constraint = { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'ScheduleAnyway' };
  t.deepEqual(problems({}), []);
  t.deepEqual(problems({ defaultingType: 'List' }), []);
  const other = { ...constraint, whenUnsatisfiable: 'DoNotSchedule' };
  t.deepEqual(problems({ defaultingType: 'List', defaultConstraints: [constraint, other] }), []);
});

test('PodTopologySpreadArgs › say what is wrong, and where', (t) => {
  const constraint = { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'ScheduleAnyway' };
  t.deepEqual(problems({ defaultConstraints: [constraint] }), [
    'args.defaultingType: Invalid value: "System": when .defaultConstraints are not empty',
  ]);
  t.deepEqual(problems({ defaultingType: 'Some' }), [
    'args.defaultingType: Unsupported value: "Some": supported values: "System", "List"',
  ]);
  const wrong = [
    { maxSkew: 0, topologyKey: '', whenUnsatisfiable: '' },
    { maxSkew: 1, topologyKey: 'a/b/c', whenUnsatisfiable: 'Maybe', labelSelector: {} },
    constraint,
    { ...constraint, maxSkew: 2 },
  ];
  const texts = problems({ defaultingType: 'List', defaultConstraints: wrong });
  t.deepEqual(texts.slice(0, 3), [
    'args.defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf)',
    'args.defaultConstraints[0].topologyKey: Required value: can not be empty',
    'args.defaultConstraints[0].whenUnsatisfiable: Required value: can not be empty',
  ]);
  t.regex(texts[3] ?? '', /^args\.defaultConstraints\[1\]\.topologyKey: Invalid value: "a\/b\/c": a qualified name/u);
  t.deepEqual(texts.slice(4), [
    'args.defaultConstraints[1].whenUnsatisfiable: Unsupported value: "Maybe": supported values: "DoNotSchedule", "ScheduleAnyway"',
    'args.defaultConstraints[1].labelSelector: Forbidden: constraint must not define a selector, as they deduced for each pod',
    `args.defaultConstraints[3]: Duplicate value: "{${ZONE}, ScheduleAnyway}"`,
  ]);
});

test('PodTopologySpread › is not built from invalid args', (t) => {
  const error = t.throws(() => new SpreadStage({ defaultingType: 'All' } as unknown as PodTopologySpreadArgs));
  t.is(
    error.message,
    'PodTopologySpreadArgs: defaultingType: Unsupported value: "All": supported values: "System", "List"',
  );
});
