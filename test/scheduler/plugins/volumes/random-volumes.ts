/** Random changes of everything that volume plugins look at, over few names, so that they meet. */
import type { core, OwnerReference, Pod } from '../../../../src/api/objects/objects.js';
import { Dice } from '../../differential/dice.js';
import { testNode, testPod } from '../../support/objects.js';
import { attachment, boundClaim, claim, csiNode, onlyIn, storageClass, volume } from './storage-objects.js';
import type { VolumeWorld } from './volume-world.js';

const NODES = Array.from({ length: 8 }, (_, index) => `n${index}`);
const NAMES = Array.from({ length: 12 }, (_, index) => `${index}`);
const ZONES = ['a', 'b', 'c'];
const DRIVERS = ['csi.example.com', 'ebs.csi.aws.com', 'pd.csi.storage.gke.io'];
const CLASSES = ['wait', 'old', 'none'];
const MIGRATIONS = ['', 'kubernetes.io/aws-ebs', 'kubernetes.io/aws-ebs,kubernetes.io/gce-pd'];

/** See the file header. */
export class RandomVolumes {
  readonly #dice: Dice;
  readonly #world: VolumeWorld;
  readonly #placed = new Map<string, Pod>();
  /** In some clusters nodes are never full. */
  readonly #leastLimit: number;
  #pods = 0;

  constructor(seed: string, world: VolumeWorld) {
    this.#dice = new Dice(seed);
    this.#world = world;
    this.#leastLimit = this.#dice.pick([0, 20]);
    for (const name of NODES) world.seed(testNode(name, { zone: this.#dice.pick(ZONES) }));
    for (let each = 0; each < 60; each += 1) this.#changeStorage();
  }

  /** One thing or another becomes different. */
  change(): void {
    switch (this.#dice.weighted({ storage: 6, place: 3, remove: 3, node: 1 })) {
      case 'storage':
        return this.#changeStorage();
      case 'place':
        return this.#place();
      case 'remove':
        return this.#remove();
      case 'node':
        return this.#changeNode();
    }
  }

  /** A pod that waits; some of its claims may not be there. */
  pod(): Pod {
    const dice = this.#dice;
    this.#pods += 1;
    const name = `p${this.#pods}`;
    const volumes = dice.several(1, 3, () => this.#source()).map((source, index) => ({ name: `v${index}`, ...source }));
    for (const each of volumes) if (each.ephemeral !== undefined) this.#makeFor(name, each.name);
    return testPod(name, { spec: { volumes } });
  }

  #source(): Omit<core.Volume, 'name'> {
    const dice = this.#dice;
    const claimName = dice.pick(NAMES);
    switch (dice.weighted({ claim: 12, ebs: 2, pd: 1, ephemeral: 1, other: 1 })) {
      case 'claim':
        return { persistentVolumeClaim: { claimName } };
      case 'ebs':
        return { awsElasticBlockStore: { volumeID: `vol-${dice.int(0, 2)}` } };
      case 'pd':
        return { gcePersistentDisk: { pdName: `disk-${dice.int(0, 2)}`, readOnly: dice.chance(50) } };
      case 'ephemeral':
        return { ephemeral: { volumeClaimTemplate: { spec: {} } } };
      case 'other':
        return { emptyDir: {} };
    }
  }

  /** The claim of an ephemeral volume; once in a while it has another owner. */
  #makeFor(podName: string, volumeName: string): void {
    const uid = this.#dice.chance(90) ? `default/${podName}` : 'other';
    const owner: OwnerReference = { apiVersion: 'v1', kind: 'Pod', name: podName, uid, controller: true };
    this.#world.put(claim(`${podName}-${volumeName}`, {}, { ownerReferences: [owner] }));
  }

  #place(): void {
    const pod = this.pod();
    const placed: Pod = { ...pod, spec: { ...pod.spec, nodeName: this.#dice.pick(NODES) } };
    this.#placed.set(pod.metadata.name, placed);
    this.#world.put(placed);
  }

  #remove(): void {
    const name = this.#dice.pickAny([...this.#placed.keys()]);
    if (name === undefined) return;
    this.#world.cache.removePod(this.#placed.get(name) as Pod);
    this.#world.remove('Pod', `default/${name}`);
    this.#placed.delete(name);
  }

  #changeNode(): void {
    const name = this.#dice.pick(NODES);
    if (this.#dice.chance(30)) {
      this.#world.cache.removeNode(name);
      return;
    }
    const zone = this.#dice.maybe(80, () => this.#dice.pick(ZONES));
    this.#world.put(testNode(name, zone === undefined ? {} : { zone }));
  }

  #changeStorage(): void {
    const dice = this.#dice;
    const world = this.#world;
    const name = dice.pick(NAMES);
    switch (dice.weighted({ csiNode: 3, attachment: 4, claim: 5, volume: 5, storageClass: 1 })) {
      case 'csiNode':
        return this.#changeCsiNode(dice.pick(NODES));
      case 'attachment':
        if (dice.chance(40)) world.remove('VolumeAttachment', name);
        else world.put(attachment(name, dice.pick(NODES), dice.pick(NAMES), dice.pick(DRIVERS)));
        return;
      case 'claim':
        if (dice.chance(10)) world.remove('PersistentVolumeClaim', `default/${name}`);
        else if (dice.chance(25)) world.put(claim(name, { storageClassName: dice.pick(CLASSES) }));
        else world.put(boundClaim(name, dice.pick(NAMES)));
        return;
      case 'volume':
        if (dice.chance(10)) world.remove('PersistentVolume', name);
        else this.#putVolume(name);
        return;
      case 'storageClass':
        return this.#changeClass();
    }
  }

