import test from 'ava';
import type { core, LabelSelector, Pod } from '../../../../src/api/objects/objects.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../src/api/objects/storage-objects.js';
import { VolumeBinding } from '../../../../src/scheduler/plugins/volumes/volume-binding/volume-binding.js';
import { testNode, testPod } from '../../support/objects.js';
import {
  boundClaim,
  claim,
  claimed,
  csiCapacity,
  csiDriver,
  csiNode,
  ephemeral,
  onlyIn,
  storageClass,
  volume,
} from './storage-objects.js';
import { VolumeWorld } from './volume-world.js';

const HOST = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const PREFIX = 'UnschedulableAndUnresolvable VolumeBinding: ';
const WRONG_NODE = "node(s) didn't match PersistentVolume's node affinity";
const NOTHING = "node(s) didn't find available persistent volumes to bind";
const NO_SPACE = 'node(s) did not have enough free storage';
const GONE = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';
const LOCAL = storageClass('wait', { provisioner: 'kubernetes.io/no-provisioner' });
const SELECTED = 'volume.kubernetes.io/selected-node';

function inPhase<T extends PersistentVolume | PersistentVolumeClaim>(object: T, phase: string): T {
  return { ...object, status: { phase } };
}

function term(...values: string[]): core.TopologySelectorTerm {
  return { matchLabelExpressions: [{ key: ZONE, values }] };
}

function inZone(zone: string): LabelSelector {
  return { matchLabels: { [ZONE]: zone } };
}

function world(): VolumeWorld {
  const made = new VolumeWorld([(handle) => new VolumeBinding(handle)]);
  made.seed(testNode('n1', { zone: 'a' }), testNode('n2', { zone: 'b' }));
  return made;
}

function podWith(volumes: core.Volume[]): Pod {
  return testPod('p', { spec: { volumes } });
}

function verdicts(made: VolumeWorld, ...names: readonly string[]): unknown {
  return made.judge(podWith(claimed(...names)));
}

/** What the node would bind, as `claim=volume`, and which claims it would provision. */
function plannedOn(made: VolumeWorld, nodeName: string, ...names: readonly string[]): string[] {
  made.writes.length = 0;
  const attempt = made.reserve(podWith(claimed(...names)), nodeName);
  made.framework.runPreBind(attempt.state, attempt.pod, nodeName, () => undefined);
  const writes = [...made.writes];
  return writes.map((write) => {
    const [kind = '', key = ''] = write.split(' ');
    if (kind !== 'PersistentVolume') return key;
    return `${made.find(kind, key)?.spec.claimRef?.name ?? ''}=${key}`;
  });
}

test('claims must exist, be alive and belong to the pod', (t) => {
  const made = world();
  t.is(verdicts(made, 'x'), `${PREFIX}persistentvolumeclaim "x" not found`);
  t.is(
    made.judge(podWith([ephemeral('e')])),
    `${PREFIX}waiting for ephemeral volume controller to create the persistentvolumeclaim "p-e"`,
  );
  made.seed(claim('p-e'));
  t.is(
    made.judge(podWith([ephemeral('e')])),
    `${PREFIX}PVC default/p-e was not created for pod default/p (pod is not owner)`,
  );
  made.seed(inPhase(boundClaim('lost', 'pv'), 'Lost'));
  t.is(verdicts(made, 'lost'), `${PREFIX}persistentvolumeclaim "lost" bound to non-existent persistentvolume "pv"`);
  made.seed(claim('dying', {}, { deletionTimestamp: '2030-01-01T00:00:00Z' }));
  t.is(verdicts(made, 'dying'), `${PREFIX}persistentvolumeclaim "dying" is being deleted`);
});

test('claims that bind at once must be bound, after all claims are known to be there', (t) => {
  const made = world();
  const immediate = `${PREFIX}pod has unbound immediate PersistentVolumeClaims`;
  made.seed(claim('none', { storageClassName: '' }), claim('unknown', { storageClassName: 'unknown' }));
  t.is(verdicts(made, 'none'), immediate);
  t.is(verdicts(made, 'unknown'), immediate);
  t.is(verdicts(made, 'none', 'x'), `${PREFIX}persistentvolumeclaim "x" not found`);
  made.seed(LOCAL, claim('named', { volumeName: 'pv' }));
  t.is(verdicts(made, 'named'), immediate);
});

