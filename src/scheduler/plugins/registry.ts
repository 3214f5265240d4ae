/**
 * Every plugin that the scheduler knows by name, and the default profile: upstream's order, which each
 * extension point restricts to those that implement it, and upstream's weights. The order keeps the
 * places of plugins that are not here yet: VolumeRestrictions, NodeVolumeLimits, VolumeBinding,
 * VolumeZone, PodTopologySpread (weight 2), InterPodAffinity (weight 2), DynamicResources and
 * DefaultPreemption stand between NodeResourcesFit and NodeResourcesBalancedAllocation. Mirrors
 * kube-scheduler v1.34 `apis/config/v1/default_plugins.go`.
 */
import type { ProfilePlugin } from '../framework/framework.js';
import type { FrameworkHandle, PluginFactory } from '../framework/interface.js';
import { assert } from '../../kernel/assert.js';
import { DefaultBinder } from './default-binder.js';
import { ImageLocality } from './image-locality.js';
import { NodeAffinity, type NodeAffinityArgs } from './node-affinity.js';
import { NodeName } from './node-name.js';
import { NodePorts } from './node-ports.js';
import { NodeResourcesBalancedAllocation, type BalancedAllocationArgs } from './node-resources-balanced-allocation.js';
import { NodeResourcesFit, type NodeResourcesFitArgs } from './node-resources-fit.js';
import { NodeUnschedulable } from './node-unschedulable.js';
import { PrioritySort } from './priority-sort.js';
import { SchedulingGates } from './scheduling-gates.js';
import { TaintToleration } from './taint-toleration.js';

/** A plugin of a profile by name. */
export interface PluginSpec {
  readonly name: string;
  /** @defaultValue 1 */
  readonly weight?: number | undefined;
  /** Its `pluginConfig` args; must be plain data, since worker threads get a copy. */
  readonly args?: unknown;
}

/** Plugins by name. */
export type PluginRegistry = ReadonlyMap<string, PluginFactory>;

/** Our own plugins. */
export const IN_TREE_PLUGINS: PluginRegistry = new Map<string, PluginFactory>([
  ['SchedulingGates', () => new SchedulingGates()],
  ['PrioritySort', () => new PrioritySort()],
  ['NodeUnschedulable', () => new NodeUnschedulable()],
  ['NodeName', () => new NodeName()],
  ['TaintToleration', () => new TaintToleration()],
  ['NodeAffinity', (args) => new NodeAffinity(args as NodeAffinityArgs | undefined)],
  ['NodePorts', () => new NodePorts()],
  ['NodeResourcesFit', (args) => new NodeResourcesFit(args as NodeResourcesFitArgs | undefined)],
  [
    'NodeResourcesBalancedAllocation',
    (args) => new NodeResourcesBalancedAllocation(args as BalancedAllocationArgs | undefined),
  ],
  ['ImageLocality', (_args, handle) => new ImageLocality(handle)],
  ['DefaultBinder', (_args, handle) => new DefaultBinder(handle)],
]);

/** The default profile. */
export const DEFAULT_PLUGINS: readonly PluginSpec[] = [
  { name: 'SchedulingGates' },
  { name: 'PrioritySort' },
  { name: 'NodeUnschedulable' },
  { name: 'NodeName' },
  { name: 'TaintToleration', weight: 3 },
  { name: 'NodeAffinity', weight: 2 },
  { name: 'NodePorts' },
  { name: 'NodeResourcesFit', weight: 1 },
  { name: 'NodeResourcesBalancedAllocation', weight: 1 },
  { name: 'ImageLocality', weight: 1 },
  { name: 'DefaultBinder' },
];

/** Builds the plugins of a profile. */
export function buildPlugins(
  specs: readonly PluginSpec[],
  handle: FrameworkHandle,
  registry: PluginRegistry = IN_TREE_PLUGINS,
): ProfilePlugin[] {
  return specs.map(({ name, weight, args }) => {
    const factory = registry.get(name);
    assert(factory !== undefined, `plugin ${name} must be registered, got only ${[...registry.keys()].join(', ')}`);
    return { plugin: factory(args, handle), weight };
  });
}
