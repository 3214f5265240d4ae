/** The form of recorded decisions of the real kube-scheduler, and how a file of them is read. */
import type { core, Node, ObjectMeta, Pod } from '../../src/api/objects/objects.js';
import { isObject, parseLine, readLines, RecordingError } from './recorded-lines.js';

/** A plain object as it was written down: names may be all that its metadata has. */
export interface RecordedObject {
  readonly metadata: Partial<ObjectMeta> & { readonly name: string };
}

type RecordedPod = RecordedObject & Pick<Pod, 'spec' | 'status'>;
type Objects = readonly RecordedObject[];

/** Settings that differ from the default profile. */
export interface RecordedConfig {
  readonly percentageOfNodesToScore?: number;
  readonly scoringStrategy?: unknown;
  readonly addedAffinity?: core.NodeAffinity;
  readonly defaultConstraints?: readonly core.TopologySpreadConstraint[];
  readonly defaultingType?: string;
  readonly hardPodAffinityWeight?: number;
  readonly ignorePreferredTermsOfExistingPods?: boolean;
  readonly retryNominated?: boolean;
}

/** The cluster before the decisions, and the pods to decide; absent lists are empty. */
export interface Scenario {
  readonly name: string;
  readonly nodes?: readonly (RecordedObject & Pick<Node, 'spec' | 'status'>)[];
  /** Already bound. */
  readonly pods?: readonly RecordedPod[];
  /** In the order in which they are decided. */
  readonly pending?: readonly RecordedPod[];
  readonly priorityClasses?: readonly (RecordedObject & {
    readonly value: number;
    readonly preemptionPolicy?: string;
  })[];
  readonly pdbs?: Objects;
  readonly services?: Objects;
  readonly replicaSets?: Objects;
  readonly statefulSets?: Objects;
  readonly replicationControllers?: Objects;
  readonly namespaces?: Objects;
  readonly pvs?: Objects;
  readonly pvcs?: Objects;
  readonly storageClasses?: Objects;
  readonly csiNodes?: Objects;
  readonly csiDrivers?: Objects;
  readonly csiStorageCapacities?: Objects;
  readonly config?: RecordedConfig;
}

/** A verdict. */
export interface RecordedStatus {
  readonly plugin: string;
  readonly code: string;
  readonly reasons: readonly string[];
}

/** Plugin to node to score. */
export type RecordedScores = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** What PostFilter did for a pod that fitted nowhere. */
export interface RecordedPreemption {
  readonly nominated: string | null;
  /** Pods that were deleted, sorted. */
  readonly victims: readonly string[];
  readonly code: string;
  readonly message: string;
  readonly candidates: Readonly<
    Record<string, { readonly victims: readonly string[]; readonly pdbViolations: number }>
  >;
  /** Nodes equal by every criterion. */
  readonly ties?: readonly string[];
  readonly clearedNominations?: readonly string[];
}

/** One attempt at one pod. */
export interface RecordedAttempt {
  readonly pod: string;
  readonly attempt?: number;
  readonly preEnqueue?: RecordedStatus;
  readonly preFilter?: { readonly rejected?: RecordedStatus; readonly nodeNames?: readonly string[] };
  readonly filter: Readonly<Record<string, RecordedStatus | null>>;
  /** The nominated node, if it took the pod without a scan. */
  readonly nominatedFirst?: string;
  readonly scores?: RecordedScores;
  readonly normalized?: RecordedScores;
  readonly total?: Readonly<Record<string, number>>;
  readonly best?: readonly string[];
  readonly chosen?: string;
  readonly startTime?: string;
  /** A Reserve plugin that failed: the pod was not bound. */
  readonly reserve?: RecordedStatus;
  readonly preemption?: RecordedPreemption;
  readonly message?: string;
  readonly error?: string;
}

/** A scenario with the answers of the real scheduler. */
export interface Recording {
  readonly scenario: Scenario;
  readonly result: readonly RecordedAttempt[];
}

/** Reads a file of recordings, one a line, compressed or not. @throws RecordingError that names the line */
export function readRecordings(path: string): Recording[] {
  return readLines(path).map(([number, text]) => {
    const value = parseLine(path, number, text);
    if (!isObject(value['scenario']) || !Array.isArray(value['result']))
      throw new RecordingError(`${path}:${number}: a decision must have \`scenario\` and \`result\``);
    return value as unknown as Recording;
  });
}