test('a class that does not say when it binds is a fault', (t) => {
  const made = world();
  const { volumeBindingMode: _mode, ...modeless } = LOCAL;
  made.seed(modeless, claim('c'));
  t.is(
    verdicts(made, 'c'),
    'Error VolumeBinding: running PreFilter plugin "VolumeBinding": VolumeBindingMode not set for StorageClass "wait"',
  );
});

test('pods without claims are not looked at', (t) => {
  const made = world();
  for (const volumes of [undefined, [], [{ name: 'v', emptyDir: {} }]]) {
    const attempt = made.begin(testPod('p', { spec: volumes === undefined ? {} : { volumes } }));
    t.true(attempt.state.skippedFilters.has('VolumeBinding'));
    made.framework.runPreBind(attempt.state, attempt.pod, 'n1', (status) => t.is(status, undefined));
  }
});

test('a bound claim counts as bound whatever its phase, and its volume must be in reach', (t) => {
  const made = world();
  made.seed(boundClaim('c', 'pv', {}), volume('pv', { nodeAffinity: onlyIn(HOST, 'n2') }));
  t.deepEqual(verdicts(made, 'c'), { n1: PREFIX + WRONG_NODE, n2: 'fits' });
  made.seed(inPhase(boundClaim('c', 'pv'), 'Pending'));
  t.deepEqual(verdicts(made, 'c'), { n1: PREFIX + WRONG_NODE, n2: 'fits' });
});

test('affinity of volumes is to labels, never to names', (t) => {
  const made = world();
  const byName = {
    required: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }] },
  };
  made.seed(boundClaim('c', 'pv'), volume('pv', { nodeAffinity: byName }));
  t.deepEqual(verdicts(made, 'c'), { n1: PREFIX + WRONG_NODE, n2: PREFIX + WRONG_NODE });
});

test('the first bound claim that has a problem decides', (t) => {
  const made = world();
  made.seed(boundClaim('far', 'pv'), volume('pv', { nodeAffinity: onlyIn(HOST, 'n2') }), boundClaim('lost', 'gone'));
  t.deepEqual(verdicts(made, 'far', 'lost'), { n1: PREFIX + WRONG_NODE, n2: PREFIX + GONE });
  t.deepEqual(verdicts(made, 'lost', 'far'), { n1: PREFIX + GONE, n2: PREFIX + GONE });
});

test('reasons come in upstream’s order', (t) => {
  const made = world();
  const claimRef = { namespace: 'default', name: 'far' };
  made.seed(LOCAL, claim('c'), boundClaim('far', 'pv'), boundClaim('lost', 'gone'));
  made.seed(volume('pv', { claimRef, nodeAffinity: onlyIn(HOST, 'n2') }));
  t.deepEqual(verdicts(made, 'c', 'far'), { n1: `${PREFIX}${WRONG_NODE}, ${NOTHING}`, n2: PREFIX + NOTHING });
  t.deepEqual(verdicts(made, 'lost', 'c'), { n1: `${PREFIX}${NOTHING}, ${GONE}`, n2: `${PREFIX}${NOTHING}, ${GONE}` });
});

test('a waiting claim is matched with the smallest available volume in reach', (t) => {
  const made = world();
  made.seed(LOCAL, claim('c'));
  made.seed(
    volume('large', { capacity: { storage: '20Gi' }, nodeAffinity: onlyIn(HOST, 'n1') }),
    volume('medium', { capacity: { storage: '8Gi' }, nodeAffinity: onlyIn(HOST, 'n1') }),
    volume('small', { capacity: { storage: '5Gi' }, nodeAffinity: onlyIn(HOST, 'n2') }),
    volume('tiny', { capacity: { storage: '4Gi' }, nodeAffinity: onlyIn(HOST, 'n1') }),
  );
  t.deepEqual(verdicts(made, 'c'), { n1: 'fits', n2: 'fits' });
  t.deepEqual(plannedOn(made, 'n1', 'c'), ['c=medium']);
});

