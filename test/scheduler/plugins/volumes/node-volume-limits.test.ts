import test from 'ava';
import type { core, Pod } from '../../../../src/api/objects/objects.js';
import type { PersistentVolume } from '../../../../src/api/objects/storage-objects.js';
import { NodeVolumeLimits } from '../../../../src/scheduler/plugins/volumes/node-volume-limits.js';
import { testNode, testPod } from '../../support/objects.js';
import { attachment, boundClaim, claim, claimed, csiNode, ephemeral, storageClass, volume } from './storage-objects.js';
import { VolumeWorld } from './volume-world.js';

const TOO_MANY = 'Unschedulable NodeVolumeLimits: node(s) exceed max volume count';
const MIGRATED = { 'storage.alpha.kubernetes.io/migrated-plugins': 'kubernetes.io/gce-pd,kubernetes.io/aws-ebs' };

function world(limits: Readonly<Record<string, number | undefined>> = { 'csi.example.com': 2 }): VolumeWorld {
  const made = new VolumeWorld([(handle) => new NodeVolumeLimits(handle)]);
  made.seed(testNode('n1'), csiNode('n1', limits), storageClass());
  for (const name of ['a', 'b', 'c', 'd']) made.seed(volume(`pv-${name}`), boundClaim(name, `pv-${name}`));
  return made;
}

function podWith(name: string, volumes: core.Volume[], nodeName?: string): Pod {
  return testPod(name, { spec: { volumes, ...(nodeName === undefined ? {} : { nodeName }) } });
}

function verdict(made: VolumeWorld, volumes: core.Volume[]): unknown {
  const found = made.judge(podWith('p', volumes));
  return typeof found === 'string' ? found : found['n1'];
}

test('a node takes as many volumes as its driver says, and not one more', (t) => {
  const made = world();
  t.is(verdict(made, claimed('a', 'b')), 'fits');
  t.is(verdict(made, claimed('a', 'b', 'c')), TOO_MANY);
  made.seed(podWith('there', claimed('a'), 'n1'));
  t.is(verdict(made, claimed('b')), 'fits');
  t.is(verdict(made, claimed('b', 'c')), TOO_MANY);
});

test('a volume that is there already is not counted again', (t) => {
  const made = world();
  made.seed(podWith('x', claimed('a', 'b'), 'n1'), podWith('y', claimed('b'), 'n1'));
  t.is(verdict(made, claimed('a', 'b')), 'fits');
  t.is(verdict(made, claimed('a', 'c')), TOO_MANY);
});

test('drivers without a limit, and nodes that tell of no driver, take everything', (t) => {
  t.is(verdict(world({ 'csi.example.com': undefined }), claimed('a', 'b', 'c')), 'fits');
  t.is(verdict(world({ other: 0 }), claimed('a', 'b', 'c')), 'fits');
  const made = world();
  made.remove('CSINode', 'n1');
  t.is(verdict(made, claimed('a', 'b', 'c')), 'fits');
});

test('a driver with a limit of 0 attaches nothing', (t) => {
  t.is(verdict(world({ 'csi.example.com': 0 }), claimed('a')), TOO_MANY);
});

