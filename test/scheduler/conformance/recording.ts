/** The form of recorded decisions of the real kube-scheduler, and how a file of them is read. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { core, Node, ObjectMeta, Pod } from '../../../src/api/objects.js';
import type { ScoringStrategy } from '../../../src/scheduler/plugins/resource-scorer.js';

/** A plain object as it was written down: names may be all that its metadata has. */
export interface RecordedObject {
  readonly metadata: Partial<ObjectMeta> & { readonly name: string };
}

export interface Scenario {
  readonly name: string;
  readonly nodes?: readonly (RecordedObject & Pick<Node, 'spec' | 'status'>)[];
  readonly pods?: readonly (RecordedObject & Pick<Pod, 'spec' | 'status'>)[];
  readonly pending?: readonly (RecordedObject & Pick<Pod, 'spec' | 'status'>)[];
  readonly priorityClasses?: readonly (RecordedObject & {
    readonly value: number;
    readonly preemptionPolicy?: string;
  })[];
  readonly config?: {
    readonly percentageOfNodesToScore?: number;
    readonly scoringStrategy?: ScoringStrategy;
    readonly addedAffinity?: core.NodeAffinity;
    readonly retryNominated?: boolean;
  };
}

export interface RecordedStatus {
  readonly plugin: string;
  readonly code: string;
  readonly reasons: readonly string[];
}

export type RecordedScores = Readonly<Record<string, Readonly<Record<string, number>>>>;

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
  readonly preemption?: {
    readonly nominated: string | null;
    readonly victims: readonly string[];
    readonly code: string;
    readonly message: string;
    readonly clearedNominations?: readonly string[];
  };
  readonly message?: string;
  readonly error?: string;
}

export interface Recording {
  readonly scenario: Scenario;
  readonly result: readonly RecordedAttempt[];
}

/** Reads a `.jsonl.gz` file of recordings. */
export function readRecordings(path: string): Recording[] {
  const text = gunzipSync(readFileSync(path)).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Recording);
}

/** The node with what an API server would have filled in. */
export function completeNode(node: NonNullable<Scenario['nodes']>[number]): Node {
  const { name } = node.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { uid: name, resourceVersion: '1', creationTimestamp: '2030-01-01T00:00:00Z', ...node.metadata },
    spec: node.spec ?? {},
    status: node.status ?? {},
  };
}

/** The pod with what an API server would have filled in. */
export function completePod(pod: NonNullable<Scenario['pods']>[number], scenario: Scenario): Pod {
  const { name, namespace = 'default' } = pod.metadata;
  const className = pod.spec.priorityClassName;
  const priorityClass = (scenario.priorityClasses ?? []).find((each) => each.metadata.name === className);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      uid: `${namespace}/${name}`,
      resourceVersion: '1',
      creationTimestamp: '2030-01-01T00:00:00Z',
      ...pod.metadata,
      namespace,
    },
    spec: {
      ...(priorityClass === undefined ? {} : { priority: priorityClass.value }),
      ...(priorityClass?.preemptionPolicy === undefined ? {} : { preemptionPolicy: priorityClass.preemptionPolicy }),
      ...pod.spec,
    },
    status: { ...pod.status, phase: pod.status?.phase ?? 'Pending' },
  };
}
