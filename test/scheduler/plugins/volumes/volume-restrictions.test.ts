import test from 'ava';
import type { core, Pod } from '../../../../src/api/objects/objects.js';
import { PodInfo } from '../../../../src/scheduler/framework/pod-info.js';
import { VolumeRestrictions } from '../../../../src/scheduler/plugins/volumes/volume-restrictions.js';
import { testNode, testPod } from '../../support/objects.js';
import { boundClaim, claimed, ephemeral } from './storage-objects.js';
import { verdictText, VolumeWorld } from './volume-world.js';

const NO_DISK = 'Unschedulable VolumeRestrictions: node(s) had no available disk';
const IN_USE =
  'Unschedulable VolumeRestrictions: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';

function world(): VolumeWorld {
  const made = new VolumeWorld([(handle) => new VolumeRestrictions(handle)]);
  made.seed(testNode('n1'), testNode('n2'));
  return made;
}

function podWith(name: string, volumes: core.Volume[], nodeName?: string, namespace = 'default'): Pod {
  return testPod(name, { namespace, spec: { volumes, ...(nodeName === undefined ? {} : { nodeName }) } });
}

function disk(source: Omit<core.Volume, 'name'>): core.Volume[] {
  return [{ name: 'disk', ...source }];
}

function verdictBeside(used: Omit<core.Volume, 'name'>, wanted: Omit<core.Volume, 'name'>): unknown {
  const made = world();
  made.seed(podWith('there', disk(used), 'n1'));
  const verdicts = made.judge(podWith('p', disk(wanted)));
  return (verdicts as Record<string, string>)['n1'];
}

function pd(pdName: string, readOnly?: boolean): Omit<core.Volume, 'name'> {
  return {
    gcePersistentDisk: { pdName, ...(readOnly === undefined ? {} : { readOnly }) },
  };
}

function ebs(volumeID: string): Omit<core.Volume, 'name'> {
  return { awsElasticBlockStore: { volumeID, readOnly: true } };
}

function iscsi(lun: number, readOnly: boolean): Omit<core.Volume, 'name'> {
  return {
    iscsi: { iqn: 'iqn', lun, targetPortal: 'p', readOnly },
  };
}

function rbd(monitors: string[], parts: Partial<core.RBDVolumeSource> = {}): Omit<core.Volume, 'name'> {
  return {
    rbd: { monitors, image: 'i', ...parts },
  };
}

test('a GCE persistent disk is shared by readers only', (t) => {
  t.is(verdictBeside(pd('a'), pd('a')), NO_DISK);
  t.is(verdictBeside(pd('a', true), pd('a')), NO_DISK);
  t.is(verdictBeside(pd('a', true), pd('a', true)), 'fits');
  t.is(verdictBeside(pd('a'), pd('b')), 'fits');
});

test('an AWS elastic block store volume is never shared', (t) => {
  t.is(verdictBeside(ebs('a'), ebs('a')), NO_DISK);
  t.is(verdictBeside(ebs('a'), ebs('b')), 'fits');
});

test('an iSCSI target is shared by readers only, whatever its lun', (t) => {
  t.is(verdictBeside(iscsi(0, true), iscsi(1, false)), NO_DISK);
  t.is(verdictBeside(iscsi(0, true), iscsi(0, true)), 'fits');
});

test('a Ceph image is the same when a monitor, the pool and the name are', (t) => {
  t.is(verdictBeside(rbd(['a', 'b']), rbd(['b', 'c'])), NO_DISK);
  t.is(verdictBeside(rbd(['a']), rbd(['a'], { pool: 'rbd' })), NO_DISK);
  t.is(verdictBeside(rbd(['a']), rbd(['c'])), 'fits');
  t.is(verdictBeside(rbd(['a']), rbd(['a'], { pool: 'x' })), 'fits');
  t.is(verdictBeside(rbd(['a']), rbd(['a'], { image: 'j' })), 'fits');
  t.is(verdictBeside(rbd(['a'], { readOnly: true }), rbd(['a'], { readOnly: true })), 'fits');
});

