/**
 * The profiles of a scheduler: each has its own plugins, and pods choose one by `spec.schedulerName`.
 * All share the queue, the snapshot, the pods that wait on Permit and the place where the next scan
 * begins. Mirrors kube-scheduler v1.34 `profile/profile.go`.
 */
import { assert } from '../kernel/assert.js';
import type { Clock } from '../kernel/engine/clock.js';
import type { SchedulerConfiguration, SchedulerProfile } from './config/configuration.js';
import { expandPluginSets } from './config/expand-plugin-sets.js';
import { enabledPlugins } from './config/merge-plugin-sets.js';
import { SchedulerConfigError } from './config/scheduler-config-error.js';
import { Framework, type ProfilePlugin } from './framework/framework.js';
import type { FrameworkHandle, PluginFactory } from './framework/interface.js';
import type { WaitingPods } from './framework/waiting-pods.js';
import { buildPlugins, IN_TREE_PLUGINS, type PluginRegistry, type PluginSpec } from './plugins/registry.js';

/** A user's own plugins by name. */
export type OwnPlugins = PluginRegistry | Readonly<Record<string, PluginFactory>>;

/** One profile, ready to decide. */
export interface Profile {
  readonly schedulerName: string;
  /** 1..100; 0 = fewer the more nodes there are. */
  readonly percentageOfNodesToScore: number;
  readonly plugins: readonly PluginSpec[];
  readonly framework: Framework;
}

/** What profiles are built with. */
export interface ProfileParts {
  readonly clock: Clock;
  readonly waitingPods: WaitingPods;
  readonly registry: PluginRegistry;
  /** What the plugins of one profile may use; its framework is there once all of them are made. */
  readonly createHandle: (framework: () => Framework, schedulerName: string) => FrameworkHandle;
}

/** A profile that is a plain list of plugins, called at every point in this order. */
export interface PlainProfile {
  readonly schedulerName: string;
  readonly percentageOfNodesToScore: number;
  readonly plugins: readonly PluginSpec[];
}

/**
 * The built-in and the user's plugins.
 *
 * @throws SchedulerConfigError when a user's plugin has the name of a built-in one
 */
export function mergedRegistry(own: OwnPlugins = {}): PluginRegistry {
  const added = own instanceof Map ? (own as PluginRegistry) : new Map(Object.entries(own));
  const problems = [...added]
    .filter(([name, factory]) => IN_TREE_PLUGINS.has(name) && IN_TREE_PLUGINS.get(name) !== factory)
    .map(([name]) => `a plugin named ${name} already exists`);
  if (problems.length > 0) throw new SchedulerConfigError('plugins', problems);
  return new Map([...IN_TREE_PLUGINS, ...added]);
}

/** Whether a user has given plugins that upstream has not. */
export function hasOwnPlugins(own: OwnPlugins = {}): boolean {
  const names = own instanceof Map ? [...(own as PluginRegistry).keys()] : Object.keys(own);
  return names.some((name) => !IN_TREE_PLUGINS.has(name));
}

/** Builds a profile of a plain list. */
export function buildPlainProfile(profile: PlainProfile, parts: ProfileParts): Profile {
  const build = (plugins: readonly ProfilePlugin[]): Framework =>
    new Framework(plugins, parts.clock, { waitingPods: parts.waitingPods });
  return { ...profile, framework: withHandle(profile, parts, build) };
}

/**
 * Builds the profiles of a configuration.
 *
 * @throws SchedulerConfigError for names that are not registered, and for plugins where they cannot be
 */
export function buildProfiles(configuration: SchedulerConfiguration, parts: ProfileParts): readonly Profile[] {
  const { source } = configuration;
  const unknown = configuration.profiles.flatMap((profile) => unknownNames(profile, parts.registry));
  if (unknown.length > 0) throw new SchedulerConfigError(source, unknown);
  const problems: string[] = [];
  const profiles = configuration.profiles.flatMap((profile) => buildProfile(profile, configuration, parts, problems));
  const [first, ...others] = profiles;
  for (const { schedulerName, framework } of others) {
    if (framework.queueSort.name === first?.framework.queueSort.name) continue;
    problems.push(`profile ${JSON.stringify(schedulerName)}: queueSort must be the same for all profiles`);
  }
  if (problems.length > 0) throw new SchedulerConfigError(source, problems);
  return profiles;
}

/** One profile, or none when its plugins cannot be put in order. */
function buildProfile(
  profile: SchedulerProfile,
  configuration: SchedulerConfiguration,
  parts: ProfileParts,
  problems: string[],
): Profile[] {
  const plugins = enabledPlugins(profile.plugins).map(({ name }): PluginSpec => ({ name, args: profile.args[name] }));
  const found: string[] = [];
  const build = (built: readonly ProfilePlugin[]): Framework | undefined => {
    const byName = new Map(built.map(({ plugin }) => [plugin.name, plugin]));
    const expanded = expandPluginSets(profile, byName);
    found.push(...expanded.problems);
    if (found.length > 0) return undefined;
    return new Framework(built, parts.clock, { order: expanded.order, waitingPods: parts.waitingPods });
  };
  const framework = withHandle({ schedulerName: profile.schedulerName, plugins }, parts, build);
  problems.push(...found);
  if (framework === undefined) return [];
  const percentageOfNodesToScore = profile.percentageOfNodesToScore ?? configuration.percentageOfNodesToScore;
  return [{ schedulerName: profile.schedulerName, percentageOfNodesToScore, plugins, framework }];
}

/** Makes the plugins with a handle that leads to the framework, which is then made of them. */
function withHandle<T extends Framework | undefined>(
  { schedulerName, plugins: specs }: Pick<PlainProfile, 'schedulerName' | 'plugins'>,
  { createHandle, registry }: ProfileParts,
  build: (plugins: readonly ProfilePlugin[]) => T,
): T {
  let framework: Framework | undefined = undefined;
  const handle = createHandle(() => {
    assert(framework !== undefined, 'a plugin may use its framework once the profile is complete, and not before');
    return framework;
  }, schedulerName);
  const plugins = buildPlugins(specs, handle, registry);
  for (const [index, { plugin }] of plugins.entries()) {
    const name = specs[index]?.name ?? '';
    assert(plugin.name === name, `the plugin registered as ${name} must have that name, got ${plugin.name}`);
  }
  const built = build(plugins);
  framework = built;
  return built;
}

function unknownNames({ plugins, args, path }: SchedulerProfile, registry: PluginRegistry): string[] {
  const named = enabledPlugins(plugins).map((plugin) => ({ name: plugin.name, at: plugin.path ?? `${path}.plugins` }));
  const configured = Object.keys(args).map((name) => ({ name, at: `${path}.pluginConfig` }));
  return [...named, ...configured]
    .filter(({ name }) => !registry.has(name))
    .map(({ name, at }) => `${at}: plugin ${JSON.stringify(name)} not found`);
}
