/**
 * Every built-in plugin by name, in the order of the default profile, with its weight there, how it is
 * built, and what is wrong with args for it. One entry a plugin: a new one gets a line here.
 * Each extension point restricts the order to the plugins that implement it. Mirrors kube-scheduler
 * v1.34 `apis/config/v1/default_plugins.go` and `framework/plugins/registry.go`.
 */
import type { FieldError } from '../../api/objects/resource-kind.js';
import type { ProfilePlugin } from '../framework/framework.js';
import type { FrameworkHandle, PluginFactory } from '../framework/interface.js';
import { assert } from '../../kernel/assert.js';
import { validatePreemptionArgs, type PreemptionArgs } from '../framework/preemption/preemption-args.js';
import { DefaultPreemption } from './default-preemption.js';
import { DynamicResources } from './dynamic-resources/dynamic-resources.js';
import { validateInterPodAffinityArgs, type InterPodAffinityArgs } from './inter-pod-affinity/args.js';
import { InterPodAffinity } from './inter-pod-affinity/inter-pod-affinity.js';
import { validatePodTopologySpreadArgs, type PodTopologySpreadArgs } from './pod-topology-spread/args.js';
import { PodTopologySpread } from './pod-topology-spread/pod-topology-spread.js';
import { NodeVolumeLimits } from './volumes/node-volume-limits.js';
import { validateVolumeBindingArgs } from './volumes/volume-binding/volume-binding-args.js';
import { VolumeBinding, type VolumeBindingArgs } from './volumes/volume-binding/volume-binding.js';
import { VolumeRestrictions } from './volumes/volume-restrictions.js';
import { VolumeZone } from './volumes/volume-zone.js';
import { DefaultBinder } from './default-binder.js';
import { ImageLocality } from './image-locality.js';
import { validateNodeAffinityArgs } from './node-affinity-args.js';
import { NodeAffinity, type NodeAffinityArgs } from './node-affinity.js';
import { NodeName } from './node-name.js';
import { NodePorts } from './node-ports.js';
import { validateBalancedAllocationArgs, validateFitArgs } from './node-resources-args.js';
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

/**
 * Everything that is wrong with a plugin's args, in upstream's words. The types of the fields have been
 * checked before, absent fields are absent. `path` is where the args stand, such as
 * `profiles[0].pluginConfig[2].args`.
 */
export type ArgsValidator = (args: never, path: string) => readonly FieldError[];

interface InTreePlugin {
  readonly name: string;
  /** In the default profile. */
  readonly weight?: number;
  readonly create: PluginFactory;
  readonly validateArgs?: ArgsValidator;
}

const PLUGINS: readonly InTreePlugin[] = [
  { name: 'SchedulingGates', create: () => new SchedulingGates() },
  { name: 'PrioritySort', create: () => new PrioritySort() },
  { name: 'NodeUnschedulable', create: () => new NodeUnschedulable() },
  { name: 'NodeName', create: () => new NodeName() },
  { name: 'TaintToleration', weight: 3, create: () => new TaintToleration() },
  {
    name: 'NodeAffinity',
    weight: 2,
    create: (args) => new NodeAffinity(args as NodeAffinityArgs | undefined),
    validateArgs: validateNodeAffinityArgs,
  },
  { name: 'NodePorts', create: () => new NodePorts() },
  {
    name: 'NodeResourcesFit',
    weight: 1,
    create: (args) => new NodeResourcesFit(args as NodeResourcesFitArgs | undefined),
    validateArgs: validateFitArgs,
  },
  { name: 'VolumeRestrictions', create: (_args, handle) => new VolumeRestrictions(handle) },
  { name: 'NodeVolumeLimits', create: (_args, handle) => new NodeVolumeLimits(handle) },
  {
    name: 'VolumeBinding',
    create: (args, handle) => new VolumeBinding(handle, args as VolumeBindingArgs | undefined),
    validateArgs: validateVolumeBindingArgs,
  },
  { name: 'VolumeZone', create: (_args, handle) => new VolumeZone(handle) },
  {
    name: 'PodTopologySpread',
    weight: 2,
    create: (args, handle) => new PodTopologySpread(args as PodTopologySpreadArgs | undefined, handle),
    validateArgs: validatePodTopologySpreadArgs,
  },
  {
    name: 'InterPodAffinity',
    weight: 2,
    create: (args, handle) => new InterPodAffinity(args as InterPodAffinityArgs | undefined, handle),
    validateArgs: validateInterPodAffinityArgs,
  },
  { name: 'DynamicResources', create: (_args, handle) => new DynamicResources(handle) },
  {
    name: 'DefaultPreemption',
    create: (args, handle) => new DefaultPreemption(args as PreemptionArgs | undefined, handle),
    validateArgs: validatePreemptionArgs,
  },
  {
    name: 'NodeResourcesBalancedAllocation',
    weight: 1,
    create: (args) => new NodeResourcesBalancedAllocation(args as BalancedAllocationArgs | undefined),
    validateArgs: validateBalancedAllocationArgs,
  },
  { name: 'ImageLocality', weight: 1, create: (_args, handle) => new ImageLocality(handle) },
  { name: 'DefaultBinder', create: (_args, handle) => new DefaultBinder(handle) },
];

/** The built-in plugins. */
export const IN_TREE_PLUGINS: PluginRegistry = new Map(PLUGINS.map(({ name, create }) => [name, create]));

/** The default profile. */
export const DEFAULT_PLUGINS: readonly PluginSpec[] = PLUGINS.map(({ name, weight }) =>
  weight === undefined ? { name } : { name, weight },
);

/** What checks the args of built-in plugins, by plugin name; plugins without args have none. */
export const ARGS_VALIDATORS: ReadonlyMap<string, ArgsValidator> = new Map(
  PLUGINS.flatMap(({ name, validateArgs }) => (validateArgs === undefined ? [] : [[name, validateArgs] as const])),
);

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
