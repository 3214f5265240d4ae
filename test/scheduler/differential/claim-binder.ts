import { keyOf, type KubeObject } from '../../../src/api/objects/objects.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../src/api/objects/storage-objects.js';
import { BIND_COMPLETED } from '../../../src/api/volumes/volume-rules.js';
import type { EngineClock } from '../../../src/kernel/engine/clock.js';
import type { ClusterObjects } from './cluster-objects.js';
import { objectOf } from './operations.js';
import { plainWrite, type Attempt, type Side } from './side.js';

/** A plugin looks once a second whether its claims are bound. */
const BIND_MS = 2000;

/** What PreBind wrote, and how it ended. */
export interface BindingOutcome {
  readonly writes: readonly unknown[];
  readonly end: unknown;
}

/** Binds volumes as an API server and a volume binder do, at once. */
export class ClaimBinder {
  readonly #objects: ClusterObjects;
  readonly #clock: EngineClock;

  constructor(objects: ClusterObjects, clock: EngineClock) {
    this.#objects = objects;
    this.#clock = clock;
  }

  /** Runs PreBind. @param isStored - whether its writes count, or were those of the other side */
  async bind(side: Side, { placement }: Attempt, isStored: boolean): Promise<BindingOutcome> {
    const writes: unknown[] = [];
    let end: unknown = 'waits';
    side.onWrite = (kind, object, answer) => {
      writes.push(plainWrite(kind, object));
      answer(undefined, isStored ? this.#store(object) : this.#objects.find(kind, keyOf(object)));
    };
    placement.preBind((status) => {
      end = status;
    });
    await this.#clock.run({ untilMs: this.#clock.now() + BIND_MS });
    return { writes, end };
  }

  #store(object: KubeObject): KubeObject {
    const stored = this.#objects.put(object);
    if (object.kind === 'PersistentVolume') {
      const { claimRef } = (object as PersistentVolume).spec;
      this.#complete(`${claimRef?.namespace ?? ''}/${claimRef?.name ?? ''}`, object.metadata.name);
    } else this.#complete(keyOf(object), `made-for-${object.metadata.name}`);
    return stored;
  }

  /** Gives a claim its volume, which is made if it is not there. */
  #complete(key: string, volumeName: string): void {
    const claim = this.#objects.find('PersistentVolumeClaim', key) as PersistentVolumeClaim | undefined;
    if (claim === undefined) return;
    const { name, namespace, uid, annotations } = claim.metadata;
    this.#objects.put({
      ...claim,
      metadata: { ...claim.metadata, annotations: { ...annotations, [BIND_COMPLETED]: 'yes' } },
      spec: { ...claim.spec, volumeName },
    });
    if (this.#objects.find('PersistentVolume', volumeName) !== undefined) return;
    const csi = { driver: 'csi.example.com', volumeHandle: volumeName };
    this.#objects.put(
      objectOf('v1', 'PersistentVolume', volumeName, { spec: { csi, claimRef: { name, namespace, uid } } }),
    );
  }
}
