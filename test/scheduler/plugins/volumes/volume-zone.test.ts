import test from 'ava';
import type { core, StringMap } from '../../../../src/api/objects/objects.js';
import { VolumeZone } from '../../../../src/scheduler/plugins/volumes/volume-zone.js';
import { testNode, testPod } from '../../support/objects.js';
import { boundClaim, claim, claimed, ephemeral, storageClass, volume } from './storage-objects.js';
import { VolumeWorld } from './volume-world.js';

const NO_ZONE = 'UnschedulableAndUnresolvable VolumeZone: node(s) had no available volume zone';
const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';
const BETA_ZONE = 'failure-domain.beta.kubernetes.io/zone';
const BETA_REGION = 'failure-domain.beta.kubernetes.io/region';

function verdict(volumeLabels: StringMap, nodeLabels: StringMap): unknown {
  const made = new VolumeWorld([(handle) => new VolumeZone(handle)]);
  made.seed(testNode('n1', { labels: nodeLabels }), volume('pv', {}, { labels: volumeLabels }), boundClaim('c', 'pv'));
  const found = made.judge(testPod('p', { spec: { volumes: claimed('c') } }));
  return typeof found === 'string' ? found : found['n1'];
}

function rejection(seed: (made: VolumeWorld) => void, volumes: core.Volume[] = claimed('c')): unknown {
  const made = new VolumeWorld([(handle) => new VolumeZone(handle)]);
  made.seed(testNode('n1', { zone: 'a' }));
  seed(made);
  return made.judge(testPod('p', { spec: { volumes } }));
}

test('each label of the volume must hold the node’s value', (t) => {
  t.is(verdict({ [ZONE]: 'a' }, { [ZONE]: 'a' }), 'fits');
  t.is(verdict({ [ZONE]: 'a' }, { [ZONE]: 'b' }), NO_ZONE);
  t.is(verdict({ [ZONE]: 'a', [REGION]: 'r' }, { [ZONE]: 'a', [REGION]: 's' }), NO_ZONE);
  t.is(verdict({ [ZONE]: 'a', [REGION]: 'r' }, { [ZONE]: 'a' }), NO_ZONE);
});

test('a label may be a set; one with an empty part is passed over', (t) => {
  t.is(verdict({ [ZONE]: 'a__b' }, { [ZONE]: 'b' }), 'fits');
  t.is(verdict({ [ZONE]: 'a__b' }, { [ZONE]: 'c' }), NO_ZONE);
  t.is(verdict({ [ZONE]: 'a__ b ' }, { [ZONE]: 'b' }), 'fits');
  t.is(verdict({ [ZONE]: 'a____b' }, { [ZONE]: 'c' }), 'fits');
});

test('nodes without any of the four labels take every volume', (t) => {
  t.is(verdict({ [ZONE]: 'a' }, {}), 'fits');
  t.is(verdict({ [ZONE]: 'a' }, { [REGION]: 'r' }), NO_ZONE);
});

test('an old label of the volume is met by the new one of the node, not the other way round', (t) => {
  t.is(verdict({ [BETA_ZONE]: 'a' }, { [ZONE]: 'a' }), 'fits');
  t.is(verdict({ [BETA_ZONE]: 'a' }, { [ZONE]: 'b' }), NO_ZONE);
  t.is(verdict({ [BETA_ZONE]: 'a' }, { [BETA_ZONE]: 'b', [ZONE]: 'a' }), NO_ZONE);
  t.is(verdict({ [BETA_REGION]: 'r' }, { [REGION]: 'r' }), 'fits');
  t.is(verdict({ [ZONE]: 'a' }, { [BETA_ZONE]: 'a' }), NO_ZONE);
});

test('claims without a volume are passed over when their class waits, and refused otherwise', (t) => {
  const refused = 'UnschedulableAndUnresolvable VolumeZone: ';
  t.deepEqual(
    rejection((made) => made.seed(claim('c'), storageClass())),
    { n1: 'fits' },
  );
  t.is(
    rejection((made) => made.seed(claim('c'), storageClass('wait', { volumeBindingMode: 'Immediate' }))),
    `${refused}PersistentVolume had no name`,
  );
  t.is(
    rejection((made) => {
      const { volumeBindingMode: _mode, ...modeless } = storageClass();
      made.seed(claim('c'), modeless);
    }),
    `${refused}VolumeBindingMode not set for StorageClass "wait"`,
  );
  t.is(
    rejection((made) => made.seed(claim('c', { storageClassName: '' }))),
    `${refused}PersistentVolumeClaim had no pv name and storageClass name`,
  );
  t.is(
    rejection((made) => made.seed(claim('c'))),
    `${refused}storageclass.storage.k8s.io "wait" not found`,
  );
  t.is(
    rejection(() => undefined),
    `${refused}persistentvolumeclaim "c" not found`,
  );
  t.is(
    rejection((made) => made.seed(boundClaim('c', 'pv'))),
    `${refused}persistentvolume "pv" not found`,
  );
  t.is(
    rejection(() => undefined, claimed('')),
    `${refused}PersistentVolumeClaim had no name`,
  );
});

test('a volume counts from the moment it is named; claims made for the pod never count', (t) => {
  t.deepEqual(
    rejection((made) => made.seed(claim('c', { volumeName: 'pv' }), volume('pv', {}, { labels: { [ZONE]: 'b' } }))),
    { n1: NO_ZONE },
  );
  t.deepEqual(
    rejection(() => undefined, [ephemeral('e')]),
    { n1: 'fits' },
  );
});

test('several volumes must all be reached', (t) => {
  t.deepEqual(
    rejection(
      (made) => {
        made.seed(boundClaim('c', 'x'), boundClaim('d', 'y'));
        made.seed(volume('x', {}, { labels: { [ZONE]: 'a' } }), volume('y', {}, { labels: { [ZONE]: 'b' } }));
      },
      claimed('c', 'd'),
    ),
    { n1: NO_ZONE },
  );
});