test('claims that will be provisioned count under the provisioner of their class', (t) => {
  const made = world();
  made.seed(claim('u1'), claim('u2'), claim('u3'), claim('no-class', { storageClassName: 'none' }));
  t.is(verdict(made, claimed('u1', 'u2')), 'fits');
  t.is(verdict(made, claimed('u1', 'u2', 'no-class')), 'fits');
  t.is(verdict(made, claimed('u1', 'u2', 'u3')), TOO_MANY);
  made.seed(storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' }));
  made.seed(claim('l', { storageClassName: 'local' }));
  t.is(verdict(made, claimed('a', 'b', 'l')), 'fits');
});

test('a claim whose volume is not there counts as unbound', (t) => {
  const made = world();
  made.seed(boundClaim('lost', 'gone'));
  t.is(verdict(made, claimed('a', 'b', 'lost')), TOO_MANY);
});

test('attached volumes count, those of pods and of other nodes do not count twice', (t) => {
  const made = world();
  made.seed(podWith('there', claimed('a'), 'n1'));
  made.seed(attachment('va-a', 'n1', 'pv-a'), attachment('va-d', 'n2', 'pv-d'), attachment('va-x', 'n1', 'unknown'));
  t.is(verdict(made, claimed('b')), 'fits');
  made.seed(attachment('va-c', 'n1', 'pv-c'));
  t.is(verdict(made, claimed('b')), TOO_MANY);
  // Attached, but used by no pod: the new pod's volume counts besides.
  t.is(verdict(made, claimed('c')), TOO_MANY);
});

test('a missing claim of the pod rejects, one of another pod does not count', (t) => {
  const made = world();
  made.seed(podWith('there', claimed('gone'), 'n1'));
  t.is(verdict(made, claimed('a', 'b')), 'fits');
  t.is(
    verdict(made, claimed('x')),
    'UnschedulableAndUnresolvable NodeVolumeLimits: looking up PVC default/x: persistentvolumeclaim "x" not found',
  );
});

test('a claim made for the pod counts, one made for another owner is a fault', (t) => {
  const made = world({ 'csi.example.com': 0 });
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'default/p', controller: true };
  made.seed(claim('p-e', {}, { ownerReferences: [owner] }));
  t.is(verdict(made, [ephemeral('e')]), TOO_MANY);
  made.seed(claim('p-e'));
  t.is(
    verdict(made, [ephemeral('e')]),
    'Error NodeVolumeLimits: running "NodeVolumeLimits" filter plugin: PVC default/p-e was not created for pod default/p (pod is not owner)',
  );
});

test('volumes of drivers that moved out count where the node says so', (t) => {
  const ebs: core.Volume[] = [{ name: 'v', awsElasticBlockStore: { volumeID: 'aws://a/vol-1' } }];
  const made = world({ 'ebs.csi.aws.com': 1 });
  made.seed(boundClaim('e', 'pv-e'));
  const { spec, ...rest } = volume('pv-e', { awsElasticBlockStore: { volumeID: 'vol-2' } });
  const { csi: _csi, ...inTree } = spec;
  const old: PersistentVolume = { ...rest, spec: inTree };
  made.seed(old);
  t.is(verdict(made, [...ebs, ...claimed('e')]), 'fits');
  made.seed(csiNode('n1', { 'ebs.csi.aws.com': 1 }, MIGRATED));
  t.is(verdict(made, ebs), 'fits');
  t.is(verdict(made, [...ebs, ...claimed('e')]), TOO_MANY);
  made.seed(podWith('there', [{ name: 'v', awsElasticBlockStore: { volumeID: 'vol-1' } }], 'n1'));
  t.is(verdict(made, ebs), 'fits');
  t.is(verdict(made, claimed('e')), TOO_MANY);
});

test('a class of a driver that moved out counts under its new name', (t) => {
  const made = world({ 'ebs.csi.aws.com': 0 });
  made.seed(storageClass('gp2', { provisioner: 'kubernetes.io/aws-ebs' }), claim('g', { storageClassName: 'gp2' }));
  t.is(verdict(made, claimed('g')), 'fits');
  made.seed(csiNode('n1', { 'ebs.csi.aws.com': 0 }, MIGRATED));
  t.is(verdict(made, claimed('g')), TOO_MANY);
});

test('pods without such volumes are not looked at', (t) => {
  const made = world();
  const skips = (volumes: core.Volume[] | undefined): boolean =>
    made
      .begin(testPod('p', { spec: volumes === undefined ? {} : { volumes } }))
      .state.skippedFilters.has('NodeVolumeLimits');
  t.true(skips(undefined));
  t.true(skips([{ name: 'v', emptyDir: {} }]));
  t.false(skips([{ name: 'v', gcePersistentDisk: { pdName: 'd' } }]));
  t.false(skips([ephemeral('e')]));
});
