import {
  classify,
  defaultScene,
  isPlainKind,
  parseOpenb,
  takeoverText,
  type ClusterPicture,
  validateFields,
  type CustomNames,
  type Draft,
  type FieldValidation,
  type IgnoredObject,
  type NodeDescription,
  type ScenePlan,
} from '../../index.js';
import { versionsIn, type FeatureFlags } from './feature-flags.js';
import { readFrom } from './from-option.js';
import { readManifests, type ManifestFlags } from './manifest-files.js';
import { readInput } from './read-input.js';
import { UsageError } from './usage-error.js';

/** The options that say what runs. */
export interface PlanFlags extends ManifestFlags, FeatureFlags {
  readonly nodes?: number;
  readonly pods?: number;
  readonly from?: string;
  readonly validate: FieldValidation;
  readonly trace?: readonly string[];
  readonly compress: number;
  readonly limit?: string;
}

/** What runs, read and checked before anything starts. */
export interface RunPlan {
  readonly nodes: readonly NodeDescription[];
  /** The cluster that it begins with. */
  readonly from?: ClusterPicture;
  readonly scene: ScenePlan;
  readonly limit: string | undefined;
  /** Lines for the end of the summary. */
  readonly notes: readonly string[];
  /** Whether there were manifests, and none of their objects is of a kind that is simulated. */
  readonly isAllIgnored: boolean;
}

const DEFAULT_NODES = 5000;
const DEFAULT_PODS = 20_000;
const DEFAULT_LIMIT = '1h';

/** Reads every input. @throws UsageError, ManifestError or TraceError for what cannot be used */
export function planRun(flags: PlanFlags): RunPlan {
  const manifests = readManifests(flags);
  const from = flags.from === undefined ? undefined : readFrom(flags.from);
  const { objects, ignored } = classify(manifests, definedIn(from), versionsIn(flags));
  validateFields(objects, flags.validate, (warning) => process.stderr.write(`Warning: ${warning}\n`));
  const drafts = manifests.map(({ draft }) => draft);
  const plan = flags.trace === undefined ? planScene(flags, drafts) : planTrace(flags, flags.trace, drafts);
  const kept = new Set(objects.map(({ kind }) => kind).filter((kind) => isPlainKind(kind)));
  const notes = [
    ...plan.notes,
    ...firstOfEach(ignored),
    ...(kept.size === 0 ? [] : [`kept without effect: ${[...kept].join(', ')}`]),
    ...(from === undefined ? [] : [takeoverText(from)]),
  ];
  return {
    ...plan,
    ...(from === undefined ? {} : { from }),
    notes,
    isAllIgnored: manifests.length > 0 && objects.length === 0,
  };
}

/** The kinds that the definitions of a cluster bring. */
function definedIn(from: ClusterPicture | undefined): readonly CustomNames[] {
  return (from?.objects ?? []).flatMap(({ kind, draft }) => {
    if (kind !== 'CustomResourceDefinition') return [];
    const { group, names } = draft['spec'] as { readonly group: string; readonly names: { readonly kind: string } };
    return [{ kind: names.kind, group }];
  });
}

/** Where the first object of each kind stands that is not simulated. */
function firstOfEach(ignored: readonly IgnoredObject[]): readonly string[] {
  const first = new Map<string, string>();
  for (const { apiVersion, kind, source } of ignored) {
    const name = `${kind} in version ${apiVersion}`;
    if (!first.has(name)) first.set(name, `${source}: no definition of ${name}, ignored`);
  }
  return [...first.values()];
}

type Planned = Omit<RunPlan, 'isAllIgnored'>;

function planScene(flags: PlanFlags, manifests: readonly Draft[]): Planned {
  const isTakenOver = flags.from !== undefined;
  const {
    nodes = isTakenOver ? 0 : DEFAULT_NODES,
    pods = isTakenOver ? 0 : DEFAULT_PODS,
    limit = DEFAULT_LIMIT,
  } = flags;
  const { nodeGroups, objects, updates } = defaultScene({ nodes, pods });
  return {
    nodes: nodeGroups,
    scene: { objects: [...objects, ...manifests], updates },
    limit,
    notes: [],
  };
}

function planTrace(flags: PlanFlags, words: readonly string[], manifests: readonly Draft[]): Planned {
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