for (const [what, misfit] of [
  ['of another class', volume('pv', { storageClassName: 'other' })],
  ['too small', volume('pv', { capacity: { storage: '4Gi' } })],
  ['of another mode', volume('pv', { volumeMode: 'Block' })],
  ['without the access mode', volume('pv', { accessModes: ['ReadOnlyMany', 'ReadWriteMany'] })],
  ['of another attributes class', volume('pv', { volumeAttributesClassName: 'gold' })],
  ['that is being deleted', volume('pv', {}, { deletionTimestamp: '2030-01-01T00:00:00Z' })],
  ['of another claim', volume('pv', { claimRef: { namespace: 'default', name: 'd' } })],
  ['of a namesake claim', volume('pv', { claimRef: { namespace: 'other', name: 'c' } })],
  ['of the claim’s predecessor', volume('pv', { claimRef: { namespace: 'default', name: 'c', uid: 'old' } })],
  ['that is not available yet', inPhase(volume('pv'), 'Pending')],
] as const) {
  test(`a volume ${what} does not match`, (t) => {
    const made = world();
    made.seed(LOCAL, claim('c'), misfit);
    t.deepEqual(verdicts(made, 'c'), { n1: PREFIX + NOTHING, n2: PREFIX + NOTHING });
  });
}

test('a selector chooses among volumes; every access mode must be there', (t) => {
  const made = world();
  made.seed(
    LOCAL,
    claim('c', { selector: { matchLabels: { disk: 'ssd' } }, accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] }),
  );
  made.seed(volume('plain', { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] }));
  made.seed(volume('once', {}, { labels: { disk: 'ssd' } }));
  t.deepEqual(verdicts(made, 'c'), { n1: PREFIX + NOTHING, n2: PREFIX + NOTHING });
  made.seed(
    volume('both', { accessModes: ['ReadOnlyMany', 'ReadWriteOnce', 'ReadWriteMany'] }, { labels: { disk: 'ssd' } }),
  );
  t.deepEqual(plannedOn(made, 'n1', 'c'), ['c=both']);
});

test('a volume set aside for the claim is taken, whatever its size and phase, or nothing is', (t) => {
  const made = world();
  made.seed(LOCAL, claim('c'), volume('free', { capacity: { storage: '5Gi' } }));
  const claimRef = { namespace: 'default', name: 'c' };
  const aside = volume('aside', { capacity: { storage: '50Gi' }, claimRef, nodeAffinity: onlyIn(HOST, 'n2') });
  made.seed(inPhase(aside, 'Pending'));
  t.deepEqual(verdicts(made, 'c'), { n1: PREFIX + NOTHING, n2: 'fits' });
  t.deepEqual(plannedOn(made, 'n2', 'c'), ['c=aside']);
  t.is(made.find('PersistentVolume', 'aside')?.metadata.annotations, undefined);
});

test('small claims choose first, whatever their order in the pod, and never the same volume', (t) => {
  const made = world();
  made.seed(LOCAL, claim('big', { resources: { requests: { storage: '8Gi' } } }), claim('small'));
  made.seed(volume('eight', { capacity: { storage: '8Gi' } }), volume('nine', { capacity: { storage: '9Gi' } }));
  // Were the big claim first, it would take eight and leave nine.
  t.deepEqual(plannedOn(made, 'n1', 'big', 'small'), ['small=eight', 'big=nine']);
});

test('two claims need two volumes', (t) => {
  const made = world();
  made.seed(LOCAL, claim('c'), claim('d'), volume('one'));
  t.deepEqual(verdicts(made, 'c', 'd'), { n1: PREFIX + NOTHING, n2: PREFIX + NOTHING });
  made.seed(volume('two'));
  t.deepEqual(verdicts(made, 'c', 'd'), { n1: 'fits', n2: 'fits' });
});

test('claims without a matching volume are provisioned where the class allows it', (t) => {
  const made = world();
  made.seed(storageClass(), claim('c'));
  t.deepEqual(verdicts(made, 'c'), { n1: 'fits', n2: 'fits' });
  t.deepEqual(plannedOn(made, 'n1', 'c'), ['default/c']);
  for (const [allowedTopologies, onN1, onN2] of [
    [[], 'fits', 'fits'],
    [[term('b')], PREFIX + NOTHING, 'fits'],
    [[term('b', 'a')], 'fits', 'fits'],
    [[term('c'), term('a')], 'fits', PREFIX + NOTHING],
    [[{}], PREFIX + NOTHING, PREFIX + NOTHING],
  ] as const) {
    const fresh = world();
    fresh.seed(storageClass('wait', { allowedTopologies: [...allowedTopologies] }), claim('c'));
    t.deepEqual(verdicts(fresh, 'c'), { n1: onN1, n2: onN2 });
  }
});

