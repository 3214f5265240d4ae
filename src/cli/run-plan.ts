import {
  defaultScene,
  parseManifests,
  parseOpenb,
  type Draft,
  type NodeDescription,
  type ScenePlan,
} from '../index.js';
import { readInput } from './read-input.js';
import { UsageError } from './usage-error.js';

/** The options that say what runs. */
export interface PlanFlags {
  readonly nodes?: number;
  readonly pods?: number;
  readonly manifest?: readonly string[];
  readonly trace?: readonly string[];
  readonly compress: number;
  readonly limit?: string;
}

/** What runs, read and checked before anything starts. */
export interface RunPlan {
  readonly nodes: readonly NodeDescription[];
  readonly scene: ScenePlan;
  readonly limit: string | undefined;
  /** Lines for the end of the summary. */
  readonly notes: readonly string[];
}

const DEFAULT_NODES = 5000;
const DEFAULT_PODS = 20_000;
const DEFAULT_LIMIT = '1h';

/** Reads every input. @throws UsageError, ManifestError or TraceError for what cannot be used */
export function planRun(flags: PlanFlags): RunPlan {
  const manifests = (flags.manifest ?? []).flatMap((file) => parseManifests(readInput('--manifest', file), file));
  const objects = manifests.map(({ draft }) => draft);
  return flags.trace === undefined ? planScene(flags, objects) : planTrace(flags, flags.trace, objects);
}

function planScene(flags: PlanFlags, manifests: readonly Draft[]): RunPlan {
  const { nodes = DEFAULT_NODES, pods = DEFAULT_PODS, limit = DEFAULT_LIMIT } = flags;
  const { nodeGroups, objects, updates } = defaultScene({ nodes, pods });
  return {
    nodes: nodeGroups,
    scene: { objects: [...objects, ...manifests], updates },
    limit,
    notes: [],
  };
}

function planTrace(flags: PlanFlags, words: readonly string[], manifests: readonly Draft[]): RunPlan {
  const [format, nodeFile, podFile, ...rest] = words;
  if (format !== 'openb') throw new UsageError(`--trace: the format must be openb, got ${JSON.stringify(format)}`);
  if (nodeFile === undefined || podFile === undefined || rest.length > 0) {
    throw new UsageError(`--trace openb needs two files, NODES.csv and PODS.csv, got ${words.length - 1}`);
  }
  if (flags.pods !== undefined) throw new UsageError('--pods cannot be given with --trace, which brings its own');
  const trace = parseOpenb({
    nodes: { text: readInput('--trace', nodeFile), source: nodeFile },
    pods: { text: readInput('--trace', podFile), source: podFile },
    compression: flags.compress,
  });
  const nodes = trace.nodes.slice(0, flags.nodes);
  return {
    nodes,
    scene: { objects: manifests, arrivals: trace.arrivals },
    limit: flags.limit,
    notes: [
      `trace: ${trace.arrivals.length} pods on ${nodes.length} of ${trace.nodes.length} nodes; ${trace.sharedGpuPods} used a share of a GPU and request a whole one here; ${trace.endlessPods} have no recorded end and run on`,
    ],
  };
}
