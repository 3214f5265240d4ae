import test from 'ava';
import type { core, KubeObject, Pod } from '../../../../src/api/objects/objects.js';
import type { PersistentVolume, StorageClass } from '../../../../src/api/objects/storage-objects.js';
import {
  ActionType,
  clusterEvent,
  matchesEvent,
  QueueingHint,
  type EventResource,
} from '../../../../src/scheduler/framework/cluster-event.js';
import type { FrameworkHandle, Plugin } from '../../../../src/scheduler/framework/interface.js';
import { DynamicResources } from '../../../../src/scheduler/plugins/dynamic-resources/dynamic-resources.js';
import { NodeVolumeLimits } from '../../../../src/scheduler/plugins/volumes/node-volume-limits.js';
import { VolumeBinding } from '../../../../src/scheduler/plugins/volumes/volume-binding/volume-binding.js';
import { VolumeRestrictions } from '../../../../src/scheduler/plugins/volumes/volume-restrictions.js';
import { VolumeZone } from '../../../../src/scheduler/plugins/volumes/volume-zone.js';
import { testNode, testPod } from '../../support/objects.js';
import {
  attachment,
  claim,
  claimed,
  csiCapacity,
  csiDriver,
  csiNode,
  ephemeral,
  storageClass,
  volume,
} from './storage-objects.js';
import { VolumeWorld } from './volume-world.js';

const { Add, Delete, Update } = ActionType;
const NO_HANDLE = {} as FrameworkHandle;
const RESTRICTIONS = new VolumeRestrictions(NO_HANDLE);
const LIMITS = new NodeVolumeLimits(NO_HANDLE);
const BINDING = new VolumeBinding(NO_HANDLE);
const ZONE = new VolumeZone(NO_HANDLE);

function podWith(volumes: core.Volume[], nodeName?: string, namespace = 'default'): Pod {
  return testPod('p', { namespace, spec: { volumes, ...(nodeName === undefined ? {} : { nodeName }) } });
}

function zones(zone: string): StorageClass {
  return storageClass('wait', { allowedTopologies: [{ matchLabelExpressions: [{ key: 'z', values: [zone] }] }] });
}

function zoned(zone: string, other = ''): PersistentVolume {
  return volume('pv', {}, { labels: { 'topology.kubernetes.io/zone': zone, other } });
}

/** What a plugin answers to an event: `unheard` when it did not register for it. */
function answer(
  plugin: Plugin,
  pod: Pod,
  resource: EventResource,
  action: number,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): string {
  const event = clusterEvent(resource, action);
  const registered = plugin.eventsToRegister?.().find((each) => matchesEvent(each.event, event));
  if (registered === undefined) return 'unheard';
  const { hint } = registered;
  const found = hint?.(pod, before, after) ?? QueueingHint.Queue;
  return found === QueueingHint.Queue ? 'queue' : 'skip';
}

test('VolumeRestrictions › hears of pods that conflicted or shared a claim', (t) => {
  const disk: core.Volume[] = [{ name: 'd', gcePersistentDisk: { pdName: 'x' } }];
  const afterDelete = (own: core.Volume[], theirs: core.Volume[], namespace?: string): string =>
    answer(RESTRICTIONS, podWith(own), 'AssignedPod', Delete, podWith(theirs, 'n1', namespace), undefined);
  t.is(afterDelete(disk, disk), 'queue');
  t.is(afterDelete(disk, disk, 'other'), 'skip');
  t.is(afterDelete(disk, [{ name: 'd', gcePersistentDisk: { pdName: 'y' } }]), 'skip');
  t.is(afterDelete(claimed('a'), claimed('b', 'a')), 'queue');
  t.is(afterDelete(claimed('a'), claimed('b')), 'skip');
  t.is(answer(RESTRICTIONS, podWith(claimed('a')), 'Node', Add, undefined, testNode('n')), 'queue');
});

