import test from 'ava';
import type { KubeObject } from '../../../../src/api/objects/objects.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../src/api/objects/storage-objects.js';
import { VolumeBinding } from '../../../../src/scheduler/plugins/volumes/volume-binding/volume-binding.js';
import { validateVolumeBindingArgs } from '../../../../src/scheduler/plugins/volumes/volume-binding/volume-binding-args.js';
import { testNode, testPod } from '../../support/objects.js';
import { boundClaim, claim, claimed, onlyIn, storageClass, volume } from './storage-objects.js';
import { verdictText, VolumeWorld, type Attempt } from './volume-world.js';

const PREFIX = 'UnschedulableAndUnresolvable VolumeBinding: ';
const NOTHING = "node(s) didn't find available persistent volumes to bind";
const FAILED = 'Error VolumeBinding: running PreBind plugin "VolumeBinding": ';
const SELECTED = 'volume.kubernetes.io/selected-node';
const COMPLETED = { 'pv.kubernetes.io/bind-completed': 'yes' };

function world(timeoutSeconds?: number): VolumeWorld {
  const args = timeoutSeconds === undefined ? undefined : { bindTimeoutSeconds: timeoutSeconds };
  const made = new VolumeWorld([(handle) => new VolumeBinding(handle, args)]);
  made.seed(testNode('n1'), testNode('n2'));
  made.seed(storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' }), storageClass());
  return made;
}

function localClaim(name: string): PersistentVolumeClaim {
  return claim(name, { storageClassName: 'local' });
}

function localVolume(name: string): PersistentVolume {
  return volume(name, { storageClassName: 'local' });
}

/** Begins PreBind; the verdicts that it ends with are collected. */
function preBind(made: VolumeWorld, attempt: Attempt, nodeName = 'n1'): string[] {
  const ends: string[] = [];
  made.framework.runPreBind(attempt.state, attempt.pod, nodeName, (status) => ends.push(verdictText(status)));
  return ends;
}

/** What the binder would do with a claim. */
function finish(made: VolumeWorld, name: string, volumeName: string): void {
  const present = made.find('PersistentVolumeClaim', `default/${name}`) as PersistentVolumeClaim;
  const annotations = { ...present.metadata.annotations, ...COMPLETED };
  const bound: PersistentVolumeClaim = {
    ...present,
    metadata: { ...present.metadata, annotations },
    spec: { ...present.spec, volumeName },
  };
  made.put(bound);
}

function pod(name: string, ...claims: readonly string[]): ReturnType<typeof testPod> {
  return testPod(name, { spec: { volumes: claimed(...claims) } });
}

test('a reserved volume goes to no other claim, and a second pod of the claim is tied to it', (t) => {
  const made = world();
  made.seed(
    localClaim('c'),
    localClaim('d'),
    volume('pv', { storageClassName: 'local', nodeAffinity: onlyIn('kubernetes.io/hostname', 'n1') }),
  );
  made.seed(localVolume('other'));
  t.deepEqual(made.judge(pod('p', 'c')), { n1: 'fits', n2: 'fits' });
  const attempt = made.reserve(pod('p', 'c'), 'n1');
  t.deepEqual(made.judge(pod('q', 'c')), { n1: 'fits', n2: PREFIX + NOTHING });
  t.deepEqual(made.judge(pod('r', 'c', 'd')), { n1: 'fits', n2: PREFIX + NOTHING });
  made.remove('PersistentVolume', 'other');
  t.deepEqual(made.judge(pod('r', 'd')), { n1: PREFIX + NOTHING, n2: PREFIX + NOTHING });
  made.framework.runUnreserve(attempt.state, attempt.pod, 'n1');
  t.deepEqual(made.judge(pod('r', 'd')), { n1: 'fits', n2: PREFIX + NOTHING });
  t.deepEqual(made.writes, []);
});

test('a claim reserved for a node is provisioned for no other', (t) => {
  const made = world();
  made.seed(claim('c'));
  const attempt = made.reserve(pod('p', 'c'), 'n1');
  t.deepEqual(made.judge(pod('q', 'c')), { n1: 'fits', n2: PREFIX + NOTHING });
  made.framework.runUnreserve(attempt.state, attempt.pod, 'n1');
  t.deepEqual(made.judge(pod('q', 'c')), { n1: 'fits', n2: 'fits' });
});

test('an assumption ends when the informer knows better', (t) => {
  const made = world();
  made.seed(localClaim('c'), localClaim('d'), localVolume('pv'));
  made.reserve(pod('p', 'c'), 'n1');
  t.deepEqual(made.judge(pod('q', 'd')), { n1: PREFIX + NOTHING, n2: PREFIX + NOTHING });
  made.put(localVolume('pv'));
  t.deepEqual(made.judge(pod('q', 'd')), { n1: 'fits', n2: 'fits' });
});

test('PreBind writes volumes, then claims, and ends when the binder is through, at a full second', async (t) => {
  const made = world();
  made.seed(localClaim('c'), claim('d'), localVolume('pv'));
  const ends = preBind(made, made.reserve(pod('p', 'c', 'd'), 'n1'));
  t.deepEqual(made.writes, ['PersistentVolume pv', 'PersistentVolumeClaim default/d']);
  const stored = made.find('PersistentVolume', 'pv');
  t.like(stored?.spec.claimRef, {
    kind: 'PersistentVolumeClaim',
    namespace: 'default',
    name: 'c',
    uid: 'PersistentVolumeClaim-c',
  });
  t.deepEqual(stored?.metadata.annotations, { 'pv.kubernetes.io/bound-by-controller': 'yes' });
  t.is(made.find('PersistentVolumeClaim', 'default/d')?.metadata.annotations?.[SELECTED], 'n1');
  await made.clock.run({ untilMs: 2500 });
  finish(made, 'c', 'pv');
  made.seed(volume('made'));
  finish(made, 'd', 'made');
  await made.clock.run({ untilMs: 2999 });
  t.deepEqual(ends, []);
  await made.clock.run({ untilMs: 3000 });
  t.deepEqual(ends, ['fits']);
});

test('nothing is written when all is bound', (t) => {
  const made = world();
  made.seed(boundClaim('c', 'pv'), volume('pv'));
  t.deepEqual(preBind(made, made.reserve(pod('p', 'c'), 'n1')), ['fits']);
  t.deepEqual(made.writes, []);
});

test('a refused write ends the binding, and the reservation is taken back', (t) => {
  const made = world();
  made.seed(localClaim('c'), localClaim('d'), localVolume('pv'));
  made.onWrite = () => new Error('the object has been modified');
  const attempt = made.reserve(pod('p', 'c'), 'n1');
  t.deepEqual(preBind(made, attempt), [`${FAILED}the object has been modified`]);
  made.framework.runUnreserve(attempt.state, attempt.pod, 'n1');
  t.deepEqual(made.judge(pod('q', 'd')), { n1: 'fits', n2: 'fits' });
});

test('the binder has ten minutes, or as long as the args say', async (t) => {
  for (const [timeoutSeconds, limitMs] of [
    [undefined, 600_000],
    [3, 3000],
    [0, 0],
  ] as const) {
    const made = world(timeoutSeconds);
    made.seed(claim('c'));
    const ends = preBind(made, made.reserve(pod('p', 'c'), 'n1'));
    if (limitMs > 0) await made.clock.run({ untilMs: limitMs - 1 });
    t.deepEqual(ends, []);
    await made.clock.run({ untilMs: limitMs });
    t.deepEqual(ends, [`${FAILED}binding volumes: context deadline exceeded`]);
  }
});

for (const [what, change, problem] of [
  ['its pod is gone', (made) => made.remove('Pod', 'default/p'), 'pod does not exist any more: pod "p" not found'],
  ['its node is gone', (made) => made.remove('Node', 'n1'), 'failed to get node "n1": node "n1" not found'],
  [
    'its volume is gone',
    (made) => made.remove('PersistentVolume', 'pv'),
    'failed to check binding: could not find v1.PersistentVolume "pv"',
  ],
  [
    'its claim is gone',
    (made) => made.remove('PersistentVolumeClaim', 'default/c'),
    'failed to check binding: could not find v1.PersistentVolumeClaim "default/c"',
  ],
  ['the volume was given back', (made) => made.put(localVolume('pv')), 'ClaimRef got reset for pv "pv"'],
  [
    'the volume is no longer in reach',
    (made) => made.put(volume('pv', { nodeAffinity: onlyIn('kubernetes.io/hostname', 'n2') })),
    'pv "pv" node affinity doesn\'t match node "n1": no matching NodeSelectorTerms',
  ],
] as readonly (readonly [string, (made: VolumeWorld) => unknown, string])[]) {
  test(`a binding fails when ${what}`, async (t) => {
    const made = world();
    made.seed(localClaim('c'), localVolume('pv'));
    const ends = preBind(made, made.reserve(pod('p', 'c'), 'n1'));
    change(made);
    await made.clock.run({ untilMs: 1000 });
    t.deepEqual(ends, [`${FAILED}binding volumes: ${problem}`]);
  });
}

for (const [what, annotations, problem] of [
  ['the provisioner gives up', { other: 'x' }, 'provisioning failed for PVC "c"'],
  ['every annotation is gone', undefined, 'selectedNode annotation reset for PVC "c"'],
] as const) {
  test(`provisioning fails when ${what}`, async (t) => {
    const made = world();
    made.seed(claim('c'));
    const ends = preBind(made, made.reserve(pod('p', 'c'), 'n1'));
    made.put(claim('c', {}, annotations === undefined ? {} : { annotations }));
    await made.clock.run({ untilMs: 1000 });
    t.deepEqual(ends, [`${FAILED}binding volumes: ${problem}`]);
  });
}

test('a volume that the informer does not show yet is waited for, one out of reach is not', async (t) => {
  const made = world();
  made.seed(claim('c'));
  const ends = preBind(made, made.reserve(pod('p', 'c'), 'n1'));
  finish(made, 'c', 'made');
  await made.clock.run({ untilMs: 1000 });
  t.deepEqual(ends, []);
  made.seed(volume('made', { nodeAffinity: onlyIn('kubernetes.io/hostname', 'n2') }));
  await made.clock.run({ untilMs: 2000 });
  t.deepEqual(ends, [
    `${FAILED}binding volumes: pv "made" node affinity doesn't match node "n1": no matching NodeSelectorTerms`,
  ]);
});

test('states older than what was written are waited out', async (t) => {
  const made = world();
  const old: KubeObject = claim('c');
  made.seed(old);
  const ends = preBind(made, made.reserve(pod('p', 'c'), 'n1'));
  made.seed(old);
  await made.clock.run({ untilMs: 5000 });
  t.deepEqual(ends, []);
});

function messages(args: object): string[] {
  return validateVolumeBindingArgs(args, 'args').map(({ field, detail }) => `${field}: ${detail}`);
}

test('VolumeBindingArgs › refuses a negative time and a shape', (t) => {
  t.deepEqual(messages({ bindTimeoutSeconds: 0 }), []);
  t.deepEqual(messages({ bindTimeoutSeconds: -1, shape: [] }), [
    'args.bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value',
    'args.shape: Invalid value: []: unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring',
  ]);
});
