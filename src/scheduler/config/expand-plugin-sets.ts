/**
 * Which plugins a profile runs at each extension point, and in which order: those of the point that are
 * enabled at all points too, then the others of all points, then the others of the point. Mirrors
 * `expandMultiPointPlugins`, `updatePluginList` and `getScoreWeights` of kube-scheduler v1.34
 * `framework/runtime/framework.go`.
 */
import {
  EXTENSION_POINTS,
  extendsPoint,
  type ExtensionPoint,
  type PluginOrder,
} from '../framework/extension-points.js';
import type { AnyPlugin } from '../framework/interface.js';
import type { EnabledPlugin, PluginSets, SchedulerProfile } from './configuration.js';

/** The order, and what keeps it from being used. */
export interface ExpandedPlugins {
  readonly order: PluginOrder;
  readonly problems: readonly string[];
}

/** @param plugins - every plugin that the profile enables, by name */
export function expandPluginSets(
  { schedulerName, path, plugins: sets }: SchedulerProfile,
  plugins: ReadonlyMap<string, AnyPlugin>,
): ExpandedPlugins {
  const problems: string[] = [];
  const names = Object.fromEntries(
    EXTENSION_POINTS.map((point) => [point, namesAt(point, sets, plugins, problems)]),
  ) as Record<ExtensionPoint, readonly string[]>;
  const { length: sorters } = names.queueSort;
  const profile = `profile with scheduler name ${JSON.stringify(schedulerName)}`;
  if (sorters !== 1) {
    problems.push(`${path}.plugins.queueSort: only one queue sort plugin required for ${profile}, but got ${sorters}`);
  }
  if (names.bind.length === 0) {
    problems.push(`${path}.plugins.bind: at least one bind plugin is needed for ${profile}`);
  }
  return { order: { names, weights: weightsOf(sets) }, problems };
}

function namesAt(
  point: ExtensionPoint,
  { multiPoint, points }: PluginSets,
  plugins: ReadonlyMap<string, AnyPlugin>,
  problems: string[],
): readonly string[] {
  const { enabled, disabled } = points[point];
  const extending = (each: EnabledPlugin): boolean => {
    const plugin = plugins.get(each.name);
    return plugin !== undefined && extendsPoint(plugin, point);
  };
  for (const each of enabled) {
    if (!extending(each))
      problems.push(`${whereOf(each)}plugin "${each.name}" does not extend ${typeOf(point)} plugin`);
  }
  const own = distinct(enabled, point, problems);
  if (disabled.includes('*')) return own;
  const everywhere = distinct(
    multiPoint.enabled.filter((each) => extending(each) && !disabled.includes(each.name) && !own.includes(each.name)),
    point,
    problems,
  );
  const isOverride = (name: string): boolean =>
    !disabled.includes(name) && multiPoint.enabled.some((each) => each.name === name);
  return [...own.filter((name) => isOverride(name)), ...everywhere, ...own.filter((name) => !isOverride(name))];
}

/** The weight at Score itself goes before that of all points; 0 is not set. */
function weightsOf({ multiPoint, points }: PluginSets): Readonly<Record<string, number>> {
  const weights = new Map<string, number>();
  for (const { name, weight = 0 } of [...points.score.enabled, ...multiPoint.enabled]) {
    if (!weights.has(name)) weights.set(name, weight === 0 ? 1 : weight);
  }
  return Object.fromEntries(weights);
}

function distinct(enabled: readonly EnabledPlugin[], point: ExtensionPoint, problems: string[]): readonly string[] {
  const seen = new Set<string>();
  for (const each of enabled) {
    if (seen.has(each.name))
      problems.push(`${whereOf(each)}plugin "${each.name}" already registered as "${typeOf(point)}"`);
    seen.add(each.name);
  }
  return [...seen];
}

function whereOf({ path }: EnabledPlugin): string {
  return path === undefined ? '' : `${path}: `;
}

/** Go's name of the point's interface. */
function typeOf(point: ExtensionPoint): string {
  return `${point.charAt(0).toUpperCase()}${point.slice(1)}Plugin`;
}
