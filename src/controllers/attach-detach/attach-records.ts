/**
 * The records of which node has a volume that one node alone may have, kept on the PersistentVolumes where the
 * cluster's options say so. A record is taken before anything is attached, and given up once it is certain that
 * nothing is: each step is a compare and swap, so that of several controllers, or of one with an old cache, one
 * alone is first. The shape follows the pod safety proposal; upstream has nothing of the kind.
 */
import { ApiError, isApiError } from '../../api/errors/api-error.js';
import { attachRecordOf, recordedPodOf, withAttachRecord, type AttachRecord } from '../../api/volumes/attach-record.js';
import type { AttachableVolume } from '../../api/volumes/attachable-volume.js';
import type { Node, Pod } from '../../api/objects/objects.js';
import type { PersistentVolume } from '../../api/objects/storage-objects.js';
import { isOutOfService } from '../../api/selectors/tolerations.js';
import { LinkDownError, type Lister } from '../../bus/bus-types.js';
import { StorageCache, writeStorage } from '../persistent-volume-binder/storage-access.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import type { AttachedPair } from './actual-state.js';
import { needsNoVolumes } from './volume-need.js';

/** Why a step was not taken; `undefined` = it was. */
type Refusal = string | undefined;

/** Whether a volume may be detached. */
export interface ReleaseVerdict {
  readonly refusal: Refusal;
  /** By which the record is given up later; `undefined` = there is none to give up. */
  readonly release: string | undefined;
}

/** What is to become of a record; `kept` = it stays as it is. */
type Swap = { readonly next: AttachRecord | undefined } | { readonly refusal: string } | 'kept';

/** As often as client-go's RetryOnConflict does. */
const MOST_ATTEMPTS = 5;
const NOTHING_HELD: ReleaseVerdict = { refusal: undefined, release: undefined };

/** See the file header. */
export class AttachRecords {
  readonly #context: ControllerContext;
  readonly #volumes: StorageCache<'PersistentVolume'>;

  constructor(context: ControllerContext, volumes: Lister<'PersistentVolume'>) {
    this.#context = context;
    this.#volumes = new StorageCache(volumes);
  }

  /** Whether the cluster keeps records at all. */
  get areKept(): boolean {
    return this.#context.settings.attachRecords;
  }

  /** Whether a record stands for the volume. */
  guard(volume: AttachableVolume | undefined): volume is AttachableVolume {
    return this.areKept && volume?.isExclusive === true;
  }

  /** The record of the volume, as this controller's cache shows it. */
  of(volume: AttachableVolume): AttachRecord | undefined {
    const stored = this.guard(volume) ? this.#volumes.get(volume.name) : undefined;
    return stored === undefined ? undefined : attachRecordOf(stored);
  }

  /** Whether what may be attached to the node is another one's by its record. */
  isForeign({ nodeName, volume }: Pick<AttachedPair, 'nodeName' | 'volume'>): boolean {
    const record = volume === undefined ? undefined : this.of(volume);
    return record !== undefined && record.nodeName !== nodeName;
  }

