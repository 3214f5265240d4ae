/**
 * Reads a KubeSchedulerConfiguration as users have it, fills in upstream's defaults and refuses what
 * upstream refuses, all faults at once. It checks the args of the built-in plugins; whether the plugins that a
 * profile names exist is seen when the scheduler is built, with the user's own ones at hand. Mirrors
 * kube-scheduler v1.34 `apis/config/{scheme,v1,validation}`.
 */
import { forbidden, invalid, notSupported, required } from '../../api/errors/field-errors.js';
import type { FieldError } from '../../api/objects/resource-kind.js';
import type { ClientConnection, SchedulerConfiguration, SchedulerProfile } from './configuration.js';
import { decodeFields, isMapping } from './decode-fields.js';
import { CONFIGURATION_SCHEMA, IGNORED_CONNECTION_FIELDS, IGNORED_FIELDS } from './field-schemas.js';
import { readProfile, validateCommonQueueSort, validatePercentage, type RawProfile } from './profiles.js';
import { SchedulerConfigError } from './scheduler-config-error.js';

const API_VERSION = 'kubescheduler.config.k8s.io/v1';
const KIND = 'KubeSchedulerConfiguration';

/** Where a value stands in the text of its file, such as `scheduler.yaml:4`. */
export type PositionOf = (path: readonly (string | number)[]) => string;

/** The configuration with its types checked. */
interface RawConfiguration {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly parallelism?: number;
  readonly percentageOfNodesToScore?: number;
  readonly podInitialBackoffSeconds?: number;
  readonly podMaxBackoffSeconds?: number;
  readonly clientConnection?: ClientConnection;
  readonly profiles?: readonly RawProfile[];
  readonly extenders?: unknown;
}

/**
 * Reads a configuration.
 *
 * @param given - as YAML and JSON are read
 * @param source - names it in messages, such as the path of its file
 * @param positionOf - where a value stands, of a text; only that must name its apiVersion and kind
 * @throws SchedulerConfigError with everything that is wrong
 */
export function parseSchedulerConfig(given: unknown, source: string, positionOf?: PositionOf): SchedulerConfiguration {
  const errors: FieldError[] = [];
  if (positionOf !== undefined && isMapping(given)) errors.push(...missingTypeErrors(given));
  const raw = (decodeFields(given, CONFIGURATION_SCHEMA, '', errors) ?? {}) as RawConfiguration;
  const rawProfiles = raw.profiles === undefined || raw.profiles.length === 0 ? [{}] : raw.profiles;
  const profiles = rawProfiles.map((profile, index) => readProfile(profile, index, rawProfiles.length, errors));
  const configuration: SchedulerConfiguration = {
    source,
    percentageOfNodesToScore: raw.percentageOfNodesToScore ?? 0,
    podInitialBackoffSeconds: raw.podInitialBackoffSeconds ?? 1,
    podMaxBackoffSeconds: raw.podMaxBackoffSeconds ?? 10,
    profiles,
    ...connectionOf(raw),
    ignored: ignoredFields(raw),
  };
  errors.push(...validate(raw, configuration));
  if (errors.length > 0) {
    const positions = errors.map(({ field }) => positionOf?.(pathOf(field)) ?? source);
    throw new SchedulerConfigError(source, errors.map(problemText), positions);
  }
  return configuration;
}

function connectionOf({ clientConnection }: RawConfiguration): Pick<SchedulerConfiguration, 'clientConnection'> {
  if (clientConnection === undefined) return {};
  const { qps, burst } = clientConnection;
  return { clientConnection: { qps, burst } };
}

function ignoredFields({ clientConnection = {}, ...raw }: RawConfiguration): readonly string[] {
  return [
    ...IGNORED_FIELDS.filter((name) => name in raw),
    ...IGNORED_CONNECTION_FIELDS.filter((name) => name in clientConnection).map((name) => `clientConnection.${name}`),
  ];
}

/** `profiles[0].name` in steps. */
function pathOf(field: string): readonly (string | number)[] {
  return [...field.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([step, index]) =>
    index === undefined ? step : Number(index),
  );
}

function problemText({ field, detail }: FieldError): string {
  return field === '' ? detail : `${field}: ${detail}`;
}

function missingTypeErrors(given: Readonly<Record<string, unknown>>): FieldError[] {
  return ['apiVersion', 'kind'].filter((name) => given[name] === undefined).map((name) => required(name));
}

function validate(raw: RawConfiguration, configuration: SchedulerConfiguration): FieldError[] {
  const { apiVersion = API_VERSION, kind = KIND, parallelism = 16, extenders } = raw;
  const { podInitialBackoffSeconds: initial, podMaxBackoffSeconds: max, profiles } = configuration;
  const errors: FieldError[] = [];
  if (apiVersion !== API_VERSION) errors.push(notSupported('apiVersion', apiVersion, [API_VERSION]));
  if (kind !== KIND) errors.push(notSupported('kind', kind, [KIND]));
  if (parallelism <= 0) {
    errors.push(invalid('parallelism', parallelism, 'should be an integer value greater than zero'));
  }
  const { burst = 0 } = configuration.clientConnection ?? {};
  if (burst < 0) errors.push(invalid('clientConnection.burst', burst, 'must be non-negative'));
  errors.push(...validateNames(profiles), ...validateCommonQueueSort(profiles));
  errors.push(...validatePercentage('percentageOfNodesToScore', raw.percentageOfNodesToScore));
  if (initial <= 0) errors.push(invalid('podInitialBackoffSeconds', initial, 'must be greater than 0'));
  if (max < initial) {
    const rule = 'must be greater than or equal to PodInitialBackoffSeconds';
    errors.push(invalid('podMaxBackoffSeconds', max, rule));
  }
  const isExtended = Array.isArray(extenders) ? extenders.length > 0 : extenders !== undefined;
  if (isExtended) {
    errors.push(forbidden('extenders', 'extenders are not called here, and would change decisions'));
  }
  return errors;
}

function validateNames(profiles: readonly SchedulerProfile[]): FieldError[] {
  const seen = new Map<string, string>();
  return profiles.flatMap(({ schedulerName, path }): FieldError[] => {
    const own = `${path}.schedulerName`;
    const first = seen.get(schedulerName);
    seen.set(schedulerName, own);
    if (schedulerName === '') return [required(own)];
    if (first === undefined) return [];
    const detail = `Duplicate value: ${JSON.stringify(schedulerName)}: already at ${first}`;
    return [{ type: 'FieldValueDuplicate', field: own, detail }];
  });
}
