/** What takes the place of drawn clusters and workloads: those of a user's scenario. */
import type { Draft } from '../../api/objects/objects.js';
import { CONTROLLER_NAMES } from '../../controllers/controller-manager.js';
import { nodeSetups } from '../../assembly/node-fleet.js';
import type { NodeDescription } from '../../options/node-description.js';
import { isPoolDescription } from '../../workload/node-groups.js';
import { resolveOptions } from '../../cluster/options.js';
import { parseWritten, type FileReader } from '../scenario/read-scenario.js';
import { checkScenario } from '../scenario/run-scenario.js';
import type { DrawnWorkload } from './draw-workloads.js';
import type { PlanDocument, PlannedAction } from './plan-document.js';

/** See the file header. */
export interface PlanBase {
  /** Of the cluster, by name. */
  readonly nodes: readonly string[];
  /** Pools of nodes that are autoscaled, by name. */
  readonly pools: readonly string[];
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly scripts: PlanDocument['scripts'];
  readonly objects: PlanDocument['workloads'];
  /** What users may change. */
  readonly workloads: readonly DrawnWorkload[];
  /** What the scenario has happen in any case. */
  readonly actions: readonly PlannedAction[];
}

/** Kinds that can be scaled, and those of which a new template makes new pods. */
const SCALABLE = ['Deployment', 'ReplicaSet', 'StatefulSet', 'ReplicationController'];
const UPDATABLE = ['Deployment', 'StatefulSet', 'DaemonSet'];

/**
 * Reads the base of a search out of a scenario: its cluster, scripts, workloads and actions. What it expects is
 * left to scenarios.
 *
 * @throws ScenarioError that names the place, the field, what it got and what is allowed; ManifestError
 */
export async function parseBase(text: string, source: string, readFile: FileReader): Promise<PlanBase> {
  const { scenario, cluster, scripts, actions } = parseWritten(text, source, readFile);
  await checkScenario(scenario);
  const { nodeDescriptions } = resolveOptions(scenario.cluster, CONTROLLER_NAMES);
  return {
    nodes: nodeSetups(nodeDescriptions.filter((node) => !isPoolDescription(node))).map(({ name }) => name),
    pools: poolsAmong(nodeDescriptions, scenario.workloads),
    cluster,
    scripts,
    objects: scenario.workloads,
    workloads: scenario.workloads.flatMap(workloadOf),
    actions: actions as readonly PlannedAction[],
  };
}

/** Those of the cluster, and those among its objects. */
function poolsAmong(nodes: readonly NodeDescription[], objects: readonly Draft[]): readonly string[] {
  const described = nodes.filter(isPoolDescription).map(({ namePrefix = 'node-' }) => namePrefix.replace(/[-.]+$/, ''));
  const applied = objects.filter(({ kind, spec }) => kind === 'NodePool' && isAutoscaled(spec));
  return [...described, ...applied.map(({ metadata = {} }) => metadata.name ?? '')];
}

function isAutoscaled(spec: unknown): boolean {
  return (spec as { readonly autoscaling?: unknown } | undefined)?.autoscaling !== undefined;
}

/** What users may do with an object; nothing with those that make no pods. */
function workloadOf(object: Draft): readonly DrawnWorkload[] {
  const { kind = '', metadata = {} } = object;
  const { name = '', namespace } = metadata;
  const isUpdatable = UPDATABLE.includes(kind);
  const isScalable = SCALABLE.includes(kind);
  const pod = podOf(kind, name);
  if (!isUpdatable && !isScalable && pod === undefined) return [];
  const ref = `${kind.toLowerCase()}/${name}`;
  const place = namespace === undefined ? {} : { namespace };
  return [{ ref, objects: [], isScalable, isUpdatable, pod, isDeletable: false, ...place }];
}

/** A pod of it whose name is known. */
function podOf(kind: string, name: string): string | undefined {
  if (kind === 'StatefulSet') return `${name}-0`;
  return kind === 'Pod' ? name : undefined;
}