test('disks of different kinds never conflict, and other nodes are free', (t) => {
  const made = world();
  made.seed(podWith('there', disk({ awsElasticBlockStore: { volumeID: 'a' } }), 'n1'));
  t.deepEqual(made.judge(podWith('p', disk({ gcePersistentDisk: { pdName: 'a' } }))), { n1: 'fits', n2: 'fits' });
  t.deepEqual(made.judge(podWith('p', disk({ awsElasticBlockStore: { volumeID: 'a' } }))), { n1: NO_DISK, n2: 'fits' });
});

test('a missing claim stops the pod; one that is made for the pod is not looked for', (t) => {
  const made = world();
  t.is(
    made.judge(podWith('p', claimed('x'))),
    'UnschedulableAndUnresolvable VolumeRestrictions: persistentvolumeclaim "x" not found',
  );
  t.true(made.begin(podWith('p', [ephemeral('e')])).state.skippedFilters.has('VolumeRestrictions'));
});

test('an exclusive claim in use closes every node', (t) => {
  const made = world();
  made.seed(boundClaim('c', 'pv', { accessModes: ['ReadWriteOncePod'] }), boundClaim('d', 'pv2'));
  t.true(made.begin(podWith('p', claimed('c'))).state.skippedFilters.has('VolumeRestrictions'));
  made.seed(podWith('other-namespace', claimed('c'), 'n1', 'other'), podWith('d-user', claimed('d'), 'n1'));
  t.true(made.begin(podWith('p', claimed('c', 'd'))).state.skippedFilters.has('VolumeRestrictions'));
  made.seed(podWith('user', claimed('c'), 'n1'));
  t.deepEqual(made.judge(podWith('p', claimed('c'))), { n1: IN_USE, n2: IN_USE });
});

test('the disk is judged before the claim', (t) => {
  const made = world();
  made.seed(boundClaim('c', 'pv', { accessModes: ['ReadWriteOncePod'] }));
  const volumes = [...disk({ awsElasticBlockStore: { volumeID: 'a' } }), ...claimed('c')];
  made.seed(podWith('user', volumes, 'n1'));
  t.deepEqual(made.judge(podWith('p', volumes)), { n1: NO_DISK, n2: IN_USE });
});

test('taking the user away frees the claim everywhere, in a copy only', (t) => {
  const made = world();
  made.seed(boundClaim('c', 'pv', { accessModes: ['ReadWriteOncePod'] }));
  const user = podWith('user', claimed('c'), 'n1');
  made.seed(user);
  const attempt = made.begin(podWith('p', claimed('c')));
  const node = made.snapshot.nodeAt(made.snapshot.get('n2')?.slot ?? -1);
  const copy = { ...attempt, state: attempt.state.clone() };
  t.is(made.framework.runRemovePod(copy.state, copy.pod, new PodInfo(user), node), undefined);
  t.is(verdictText(made.filter(copy, 'n2')), 'fits');
  t.is(made.framework.runAddPod(copy.state, copy.pod, new PodInfo(user), node), undefined);
  t.is(verdictText(made.filter(copy, 'n2')), IN_USE);
  t.is(verdictText(made.filter(attempt, 'n2')), IN_USE);
});

test('two claims in use need both users gone; one that is mounted twice counts twice', (t) => {
  const made = world();
  const exclusive = { accessModes: ['ReadWriteOncePod'] };
  made.seed(boundClaim('c', 'pv', exclusive), boundClaim('d', 'pv2', exclusive));
  const users = [podWith('c-user', claimed('c'), 'n1'), podWith('d-user', claimed('d'), 'n1')];
  made.seed(...users);
  const attempt = made.begin(podWith('p', claimed('c', 'd')));
  const node = made.snapshot.nodeAt(made.snapshot.get('n1')?.slot ?? -1);
  const [first, second] = users.map((user) => new PodInfo(user));
  made.framework.runRemovePod(attempt.state, attempt.pod, first as PodInfo, node);
  t.is(verdictText(made.filter(attempt, 'n1')), IN_USE);
  made.framework.runRemovePod(attempt.state, attempt.pod, second as PodInfo, node);
  t.is(verdictText(made.filter(attempt, 'n1')), 'fits');
  made.framework.runAddPod(attempt.state, attempt.pod, new PodInfo(podWith('twice', claimed('c', 'c'), 'n1')), node);
  made.framework.runRemovePod(attempt.state, attempt.pod, first as PodInfo, node);
  t.is(verdictText(made.filter(attempt, 'n1')), IN_USE);
});
