/**
 * The openb trace: nodes and pods of a production GPU cluster, as two CSV tables with times in
 * seconds. Becomes node records and pods that arrive, run and end as recorded, or faster by a factor.
 *
 * A node's GPU model is its label `nvidia.com/gpu.product`, as NVIDIA's feature discovery sets it. A
 * device is scheduled whole: a pod that used a share of one GPU (`gpu_milli` below 1000) requests all
 * of it. What a pod's end was is kept in its labels.
 */
import type { core, Draft, StringMap } from '../api/objects/objects.js';
import { assert } from '../kernel/assert.js';
import type { TimedDraft } from './arrivals.js';
import { readCsv, type CsvRow } from './csv-table.js';
import { InputError, printed, type SourcePosition } from './input-error.js';
import { DEFAULT_CAPACITY, type NodeRecord } from './node-groups.js';

/** A trace that cannot be read. */
export class TraceError extends InputError {
  override readonly name = 'TraceError';
}

/** A text and how messages call it. */
export interface TraceTable {
  readonly text: string;
  /** A file name. */
  readonly source: string;
}

/** What is to be read, and how fast it is to run. */
export interface OpenbOptions {
  readonly nodes: TraceTable;
  readonly pods: TraceTable;
  /** Arrivals and run times are divided by this, > 0. @defaultValue 1, as recorded */
  readonly compression?: number;
}

/** See the file header. */
export interface OpenbTrace {
  readonly nodes: readonly NodeRecord[];
  /** In order of arrival. */
  readonly arrivals: readonly TimedDraft[];
  /** Pods that used a share of a GPU and request a whole one here. */
  readonly sharedGpuPods: number;
  /** Pods without an end, which run until the simulation stops. */
  readonly endlessPods: number;
}

/** Label of a node's GPU model. */
const GPU_PRODUCT_LABEL = 'nvidia.com/gpu.product';
/** Resource name of GPUs. */
const GPU_RESOURCE = 'nvidia.com/gpu';
/** Label of the quality of service that the trace names. */
const QOS_LABEL = 'kubeloom.dev/qos';
/** Label of the phase in which the trace last saw the pod. */
const TRACE_PHASE_LABEL = 'kubeloom.dev/trace-phase';

const NODE_COLUMNS = ['sn', 'cpu_milli', 'memory_mib', 'gpu', 'model'];
const POD_COLUMNS = [
  'name',
  'cpu_milli',
  'memory_mib',
  'num_gpu',
  'gpu_milli',
  'gpu_spec',
  'qos',
  'pod_phase',
  'creation_time',
  'deletion_time',
  'scheduled_time',
];
const PHASES: readonly string[] = ['Running', 'Pending', 'Succeeded', 'Failed'];
const WHOLE_GPU_MILLI = 1000;

/**
 * Reads both tables.
 *
 * @throws TraceError that names the file, the line, the column, the value and what is allowed
 */
export function parseOpenb({ nodes, pods, compression = 1 }: OpenbOptions): OpenbTrace {
  assert(compression > 0, `compression must be a factor > 0, got ${compression}`);
  const podRows = readTable(pods, POD_COLUMNS).map(podRow);
  checkDistinct('name', podRows);
  const templates = new PodTemplates();
  const arrivals = podRows
    .map((row) => ({ atMs: row.createdSeconds, row }))
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ row }) => timedPod(row, templates, compression));
  const nodeRows = readTable(nodes, NODE_COLUMNS);
  checkDistinct(
    'sn',
    nodeRows.map((row) => ({ name: nameIn(row, 'sn'), source: row.source })),
  );
  return {
    nodes: nodeRows.map(nodeRecord),
    arrivals,
    sharedGpuPods: podRows.filter((row) => row.gpus > 0 && row.gpuMilli < WHOLE_GPU_MILLI).length,
    endlessPods: podRows.filter((row) => row.runSeconds === undefined).length,
  };
}

function readTable({ text, source }: TraceTable, columns: readonly string[]): CsvRow[] {
  return readCsv(text, source, columns, (position, field, problem) => new TraceError(position, field, problem));
}

function nodeRecord(row: CsvRow): NodeRecord {
  const name = nameIn(row, 'sn');
  const gpus = integerIn(row, 'gpu');
  const model = row.text('model');
  const capacity = {
    ...DEFAULT_CAPACITY,
    cpu: `${integerIn(row, 'cpu_milli')}m`,
    memory: `${integerIn(row, 'memory_mib')}Mi`,
    ...(gpus === 0 ? {} : { [GPU_RESOURCE]: String(gpus) }),
  };
  const labels: StringMap = {
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
    'kubernetes.io/hostname': name,
    ...(model === '' ? {} : { [GPU_PRODUCT_LABEL]: model }),
  };
  return { name, labels, annotations: {}, taints: [], capacity, allocatable: capacity, images: [] };
}

interface PodRow {
  readonly source: SourcePosition;
  readonly name: string;
  readonly cpuMillis: number;
  readonly memoryMebibytes: number;
  readonly gpus: number;
  readonly gpuMilli: number;
  /** Models that will do; empty = any. */
  readonly gpuModels: readonly string[];
  readonly qos: string;
  readonly phase: string;
  readonly createdSeconds: number;
  /** Absent when the pod has no end. */
  readonly runSeconds: number | undefined;
}

