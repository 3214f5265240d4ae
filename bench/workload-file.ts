/** Bench workloads as data, in the form of upstream's scheduler_perf. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** What a barrier waits for. */
export type Stage = 'Scheduled' | 'Ready' | 'NodesSchedulable';

/** One step; `countParam` names a parameter of the workload, such as `$initNodes`. */
export type Operation =
  /** Nodes of the standard shape: plain objects, or with a kubelet each. */
  | { readonly opcode: 'createNodes'; readonly countParam: string; readonly kubelets?: boolean }
  /** Pods of the standard shape; `collectMetrics` measures until they are scheduled. */
  | { readonly opcode: 'createPods'; readonly countParam: string; readonly collectMetrics?: boolean }
  /** Waits until all pods so far are scheduled, or Ready, or until all nodes take pods. */
  | { readonly opcode: 'barrier'; readonly stageRequirement?: Stage }
  | { readonly opcode: 'startCollectingMetrics' }
  | { readonly opcode: 'stopCollectingMetrics' };

/** A workload with its parameters. */
export interface Workload {
  /** Group and size, such as `SchedulingBasic/5000Nodes_10000Pods`. */
  readonly name: string;
  readonly labels: readonly string[];
  readonly operations: readonly Operation[];
  readonly params: Readonly<Record<string, number>>;
  /** What the real thing did on a machine of this size, pods per second; `undefined` where unknown. */
  readonly anchorPodsPerSecond: number | undefined;
}

interface WorkloadGroup {
  readonly name: string;
  readonly anchorPodsPerSecond?: number;
  readonly workloadTemplate: readonly Operation[];
  readonly workloads: readonly {
    readonly name: string;
    readonly labels?: readonly string[];
    readonly params: Readonly<Record<string, number>>;
  }[];
}

/** The folder of the data, seen from the compiled file as well as from the source. */
const FOLDER = new URL(import.meta.url.includes('/dist/') ? '../../bench/workloads/' : './workloads/', import.meta.url);

/** Every workload of every file, in order of file and position. */
export function loadWorkloads(): readonly Workload[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml'));
  return files.toSorted().flatMap((file) => {
    const groups = parse(readFileSync(new URL(file, FOLDER), 'utf8')) as readonly WorkloadGroup[];
    return groups.flatMap(workloadsOf);
  });
}

function workloadsOf(group: WorkloadGroup): readonly Workload[] {
  return group.workloads.map(({ name, labels, params }) => ({
    name: `${group.name}/${name}`,
    labels: labels ?? [],
    operations: group.workloadTemplate,
    params,
    anchorPodsPerSecond: group.anchorPodsPerSecond,
  }));
}

/** Those that the words name: a whole name, a group, or a label; without words those labelled `performance`. */
export function selectWorkloads(all: readonly Workload[], words: readonly string[]): readonly Workload[] {
  const chosen = words.length === 0 ? ['performance'] : words;
  const unknown = chosen.find((word) => !all.some((workload) => isNamed(workload, word)));
  if (unknown !== undefined) {
    const known = [...new Set(all.flatMap(({ name, labels }) => [name, ...labels]))].join(', ');
    throw new Error(`bench: no workload, group or label is called ${JSON.stringify(unknown)}; known: ${known}`);
  }
  return all.filter((workload) => chosen.some((word) => isNamed(workload, word)));
}

function isNamed({ name, labels }: Workload, word: string): boolean {
  return name === word || name.startsWith(`${word}/`) || labels.includes(word);
}