  /** Takes a volume for a node; refused if another one has it. */
  acquire({ name }: AttachableVolume, nodeName: string, pod: Pod): Promise<Refusal> {
    return this.#swap(name, (record) => {
      if (record === undefined) return { next: { nodeName, pod: recordedPodOf(pod), release: undefined } };
      if (record.nodeName === nodeName && record.release === undefined) return 'kept';
      const what = record.release === undefined ? 'attached to' : 'being detached from';
      return { refusal: `the volume is recorded as ${what} node "${record.nodeName}"` };
    });
  }

  /**
   * Records that a node is to lose a volume, which from then on must not be mounted there, and makes sure that it
   * is not in use: by the pod and the node as they are stored, not as they are cached.
   */
  async beginRelease(volume: AttachableVolume, nodeName: string): Promise<ReleaseVerdict> {
    const { api, kernel } = this.#context;
    try {
      const stored = await found(api.get('PersistentVolume', { name: volume.name }));
      const record = stored === undefined ? undefined : attachRecordOf(stored);
      if (stored === undefined || record?.nodeName !== nodeName) return NOTHING_HELD;
      this.#volumes.note(stored);
      const release = record.release ?? kernel.ids.uid();
      const isNeeded = await this.#isNeeded(record);
      const refusal = isNeeded ? undefined : await this.#swap(volume.name, mark(record, release));
      if (refusal !== undefined) return { refusal, release: undefined };
      const why = isNeeded ? neededText(record) : await this.#useOf(volume, nodeName);
      if (why === undefined) return { refusal: undefined, release };
      await this.#swap(volume.name, mark({ ...record, release }, undefined));
      return { refusal: why, release: undefined };
    } catch (error) {
      return { refusal: textOf(error), release: undefined };
    }
  }

  /** Frees a volume that was detached, unless its record has changed since that release began. */
  endRelease({ name }: AttachableVolume, release: string): Promise<Refusal> {
    return this.#swap(name, (record) => (record?.release === release ? { next: undefined } : 'kept'));
  }

  /** Whether the pod for which it was attached can still use it. */
  async #isNeeded({ nodeName, pod: { namespace, name, uid } }: AttachRecord): Promise<boolean> {
    const pod = await found(this.#context.api.get('Pod', { namespace, name }));
    return pod?.metadata.uid === uid && pod.spec.nodeName === nodeName && !needsNoVolumes(pod);
  }

  /** Why the node may still use the volume; one that is gone, or out of service, does not. */
  async #useOf({ uniqueName }: AttachableVolume, nodeName: string): Promise<Refusal> {
    const node: Node | undefined = await found(this.#context.api.get('Node', { name: nodeName }));
    if (node?.status.volumesInUse?.includes(uniqueName) !== true || isOutOfService(node.spec.taints)) return undefined;
    return 'the volume is still in use by the node, according to its status';
  }

  /** Compare and swap on the volume's object; what others have changed besides the record is no obstacle. */
  async #swap(name: string, decide: (record: AttachRecord | undefined) => Swap): Promise<Refusal> {
    const { api } = this.#context;
    try {
      const known = this.#volumes.get(name) ?? (await api.get('PersistentVolume', { name }));
      let outcome = await this.#write(known, decide);
      for (let attempt = 1; outcome instanceof ApiError && attempt < MOST_ATTEMPTS; attempt += 1) {
        const fresh = await api.get('PersistentVolume', { name });
        this.#volumes.note(fresh);
        const record = attachRecordOf(fresh);
        if (decide(record) !== 'kept' && !isSame(attachRecordOf(known), record)) break;
        outcome = await this.#write(fresh, decide);
      }
      return outcome instanceof ApiError ? outcome.message : outcome;
    } catch (error) {
      return textOf(error);
    }
  }

  /** @returns the conflict if another write came first */
  async #write(
    volume: PersistentVolume,
    decide: (record: AttachRecord | undefined) => Swap,
  ): Promise<Refusal | ApiError> {
    const swap = decide(attachRecordOf(volume));
    if (swap === 'kept') return undefined;
    if ('refusal' in swap) return swap.refusal;
    try {
      const next = withAttachRecord(volume, swap.next);
      this.#volumes.note(await writeStorage(this.#context, 'PersistentVolume', next, 'spec'));
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'Conflict') return error;
      throw error;
    }
  }
}

/** Begins or takes back a release, of the record as it was found alone. */
function mark(found_: AttachRecord, release: string | undefined): (record: AttachRecord | undefined) => Swap {
  return (record) => {
    if (record?.release === release && isSame(record, { ...found_, release })) return 'kept';
    if (!isSame(record, found_)) return { refusal: 'the attach record of the volume has changed' };
    return { next: { ...found_, release } };
  };
}

function isSame(one: AttachRecord | undefined, other: AttachRecord | undefined): boolean {
  return one?.nodeName === other?.nodeName && one?.pod.uid === other?.pod.uid && one?.release === other?.release;
}

function neededText({ pod: { namespace, name } }: AttachRecord): string {
  return `the volume is still needed by pod "${namespace}/${name}"`;
}

/** An object, or that there is none. */
async function found<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** What went wrong in the world outside. */
function textOf(error: unknown): string {
  if (error instanceof ApiError || error instanceof LinkDownError) return error.message;
  throw error;
}
