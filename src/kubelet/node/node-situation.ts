/** What one process of a kubelet keeps about its node as a whole. */
import type { Node, Pod, StringMap, Taint } from '../../api/objects/objects.js';
import type { Pressure } from '../configuration/node-conditions.js';
import type { PodRecords } from '../containers/container-record.js';
import type { Condemnation } from './pod-verdict.js';
import { LateSet } from '../../kernel/late-collections.js';

/** What admission asks of a node. */
export interface NodeFacts {
  readonly name: string;
  readonly labels: StringMap;
  readonly taints: readonly Taint[];
}

/** What the node as a whole needs of a pod's worker. */
export interface ActivePod {
  readonly pod: Pod;
  readonly records: PodRecords;
  readonly sandbox: { readonly isReady: boolean };
  readonly isAdmitted: boolean;
  /** Nothing of it runs any more, nor will, and nothing is mounted for it. */
  readonly isStopped: boolean;
  notify(event: 'room.made'): void;
  condemn(condemnation: Condemnation): void;
}

/** See the file header. */
export class NodeSituation {
  /** What the node is short of, or was not long ago. */
  pressures: readonly Pressure[] = [];
  isShuttingDown = false;
  /** The node's object, as the kubelet saw it last. */
  shown: Node | undefined;
  /** Pods that were admitted and may still run, in order of admission. */
  readonly active = new LateSet<ActivePod>();
  /** Admitted pods that wait for room to be made. */
  readonly awaitingRoom = new LateSet<ActivePod>();
  /** By a pod's uid, that of the API's object with its status: a static pod's mirror; `undefined` = none at present. */
  targetOf: (uid: string) => string | undefined = ownTarget;
  /** Called when what is active has changed. */
  onChange: ((worker: ActivePod) => void) | undefined;
  /** Called when nothing of a pod runs any more, or nothing is mounted for it any more. */
  onStopped: (() => void) | undefined;
  readonly #registered: NodeFacts;

  /** @param registered - the node as it registers, which counts until its object is seen */
  constructor(registered: NodeFacts) {
    this.#registered = registered;
  }

  get facts(): NodeFacts {
    return this.shown === undefined ? this.#registered : factsOf(this.shown);
  }

  enter(worker: ActivePod): void {
    this.active.add(worker);
    this.onChange?.(worker);
  }

  leave(worker: ActivePod): void {
    this.active.delete(worker);
    this.awaitingRoom.delete(worker);
    for (const waiting of this.awaitingRoom) waiting.notify('room.made');
    this.onChange?.(worker);
  }

  /** A new process knows nothing yet. */
  reset(): void {
    this.pressures = [];
    this.isShuttingDown = false;
    this.shown = undefined;
    this.active.clear();
    this.awaitingRoom.clear();
    this.targetOf = ownTarget;
  }
}

function ownTarget(uid: string): string {
  return uid;
}

/** What admission asks of a node's object. */
export function factsOf({ metadata, spec }: Node): NodeFacts {
  return { name: metadata.name, labels: metadata.labels ?? {}, taints: spec.taints ?? [] };
}
