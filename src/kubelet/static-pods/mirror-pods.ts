/**
 * Keeps the mirrors of a node's static pods in the API: created when there is none, deleted and created anew
 * when one is being deleted or shows another pod. What happens to a mirror never touches its pod. Mirrors
 * pkg/kubelet/pod/mirror_client.go and tryReconcileMirrorPods (v1.34).
 */
import { isApiError } from '../../api/errors/api-error.js';
import { keyOf, type Pod } from '../../api/objects/objects.js';
import type { Client } from '../../bus/bus-types.js';
import { isMirrorOf, mirrorDraft } from './static-pod.js';
import { LateMap } from '../../kernel/late-collections.js';

/** A static pod and what is known of its mirror. */
interface MirroredPod {
  readonly pod: Pod;
  /** As the API showed it last. */
  mirror: Pod | undefined;
}

/** See the file header. */
export class MirrorPods {
  readonly #client: Client;
  readonly #onMirror: (uid: string) => void;
  /** By namespace and name, which both share. */
  readonly #pods = new LateMap<string, MirroredPod>();
  /** By the static pod's uid. */
  readonly #byUid = new LateMap<string, MirroredPod>();
  #nodeUid: string | undefined;
  #hasSynced = false;

  /** @param onMirror - called with the uid of a static pod once its mirror is there: its status is to be written */
  constructor(client: Client, onMirror: (uid: string) => void) {
    this.#client = client;
    this.#onMirror = onMirror;
  }

  add(pod: Pod): void {
    const mirrored: MirroredPod = { pod, mirror: undefined };
    this.#pods.set(keyOf(pod), mirrored);
    this.#byUid.set(pod.metadata.uid, mirrored);
  }

  /** Uid of the API's object that has the pod's status: its mirror; `undefined` = none at present. */
  targetOf(uid: string): string | undefined {
    const mirrored = this.#byUid.get(uid);
    return mirrored === undefined ? uid : mirrored.mirror?.metadata.uid;
  }

  /** The node has its object: mirrors may be created. */
  nodeRegistered(uid: string | undefined): void {
    this.#nodeUid = uid;
    this.#reconcileAll();
  }

  /** What mirrors there are is known. */
  synced(): void {
    this.#hasSynced = true;
    this.#reconcileAll();
  }

  /** A mirror as the API shows it now. */
  shown(mirror: Pod): void {
    const mirrored = this.#pods.get(keyOf(mirror));
    if (mirrored === undefined) return this.#delete(mirror);
    const isNew = mirrored.mirror?.metadata.uid !== mirror.metadata.uid;
    mirrored.mirror = mirror;
    this.#reconcile(mirrored);
    if (isNew && isMirrorOf(mirror, mirrored.pod)) this.#onMirror(mirrored.pod.metadata.uid);
  }

  gone(mirror: Pod): void {
    const mirrored = this.#pods.get(keyOf(mirror));
    if (mirrored?.mirror?.metadata.uid !== mirror.metadata.uid) return;
    mirrored.mirror = undefined;
    this.#reconcile(mirrored);
  }

  #reconcileAll(): void {
    for (const mirrored of this.#pods.values()) this.#reconcile(mirrored);
  }

  #reconcile(mirrored: MirroredPod): void {
    const { pod, mirror } = mirrored;
    if (!this.#hasSynced || this.#nodeUid === undefined) return;
    if (mirror === undefined) {
      this.#client.create('Pod', mirrorDraft(pod, this.#nodeUid), (error) => {
        if (isApiError(error, 'AlreadyExists') && mirrored.mirror === undefined) this.#find(mirrored);
      });
    } else if (mirror.metadata.deletionTimestamp !== undefined || !isMirrorOf(mirror, pod)) {
      this.#delete(mirror);
    }
  }

  /** Takes the object that is there already under the mirror's name. */
  #find(mirrored: MirroredPod): void {
    const { namespace, name } = mirrored.pod.metadata;
    this.#client.get('Pod', { namespace, name }, (_error, found) => {
      if (found !== undefined && mirrored.mirror === undefined) this.shown(found);
    });
  }

  #delete({ metadata: { namespace, name, uid } }: Pod): void {
    this.#client.delete('Pod', { namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid } });
  }
}