test('a claim with a selected node belongs there and is provisioned, even if a volume matches', (t) => {
  const made = world();
  made.seed(storageClass(), claim('c', {}, { annotations: { [SELECTED]: 'n1' } }), volume('pv'));
  t.deepEqual(verdicts(made, 'c'), { n1: 'fits', n2: PREFIX + NOTHING });
  t.deepEqual(plannedOn(made, 'n1', 'c'), ['default/c']);
});

test('a driver that tells its capacity must have enough in reach of the node', (t) => {
  const made = world();
  made.seed(storageClass(), claim('c'), csiDriver('csi.example.com', true));
  t.deepEqual(verdicts(made, 'c'), { n1: PREFIX + NO_SPACE, n2: PREFIX + NO_SPACE });
  made.seed(csiCapacity('a', { capacity: '5Gi', nodeTopology: inZone('a') }));
  made.seed(csiCapacity('b', { capacity: '100Gi', maximumVolumeSize: '4Gi', nodeTopology: inZone('b') }));
  t.deepEqual(verdicts(made, 'c'), { n1: 'fits', n2: PREFIX + NO_SPACE });
  made.seed(csiCapacity('nowhere', { capacity: '100Gi' }));
  made.seed(csiCapacity('other-class', { capacity: '100Gi', storageClassName: 'x', nodeTopology: {} }));
  made.seed(csiCapacity('unknown', { nodeTopology: {} }));
  t.deepEqual(verdicts(made, 'c'), { n1: 'fits', n2: PREFIX + NO_SPACE });
  made.seed(csiCapacity('everywhere', { capacity: '5Gi', nodeTopology: {} }));
  t.deepEqual(verdicts(made, 'c'), { n1: 'fits', n2: 'fits' });
});

test('a driver that does not tell its capacity is not asked, nor is the size of a matched volume', (t) => {
  for (const driver of [csiDriver('csi.example.com'), csiDriver('csi.example.com', false)]) {
    const made = world();
    made.seed(storageClass(), claim('c'), driver);
    t.deepEqual(verdicts(made, 'c'), { n1: 'fits', n2: 'fits' });
  }
  const made = world();
  made.seed(storageClass(), claim('c'), csiDriver('csi.example.com', true), volume('pv'));
  t.deepEqual(verdicts(made, 'c'), { n1: 'fits', n2: 'fits' });
});

test('the first claim that cannot be provisioned gives the reason', (t) => {
  const made = world();
  made.seed(storageClass(), csiDriver('csi.example.com', true), claim('c'));
  made.seed(
    storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' }),
    claim('l', { storageClassName: 'local' }),
  );
  t.deepEqual(verdicts(made, 'c', 'l'), { n1: PREFIX + NO_SPACE, n2: PREFIX + NO_SPACE });
  t.deepEqual(verdicts(made, 'l', 'c'), { n1: PREFIX + NOTHING, n2: PREFIX + NOTHING });
});

test('zones of volumes whose driver moved out go by the driver’s label', (t) => {
  const made = new VolumeWorld([(handle) => new VolumeBinding(handle)]);
  made.seed(testNode('n1', { zone: 'a', labels: { 'topology.ebs.csi.aws.com/zone': 'b' } }), boundClaim('c', 'pv'));
  const { spec, ...rest } = volume('pv', {
    awsElasticBlockStore: { volumeID: 'vol-1' },
    nodeAffinity: onlyIn(ZONE, 'b'),
  });
  const { csi: _csi, ...inTree } = spec;
  const old: PersistentVolume = { ...rest, spec: inTree };
  made.seed(old);
  t.deepEqual(verdicts(made, 'c'), { n1: PREFIX + WRONG_NODE });
  made.seed(csiNode('n1', {}, { 'storage.alpha.kubernetes.io/migrated-plugins': 'kubernetes.io/aws-ebs' }));
  t.deepEqual(verdicts(made, 'c'), { n1: 'fits' });
  const { nodeAffinity: _affinity, ...anywhere } = inTree;
  const labelled: PersistentVolume = { ...volume('pv', {}, { labels: { [ZONE]: 'a__c' } }), spec: anywhere };
  made.seed(labelled);
  t.deepEqual(verdicts(made, 'c'), { n1: PREFIX + WRONG_NODE });
});
