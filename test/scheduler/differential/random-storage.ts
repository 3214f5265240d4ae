/** Random volumes and claims, services and owners, namespaces and budgets: what only plugins look at. */
import type { KubeObject } from '../../../src/api/objects/objects.js';
import { BIND_COMPLETED } from '../../../src/api/volumes/volume-rules.js';
import { present, type Dice } from './dice.js';
import { objectOf, type Operation } from './operations.js';
import { ZONE } from './random-nodes.js';
import { APPS, NAMESPACES } from './random-pods.js';

const CLAIMS = 8;
const CLASSES = ['local', 'dynamic', 'now'] as const;

function put(object: KubeObject): Operation {
  return { do: 'put', object };
}

function storageClass(name: string, provisioner: string, volumeBindingMode: string): Operation {
  return put(objectOf('storage.k8s.io/v1', 'StorageClass', name, { provisioner, volumeBindingMode }));
}

/** Classes, volumes, some of them bound, and claims in every namespace. */
export function randomStorage(dice: Dice, nodeNames: readonly string[]): Operation[] {
  return [
    storageClass('local', 'kubernetes.io/no-provisioner', 'WaitForFirstConsumer'),
    storageClass('dynamic', 'csi.example.com', 'WaitForFirstConsumer'),
    storageClass('now', 'csi.example.com', 'Immediate'),
    ...dice.several(4, 10, () => dice.int(0, 99)).map((number) => put(randomVolumeObject(dice, `pv-${number}`))),
    ...NAMESPACES.flatMap((namespace) =>
      Array.from({ length: CLAIMS }, (_, index) => index)
        .filter(() => dice.chance(80))
        .flatMap((index) => randomClaim(dice, `claim-${index}`, namespace).map(put)),
    ),
    ...nodeNames.filter(() => dice.chance(40)).map((name) => put(randomCsiNode(dice, name))),
  ];
}

function randomVolumeObject(dice: Dice, name: string): KubeObject {
  const values = dice.several(1, 2, () => dice.pick(['z1', 'z2', 'z3']));
  const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values }] }] };
  return objectOf('v1', 'PersistentVolume', name, {
    ...present({ labels: dice.maybe(30, () => ({ [ZONE]: dice.pick(['z1', 'z2']) })) }),
    spec: present({
      capacity: { storage: dice.pick(['5Gi', '10Gi', '20Gi']) },
      accessModes: dice.pick([['ReadWriteOnce'], ['ReadWriteOnce', 'ReadOnlyMany']]),
      storageClassName: dice.pick(['local', 'local', 'dynamic']),
      csi: { driver: 'csi.example.com', volumeHandle: name },
      nodeAffinity: dice.maybe(60, () => ({ required })),
    }),
    status: { phase: 'Available' },
  });
}

/** A claim, with its volume where it is bound. */
function randomClaim(dice: Dice, name: string, namespace: string): KubeObject[] {
  const volumeName = dice.maybe(35, () => `bound-${namespace}-${name}`);
  const accessModes = dice.pick([['ReadWriteOnce'], ['ReadWriteOnce'], ['ReadOnlyMany'], ['ReadWriteOncePod']]);
  const claim = objectOf(
    'v1',
    'PersistentVolumeClaim',
    name,
    {
      spec: present({
        accessModes,
        resources: { requests: { storage: dice.pick(['1Gi', '8Gi']) } },
        storageClassName: dice.pick(CLASSES),
        volumeName,
      }),
      status: { phase: volumeName === undefined ? 'Pending' : 'Bound' },
    },
    namespace,
  );
  if (volumeName === undefined) return [claim];
  const volume = randomVolumeObject(dice, volumeName) as KubeObject & { readonly spec: object };
  const annotations = { [BIND_COMPLETED]: 'yes' };
  return [
    { ...volume, spec: { ...volume.spec, claimRef: { name, namespace, uid: claim.metadata.uid } } } as KubeObject,
    { ...claim, metadata: { ...claim.metadata, annotations } },
  ];
}

function randomCsiNode(dice: Dice, name: string): KubeObject {
  const drivers = [{ name: 'csi.example.com', nodeID: name, allocatable: { count: dice.int(1, 3) } }];
  return objectOf('storage.k8s.io/v1', 'CSINode', name, { spec: { drivers } });
}

/** A namespace with other labels than before, or without any. */
export function randomNamespace(dice: Dice): Operation {
  const name = dice.pick(NAMESPACES);
  const labels = dice.pick([{ team: 'a' }, { team: 'b' }, {}, undefined]);
  return put(objectOf('v1', 'Namespace', name, present({ labels })));
}

/** A service or an owner comes, changes or goes. */
export function randomOwner(dice: Dice): Operation {
  const name = dice.pick(APPS);
  const namespace = dice.pick(NAMESPACES);
  const [apiVersion, kind] = dice.pick([
    ['v1', 'Service'],
    ['apps/v1', 'ReplicaSet'],
  ] as const);
  if (dice.chance(30)) return { do: 'drop', kind, key: `${namespace}/${name}` };
  const labels = { app: dice.pick(APPS) };
  const spec = { selector: kind === 'Service' ? labels : { matchLabels: labels } };
  return put(objectOf(apiVersion, kind, name, { spec }, namespace));
}

/** A disruption budget comes, changes or goes. */
export function randomBudget(dice: Dice): Operation {
  const name = dice.pick(['one', 'two', 'three']);
  const namespace = dice.pick(NAMESPACES);
  if (dice.chance(25)) return { do: 'drop', kind: 'PodDisruptionBudget', key: `${namespace}/${name}` };
  const selector = dice.chance(10) ? {} : { matchLabels: { app: dice.pick(APPS) } };
  const status = { disruptionsAllowed: dice.int(0, 3) };
  return put(objectOf('policy/v1', 'PodDisruptionBudget', name, { spec: { selector }, status }, namespace));
}

/** A volume comes, or a claim comes or goes. */
export function randomStorageChange(dice: Dice): Operation {
  const name = `claim-${dice.int(0, CLAIMS - 1)}`;
  const namespace = dice.pick(NAMESPACES);
  switch (dice.weighted({ volume: 2, claim: 2, drop: 1 })) {
    case 'volume':
      return put(randomVolumeObject(dice, `pv-${dice.int(0, 99)}`));
    case 'claim':
      return put(randomClaim(dice, name, namespace).at(-1) as KubeObject);
    case 'drop':
      return { do: 'drop', kind: 'PersistentVolumeClaim', key: `${namespace}/${name}` };
  }
}
