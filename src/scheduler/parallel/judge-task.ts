/** What goes to a worker thread: news of the shared columns, and walks to make over them. Plain data. */
import type { core, Pod, PodSpec, StringMap } from '../../api/objects/objects.js';
import type { ColumnArrays, ScalarColumns } from '../framework/node-columns.js';
import type { ImageStates } from '../framework/node-info.js';
import type { WorkerProfile } from './worker-profile.js';

/** What a worker does not know yet of the columns. */
export interface ColumnNews {
  readonly layout: number;
  readonly nodeCount: number;
  readonly orderRevision: number;
  /** What was written, as the log gives it to others; absent = anything may have been. */
  readonly written?: Int32Array | undefined;
  /** Present when the layout has changed: tables start anew then. */
  readonly arrays?: ColumnArrays | undefined;
  readonly scalars?: readonly (readonly [name: string, column: ScalarColumns])[] | undefined;
  /** Sets that the tables have gained. */
  readonly labelSets: readonly StringMap[];
  readonly taintSets: readonly (readonly core.Taint[])[];
  readonly imageSets: readonly ImageStates[];
}

/** A walk over all nodes for one pod, and where its result goes. */
export interface WalkTask {
  /** A pod of the outline that the pod has. */
  readonly outline: WalkOutline;
  /** Memory of the walk, with what the pod asks for. */
  readonly memory: SharedArrayBuffer;
  /** Memory of the claim to it, and the ticket for this walk. */
  readonly claim: SharedArrayBuffer;
  readonly ticket: number;
}

/** All of a pod but what it requests. */
export interface WalkOutline {
  readonly id: number;
  readonly pod: Pod;
}

/** What a worker does not know yet of the walks that it is asked for. */
export interface WalkNews {
  /** Whether all of both was forgotten before. */
  readonly isAnew: boolean;
  /** The {@link bareShape} of a pod of each outline, as JSON. */
  readonly outlines: readonly (readonly [id: number, pod: string])[];
  /** Memory of blocks and of the claims to them, to be numbered on. */
  readonly blocks: readonly (readonly [memory: SharedArrayBuffer, claim: SharedArrayBuffer])[];
}

/** Numbers of a walk in {@link JudgeTask.walks}. */
export const WALK_LENGTH = 3;

/** One message to one worker. */
export interface JudgeTask {
  /** Present in the first message. */
  readonly profiles?: readonly WorkerProfile[] | undefined;
  readonly columns: ColumnNews;
  readonly walkNews: WalkNews;
  /** Of each walk: outline and block, by the numbers under which {@link JudgeTask.walkNews} has told of them, and ticket. */
  readonly walks: Int32Array;
}

/** A pod with nothing but what the filters and scores of the columns look at. */
export function bareShape({ metadata, spec }: Pod): Pod {
  const { containers, initContainers, tolerations, nodeSelector, affinity, overhead, resources, schedulerName } = spec;
  const bare: Partial<PodSpec> = {
    ...(schedulerName === undefined ? {} : { schedulerName }),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(bareContainer) }),
    ...(tolerations === undefined ? {} : { tolerations }),
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(affinity?.nodeAffinity === undefined ? {} : { affinity: { nodeAffinity: affinity.nodeAffinity } }),
    ...(overhead === undefined ? {} : { overhead }),
    ...(resources === undefined ? {} : { resources }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: metadata.name, uid: '', resourceVersion: '', creationTimestamp: '' },
    spec: { ...bare, containers: containers.map(bareContainer) },
    status: { phase: 'Pending' },
  };
}

function bareContainer({ name, image, resources, ports, restartPolicy }: core.Container): core.Container {
  return {
    name,
    ...(image === undefined ? {} : { image }),
    ...(resources === undefined ? {} : { resources }),
    ...(ports === undefined ? {} : { ports }),
    ...(restartPolicy === undefined ? {} : { restartPolicy }),
  };
}