test('VolumeRestrictions and VolumeZone › hear of claims that the pod names', (t) => {
  for (const plugin of [RESTRICTIONS, ZONE]) {
    t.is(answer(plugin, podWith(claimed('a')), 'PersistentVolumeClaim', Add, undefined, claim('a')), 'queue');
    t.is(answer(plugin, podWith(claimed('a')), 'PersistentVolumeClaim', Add, undefined, claim('b')), 'skip');
    t.is(answer(plugin, podWith([ephemeral('e')]), 'PersistentVolumeClaim', Add, undefined, claim('p-e')), 'skip');
    t.is(answer(plugin, podWith(claimed('a'), '', 'x'), 'PersistentVolumeClaim', Add, undefined, claim('a')), 'skip');
  }
  t.is(answer(RESTRICTIONS, podWith(claimed('a')), 'PersistentVolumeClaim', Update, claim('a'), claim('a')), 'unheard');
  t.is(answer(ZONE, podWith(claimed('a')), 'PersistentVolumeClaim', Update, claim('a'), claim('a')), 'queue');
});

test('NodeVolumeLimits › hears of limits that grew', (t) => {
  const afterUpdate = (before: Record<string, number | undefined>, after: Record<string, number | undefined>): string =>
    answer(LIMITS, podWith(claimed('a')), 'CSINode', Update, csiNode('n', before), csiNode('n', after));
  t.is(answer(LIMITS, podWith(claimed('a')), 'CSINode', Add, undefined, csiNode('n', {})), 'queue');
  t.is(afterUpdate({ a: 1 }, { a: 2 }), 'queue');
  t.is(afterUpdate({ a: 2, b: 1 }, { a: 1, b: 1 }), 'skip');
  t.is(afterUpdate({}, { a: 1 }), 'queue');
  t.is(afterUpdate({ a: 1 }, { a: undefined }), 'skip');
});

test('NodeVolumeLimits › hears of pods with volumes that left a node, of claims, and of detached volumes', (t) => {
  const afterDelete = (volumes: core.Volume[], nodeName?: string): string =>
    answer(LIMITS, podWith(claimed('a')), 'AssignedPod', Delete, podWith(volumes, nodeName), undefined);
  t.is(afterDelete(claimed('x'), 'n1'), 'queue');
  t.is(afterDelete([ephemeral('e')], 'n1'), 'queue');
  t.is(afterDelete([{ name: 'v', awsElasticBlockStore: { volumeID: 'x' } }], 'n1'), 'queue');
  t.is(afterDelete([{ name: 'v', emptyDir: {} }], 'n1'), 'skip');
  t.is(afterDelete(claimed('x')), 'skip');
  t.is(answer(LIMITS, podWith([ephemeral('e')]), 'PersistentVolumeClaim', Add, undefined, claim('p-e')), 'queue');
  t.is(answer(LIMITS, podWith(claimed('a')), 'PersistentVolumeClaim', Add, undefined, claim('b')), 'skip');
  const detached = attachment('va', 'n1', 'pv', 'ebs.csi.aws.com');
  t.is(answer(LIMITS, podWith(claimed('a')), 'VolumeAttachment', Delete, detached, undefined), 'queue');
  const ebs: core.Volume[] = [{ name: 'v', awsElasticBlockStore: { volumeID: 'x' } }];
  t.is(answer(LIMITS, podWith(ebs), 'VolumeAttachment', Delete, detached, undefined), 'queue');
  t.is(answer(LIMITS, podWith(ebs), 'VolumeAttachment', Delete, attachment('v', 'n1', 'p', 'x'), undefined), 'skip');
  t.is(answer(LIMITS, podWith([ephemeral('e')]), 'VolumeAttachment', Delete, detached, undefined), 'skip');
});

test('VolumeBinding › hears of classes, claims, volumes and nodes', (t) => {
  const pod = podWith([...claimed('a'), ephemeral('e')]);
  t.is(answer(BINDING, pod, 'StorageClass', Add, undefined, storageClass()), 'queue');
  t.is(answer(BINDING, pod, 'StorageClass', Update, zones('a'), zones('b')), 'queue');
  t.is(answer(BINDING, pod, 'StorageClass', Update, zones('a'), zones('a')), 'skip');
  for (const action of [Add, Update]) {
    t.is(answer(BINDING, pod, 'PersistentVolumeClaim', action, claim('a'), claim('a')), 'queue');
    t.is(answer(BINDING, pod, 'PersistentVolumeClaim', action, claim('p-e'), claim('p-e')), 'queue');
    t.is(answer(BINDING, pod, 'PersistentVolumeClaim', action, claim('x'), claim('x')), 'skip');
    t.is(answer(BINDING, pod, 'PersistentVolume', action, volume('x'), volume('x')), 'queue');
  }
  t.is(answer(BINDING, pod, 'Node', Add, undefined, testNode('n')), 'queue');
  t.is(answer(BINDING, pod, 'Node', ActionType.UpdateNodeLabel, testNode('n'), testNode('n')), 'queue');
  t.is(answer(BINDING, pod, 'PersistentVolume', Delete, volume('x'), undefined), 'unheard');
});

