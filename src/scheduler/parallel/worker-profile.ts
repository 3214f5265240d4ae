/**
 * What worker threads know of a profile: the plugins that go by a pod and a single node, in the order that
 * they have on the engine thread. All other plugins stay there; where they stand among the scores, workers
 * have dummies.
 */
import { EXTENSION_POINTS, type ExtensionPoint, type PluginOrder } from '../framework/extension-points.js';
import type { Framework, ProfilePlugin } from '../framework/framework.js';
import type { AnyPlugin, FrameworkHandle } from '../framework/interface.js';
import { buildPlugins, IN_TREE_PLUGINS, type PluginRegistry, type PluginSpec } from '../plugins/registry.js';

/** A profile as workers get it. Plain data. */
export interface WorkerProfile {
  readonly schedulerName: string;
  /** The plugins that workers have. */
  readonly plugins: readonly PluginSpec[];
  readonly order: PluginOrder;
}

/** What a worker profile is made of. */
export interface WorkerProfileSource {
  readonly schedulerName: string;
  readonly plugins: readonly PluginSpec[];
  readonly framework: Framework;
}

/** `undefined` when one of those plugins is not ours: workers have no others. */
export function workerProfileOf(
  { schedulerName, plugins, framework }: WorkerProfileSource,
  registry: PluginRegistry,
): WorkerProfile | undefined {
  const filters = namesOf(framework.filters.filter(({ filterScope }) => filterScope === 'node'));
  const scored = namesOf(
    framework.scores.map(({ plugin }) => plugin).filter(({ scoreScope }) => scoreScope === 'node'),
  );
  const needed = new Set([...filters, ...scored]);
  if ([...needed].some((name) => registry.get(name) !== IN_TREE_PLUGINS.get(name))) return undefined;
  const names: Record<ExtensionPoint, readonly string[]> = {
    ...(Object.fromEntries(EXTENSION_POINTS.map((point) => [point, []])) as unknown as PluginOrder['names']),
    queueSort: [framework.queueSort.name],
    preFilter: namesOf(framework.preFilters).filter((name) => filters.includes(name)),
    filter: filters,
    preScore: namesOf(framework.preScores).filter((name) => scored.includes(name)),
    score: framework.scores.map(({ plugin }) => plugin.name),
  };
  return {
    schedulerName,
    plugins: plugins.filter(({ name }) => needed.has(name)).map(({ name, args }) => ({ name, args })),
    // Weights too: a walk tells of weighted sums.
    order: { names, weights: Object.fromEntries(framework.scores.map(({ plugin, weight }) => [plugin.name, weight])) },
  };
}

/** The worker's plugins, and dummies for all that are named besides. */
export function workerPlugins({ plugins, order }: WorkerProfile, handle: FrameworkHandle): ProfilePlugin[] {
  const known = new Set(plugins.map(({ name }) => name));
  const others = [...order.names.queueSort, ...order.names.score].filter((name) => !known.has(name));
  return [...buildPlugins(plugins, handle), ...others.map((name) => ({ plugin: dummy(name) }))];
}

function namesOf(plugins: readonly { readonly name: string }[]): readonly string[] {
  return plugins.map(({ name }) => name);
}

/** Holds a place, and is never asked. */
function dummy(name: string): AnyPlugin {
  return { name, less: () => false, score: () => 0, eventsToRegister: () => [] };
}