  #changeClass(): void {
    const dice = this.#dice;
    const world = this.#world;
    const places = dice.chance(50) ? { allowedTopologies: [inZones(dice)] } : {};
    world.put(storageClass('wait', places));
    if (dice.chance(20)) world.remove('StorageClass', 'old');
    else world.put(storageClass('old', { provisioner: dice.pick(['kubernetes.io/aws-ebs', ...DRIVERS]), ...places }));
  }

  #changeCsiNode(name: string): void {
    const dice = this.#dice;
    if (dice.chance(10)) {
      this.#world.remove('CSINode', name);
      return;
    }
    const told = DRIVERS.filter(() => dice.chance(70));
    const limits = Object.fromEntries(
      told.map((driver) => [driver, dice.maybe(90, () => dice.int(this.#leastLimit, this.#leastLimit + 6))]),
    );
    const migrated = dice.pick(MIGRATIONS);
    const annotations = migrated === '' ? undefined : { 'storage.alpha.kubernetes.io/migrated-plugins': migrated };
    this.#world.put(csiNode(name, limits, annotations));
  }

  #putVolume(name: string): void {
    const dice = this.#dice;
    const zones = dice.several(1, 2, () => dice.pick(ZONES));
    const labels = dice.chance(30) ? { 'topology.kubernetes.io/zone': zones.join('__') } : {};
    const nodeAffinity = dice.chance(50) ? { nodeAffinity: onlyIn('topology.kubernetes.io/zone', ...zones) } : {};
    const csi = { driver: dice.pick(DRIVERS), volumeHandle: dice.chance(80) ? name : 'shared' };
    const { spec, ...rest } = volume(name, { csi, ...nodeAffinity }, { labels });
    if (dice.chance(80)) {
      this.#world.put({ ...rest, spec });
      return;
    }
    const { csi: _csi, ...inTree } = spec;
    this.#world.put({ ...rest, spec: { ...inTree, awsElasticBlockStore: { volumeID: `vol-${dice.int(0, 2)}` } } });
  }
}

function inZones(dice: Dice): core.TopologySelectorTerm {
  return {
    matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: dice.several(1, 2, () => dice.pick(ZONES)) }],
  };
}
