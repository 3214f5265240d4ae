/** What a profile's own plugin sets make of the default ones. Mirrors `mergePlugins` of kube-scheduler v1.34 `apis/config/v1/default_plugins.go`. */
import { EXTENSION_POINTS, type ExtensionPoint } from '../framework/extension-points.js';
import type { EnabledPlugin, PluginSet, PluginSets } from './configuration.js';

/** A profile's own sets; absent ones change nothing. */
export type OwnPluginSets = Readonly<Partial<Record<'multiPoint' | ExtensionPoint, PluginSet>>>;

const EMPTY: PluginSet = { enabled: [], disabled: [] };

/** @param defaults - enabled at all points, in order */
export function mergePluginSets(defaults: readonly EnabledPlugin[], own: OwnPluginSets): PluginSets {
  const points = Object.fromEntries(EXTENSION_POINTS.map((point) => [point, mergeSet([], own[point] ?? EMPTY)]));
  return {
    multiPoint: mergeSet(defaults, own.multiPoint ?? EMPTY),
    points: points as Record<ExtensionPoint, PluginSet>,
  };
}

/** Defaults keep their places, with their new weight if they are named again; then come all others. */
function mergeSet(defaults: readonly EnabledPlugin[], { enabled, disabled }: PluginSet): PluginSet {
  const isAllDisabled = disabled.includes('*');
  const kept = isAllDisabled ? [] : defaults.filter(({ name }) => !disabled.includes(name));
  const replaced = new Set<EnabledPlugin>();
  const merged = kept.map((each) => {
    const again = enabled.findLast(({ name }) => name === each.name);
    if (again === undefined) return each;
    replaced.add(again);
    return again;
  });
  return { enabled: [...merged, ...enabled.filter((each) => !replaced.has(each))], disabled };
}

/** Every plugin that is enabled somewhere, each once: those of all points first. */
export function enabledPlugins({ multiPoint, points }: PluginSets): readonly EnabledPlugin[] {
  const byName = new Map<string, EnabledPlugin>();
  for (const { enabled } of [multiPoint, ...EXTENSION_POINTS.map((point) => points[point])]) {
    for (const plugin of enabled) if (!byName.has(plugin.name)) byName.set(plugin.name, plugin);
  }
  return [...byName.values()];
}
