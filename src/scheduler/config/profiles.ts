/** The profiles of a configuration: plugin sets, args and what upstream validates of them. Mirrors `validateKubeSchedulerProfile` of kube-scheduler v1.34. */
import { GoValue } from '../../api/go/go-json.js';
import { duplicate, invalid, notSupported } from '../../api/errors/field-errors.js';
import type { FieldError } from '../../api/objects/resource-kind.js';
import { EXTENSION_POINTS } from '../framework/extension-points.js';
import { ARGS_VALIDATORS, DEFAULT_PLUGINS } from '../plugins/registry.js';
import type { EnabledPlugin, PluginSet, SchedulerProfile } from './configuration.js';
import { decodeFields, isMapping } from './decode-fields.js';
import { ARGS_SCHEMAS } from './field-schemas.js';
import { mergePluginSets, type OwnPluginSets } from './merge-plugin-sets.js';

/** A profile with its types checked. */
export interface RawProfile {
  readonly schedulerName?: string;
  readonly percentageOfNodesToScore?: number;
  readonly plugins?: Readonly<Record<string, RawPluginSet>>;
  readonly pluginConfig?: readonly RawPluginConfig[];
}

interface RawPluginSet {
  readonly enabled?: readonly { readonly name?: string; readonly weight?: number }[];
  readonly disabled?: readonly { readonly name?: string }[];
}

interface RawPluginConfig {
  readonly name?: string;
  readonly args?: unknown;
}

const DEFAULT_NAME = 'default-scheduler';
const ARGS_VERSION = 'kubescheduler.config.k8s.io/v1';
const REMOVED_PLUGINS: ReadonlySet<string> = new Set(['AzureDiskLimits', 'CinderLimits', 'EBSLimits', 'GCEPDLimits']);

/**
 * One profile with its defaults.
 *
 * @param count - number of profiles: only a single one may go without a name
 * @param errors - gets what is wrong
 */
export function readProfile(raw: RawProfile, index: number, count: number, errors: FieldError[]): SchedulerProfile {
  const path = `profiles[${index}]`;
  const { percentageOfNodesToScore } = raw;
  errors.push(...validatePercentage(`${path}.percentageOfNodesToScore`, percentageOfNodesToScore));
  return {
    schedulerName: raw.schedulerName ?? (count === 1 ? DEFAULT_NAME : ''),
    path,
    percentageOfNodesToScore,
    plugins: mergePluginSets(DEFAULT_PLUGINS, readPluginSets(raw.plugins ?? {}, `${path}.plugins`, errors)),
    args: readPluginConfig(raw.pluginConfig ?? [], `${path}.pluginConfig`, errors),
  };
}

/** A percentage is 0..100. */
export function validatePercentage(path: string, percentage: number | undefined): FieldError[] {
  if (percentage === undefined || (percentage >= 0 && percentage <= 100)) return [];
  return [invalid(path, percentage, 'not in valid range [0-100]')];
}

/** All profiles share one queue, so they must sort it alike. */
export function validateCommonQueueSort(profiles: readonly SchedulerProfile[]): FieldError[] {
  const [first, ...others] = profiles.map(({ path, plugins, args }) => ({
    path,
    args,
    set: plainSet(plugins.points.queueSort),
  }));
  if (first === undefined) return [];
  const sorter = first.set.enabled[0]?.name ?? '';
  const errors: FieldError[] = [];
  const { length } = first.set.enabled;
  if (length > 1) {
    const problem = 'only one queue sort plugin can be enabled';
    errors.push(invalid(`${first.path}.plugins.queueSort.enabled`, length, problem));
  }
  const rule = 'must be the same for all profiles';
  for (const { path, set, args } of others) {
    if (!isSame(set, first.set)) errors.push(invalid(`${path}.plugins.queueSort`, setAsGo(set), rule));
    if (!isSame(args[sorter], first.args[sorter])) {
      errors.push(invalid(`${path}.pluginConfig.args`, args[sorter], `queueSort ${rule}`));
    }
  }
  return errors;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function plainSet({ enabled, disabled }: PluginSet): PluginSet {
  return { enabled: enabled.map(({ name, weight = 0 }) => ({ name, weight })), disabled };
}

/** As Go prints the scheduler's internal type, without JSON names of fields (v1.34 pkg/scheduler/apis/config). */
function setAsGo({ enabled, disabled }: PluginSet): GoValue {
  const Enabled = enabled.map(({ name, weight = 0 }) => ({ Name: name, Weight: weight }));
  return new GoValue(JSON.stringify({ Enabled, Disabled: disabled.map((name) => ({ Name: name, Weight: 0 })) }));
}

function readPluginSets(
  raw: Readonly<Record<string, RawPluginSet>>,
  path: string,
  errors: FieldError[],
): OwnPluginSets {
  const sets = Object.entries(raw).map(([point, { enabled = [], disabled = [] }]) => {
    const read = enabled.map(({ name = '', weight }, index): EnabledPlugin => {
      const own = `${path}.${point}.enabled[${index}]`;
      if (EXTENSION_POINTS.some((each) => each === point)) errors.push(...validateNotRemoved(own, name));
      return { name, weight, path: own };
    });
    return [point, { enabled: read, disabled: disabled.map(({ name = '' }) => name) }] as const;
  });
  return Object.fromEntries(sets);
}

function validateNotRemoved(path: string, name: string): FieldError[] {
  if (!REMOVED_PLUGINS.has(name)) return [];
  return [invalid(path, name, `was invalid in version "v1" (KubeSchedulerConfiguration is version "${ARGS_VERSION}")`)];
}

function readPluginConfig(
  configs: readonly RawPluginConfig[],
  path: string,
  errors: FieldError[],
): Readonly<Record<string, unknown>> {
  const args = new Map<string, unknown>();
  for (const [index, { name = '', args: given }] of configs.entries()) {
    const own = `${path}[${index}]`;
    if (args.has(name)) errors.push(duplicate(own, name));
    errors.push(...validateNotRemoved(own, name));
    args.set(name, given === undefined ? undefined : readArgs(name, given, `${own}.args`, errors));
  }
  return Object.fromEntries(args);
}

/** Args of plugins that are not built in are checked by these plugins. */
function readArgs(plugin: string, given: unknown, path: string, errors: FieldError[]): unknown {
  const schema = ARGS_SCHEMAS.get(plugin);
  if (schema === undefined) return given;
  const found: FieldError[] = [];
  const decoded = decodeFields(given, schema, path, found);
  if (!isMapping(decoded)) {
    errors.push(...found);
    return undefined;
  }
  const { apiVersion = ARGS_VERSION, kind = `${plugin}Args`, ...args } = decoded;
  if (apiVersion !== ARGS_VERSION) found.push(notSupported(`${path}.apiVersion`, apiVersion, [ARGS_VERSION]));
  if (kind !== `${plugin}Args`) found.push(notSupported(`${path}.kind`, kind, [`${plugin}Args`]));
  // What has the wrong type would be reported twice.
  if (found.length === 0) found.push(...(ARGS_VALIDATORS.get(plugin)?.(args as never, path) ?? []));
  errors.push(...found);
  return args;
}