function podRow(row: CsvRow): PodRow {
  const phase = row.text('pod_phase');
  if (!PHASES.includes(phase)) refuse(row, 'pod_phase', `one of ${PHASES.join(', ')}`);
  const createdSeconds = secondsIn(row, 'creation_time') ?? refuse(row, 'creation_time', 'seconds >= 0');
  const scheduledSeconds = secondsIn(row, 'scheduled_time');
  const deletedSeconds = secondsIn(row, 'deletion_time');
  const startSeconds = scheduledSeconds ?? createdSeconds;
  const isEndless = deletedSeconds === undefined || deletedSeconds === 0;
  if (!isEndless && deletedSeconds < startSeconds) {
    refuse(row, 'deletion_time', `empty, 0 or at least ${startSeconds}`);
  }
  return {
    source: row.source,
    name: nameIn(row, 'name'),
    cpuMillis: integerIn(row, 'cpu_milli'),
    memoryMebibytes: integerIn(row, 'memory_mib'),
    gpus: integerIn(row, 'num_gpu'),
    gpuMilli: integerIn(row, 'gpu_milli'),
    gpuModels: row
      .text('gpu_spec')
      .split('|')
      .filter((model) => model !== ''),
    qos: row.text('qos'),
    phase,
    createdSeconds,
    runSeconds: isEndless ? undefined : deletedSeconds - startSeconds,
  };
}

function timedPod(row: PodRow, templates: PodTemplates, compression: number): TimedDraft {
  const annotations: Record<string, string> = {};
  if (row.runSeconds !== undefined) {
    // A pod that ran at all keeps a millisecond of it.
    annotations['kubeloom.dev/run-for'] = `${Math.max(1, Math.round((row.runSeconds * 1000) / compression))}ms`;
    annotations['kubeloom.dev/exit-code'] = row.phase === 'Failed' ? '1' : '0';
  }
  const draft: Draft = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: row.name, namespace: 'default', labels: templates.labels(row), annotations },
    spec: templates.spec(row),
  };
  return { atMs: Math.round((row.createdSeconds * 1000) / compression), kind: 'Pod', draft };
}

/** Equal pods share their labels and specs. */
class PodTemplates {
  readonly #labels = new Map<string, StringMap>();
  readonly #specs = new Map<string, core.PodSpec>();

  labels({ qos, phase }: PodRow): StringMap {
    return shared(this.#labels, `${qos}/${phase}`, () => ({
      app: 'openb',
      ...(qos === '' ? {} : { [QOS_LABEL]: qos }),
      [TRACE_PHASE_LABEL]: phase,
    }));
  }

  spec(row: PodRow): core.PodSpec {
    const { cpuMillis, memoryMebibytes, gpus, gpuModels } = row;
    const key = [cpuMillis, memoryMebibytes, gpus, ...gpuModels].join('/');
    return shared(this.#specs, key, () => podSpec(row));
  }
}

function shared<T>(known: Map<string, T>, key: string, make: () => T): T {
  let value = known.get(key);
  if (value === undefined) {
    value = make();
    known.set(key, value);
  }
  return value;
}

function podSpec({ cpuMillis, memoryMebibytes, gpus, gpuModels }: PodRow): core.PodSpec {
  const gpu: StringMap = gpus === 0 ? {} : { [GPU_RESOURCE]: String(gpus) };
  const requests: StringMap = {
    ...(cpuMillis === 0 ? {} : { cpu: `${cpuMillis}m` }),
    ...(memoryMebibytes === 0 ? {} : { memory: `${memoryMebibytes}Mi` }),
    ...gpu,
  };
  const term: core.NodeSelectorTerm = {
    matchExpressions: [{ key: GPU_PRODUCT_LABEL, operator: 'In', values: [...gpuModels] }],
  };
  return {
    restartPolicy: 'Never',
    containers: [
      {
        name: 'main',
        image: 'registry.example/openb:1.0',
        resources: { requests, ...(gpus === 0 ? {} : { limits: gpu }) },
      },
    ],
    ...(gpuModels.length === 0
      ? {}
      : {
          affinity: {
            nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
          },
        }),
  };
}

function checkDistinct(
  column: string,
  rows: readonly { readonly name: string; readonly source: SourcePosition }[],
): void {
  const seen = new Set<string>();
  for (const { name, source } of rows) {
    if (seen.has(name)) throw new TraceError(source, column, `must be distinct, got ${printed(name)} again`);
    seen.add(name);
  }
}

function nameIn(row: CsvRow, column: string): string {
  const name = row.text(column);
  return /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name) ? name : refuse(row, column, 'a name in lower case');
}

function integerIn(row: CsvRow, column: string): number {
  const text = row.text(column);
  return /^\d{1,15}$/.test(text) ? Number(text) : refuse(row, column, 'a whole number >= 0');
}

/** `undefined` when the field is empty. */
function secondsIn(row: CsvRow, column: string): number | undefined {
  const text = row.text(column);
  if (text === '') return undefined;
  return /^\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : refuse(row, column, 'empty or seconds >= 0');
}

function refuse(row: CsvRow, column: string, allowed: string): never {
  throw new TraceError(row.source, column, `must be ${allowed}, got ${printed(row.text(column))}`);
}