test('VolumeBinding › hears of what drivers tell', (t) => {
  const inline: core.Volume[] = [{ name: 'v', csi: { driver: 'd' } }];
  const migrated = csiNode('n', {}, { 'storage.alpha.kubernetes.io/migrated-plugins': 'kubernetes.io/aws-ebs' });
  t.is(answer(BINDING, podWith(inline), 'CSINode', Add, undefined, csiNode('n', {})), 'queue');
  t.is(answer(BINDING, podWith(inline), 'CSINode', Update, csiNode('n', {}), migrated), 'queue');
  t.is(answer(BINDING, podWith(inline), 'CSINode', Update, csiNode('n', {}), csiNode('n', { d: 1 })), 'skip');
  const driver = (before: boolean, after: boolean, volumes = inline): string =>
    answer(BINDING, podWith(volumes), 'CSIDriver', Update, csiDriver('d', before), csiDriver('d', after));
  t.is(driver(true, false), 'queue');
  t.is(driver(false, true), 'skip');
  t.is(driver(true, false, claimed('a')), 'skip');
  const capacity = (before: object, after: object): string =>
    answer(BINDING, podWith(inline), 'CSIStorageCapacity', Update, csiCapacity('c', before), csiCapacity('c', after));
  t.is(answer(BINDING, podWith(inline), 'CSIStorageCapacity', Add, undefined, csiCapacity('c', {})), 'queue');
  t.is(capacity({ capacity: '1Gi' }, { capacity: '2Gi' }), 'queue');
  t.is(capacity({ capacity: '1Gi' }, { capacity: '1Gi', maximumVolumeSize: '2Gi' }), 'queue');
  t.is(capacity({ capacity: '2Gi' }, { capacity: '1Gi' }), 'skip');
  t.is(capacity({}, { capacity: '1Gi' }), 'queue');
  t.is(capacity({ capacity: '1Gi' }, {}), 'skip');
});

test('VolumeZone › hears of waiting classes, nodes, and volumes whose zone changes', (t) => {
  const pod = podWith(claimed('a'));
  t.is(answer(ZONE, pod, 'StorageClass', Add, undefined, storageClass()), 'queue');
  const immediate = storageClass('i', { volumeBindingMode: 'Immediate' });
  t.is(answer(ZONE, pod, 'StorageClass', Add, undefined, immediate), 'skip');
  t.is(answer(ZONE, pod, 'StorageClass', Update, immediate, storageClass()), 'unheard');
  t.is(answer(ZONE, pod, 'Node', ActionType.UpdateNodeLabel, testNode('n'), testNode('n')), 'queue');
  t.is(answer(ZONE, pod, 'PersistentVolume', Add, undefined, zoned('a')), 'queue');
  t.is(answer(ZONE, pod, 'PersistentVolume', Update, zoned('a'), zoned('b')), 'queue');
  t.is(answer(ZONE, pod, 'PersistentVolume', Update, zoned('a'), zoned('a', 'x')), 'skip');
  t.is(answer(ZONE, pod, 'PersistentVolume', Update, zoned('a__b'), zoned('b__a')), 'skip');
});

test('DynamicResources › hears of nodes, and of its own pod', (t) => {
  const plugin = new DynamicResources(new VolumeWorld([]).handle);
  const pod = testPod('p');
  t.is(answer(plugin, pod, 'Node', Add, undefined, testNode('n')), 'queue');
  t.is(answer(plugin, pod, 'Node', ActionType.UpdateNodeAllocatable, testNode('n'), testNode('n')), 'queue');
  t.is(answer(plugin, pod, 'UnscheduledPod', ActionType.UpdatePodGeneratedResourceClaim, pod, pod), 'queue');
  t.is(answer(plugin, pod, 'UnscheduledPod', ActionType.UpdatePodGeneratedResourceClaim, pod, testPod('q')), 'skip');
});
