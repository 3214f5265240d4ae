/** Validation of ephemeral containers, and of what an update may change of them (pkg/apis/core/validation, v1.34). */
import { duplicate, forbidden, invalid, notFound } from '../../errors/field-errors.js';
import { goJsonLines } from '../../go/go-json.js';
import { unifiedDiff } from '../../go/unified-diff.js';
import type { Container, core } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { isSameJson } from '../../values/canonical-json.js';
import { validateCommon } from './container-validation.js';

const FIELD = 'spec.ephemeralContainers';
const NEVER_SET = 'cannot be set for an Ephemeral Container';
/** What a container has that serves for more than a look at a pod, in the order of its fields. */
const NOT_ALLOWED = [
  'ports',
  'resources',
  'resizePolicy',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;

type Ephemeral = Partial<core.EphemeralContainer>;

/** Each by itself, and beside the others of its pod. @param others - those that are not ephemeral */
export function validateEphemeralContainers(
  containers: readonly Ephemeral[],
  others: readonly Container[],
  volumes: ReadonlySet<string>,
  field: string,
): readonly FieldError[] {
  const otherNames = new Set(others.map(({ name }) => name));
  const names = new Set(otherNames);
  return containers.flatMap((container, index) => {
    const { name = '', image = '', targetContainerName = '', volumeMounts = [] } = container;
    const own = `${field}[${index}]`;
    const errors = [...validateCommon(container, volumes, own)];
    if (image !== image.trim())
      errors.push(invalid(`${own}.image`, image, 'must not have leading or trailing whitespace'));
    if (names.has(name)) errors.push(duplicate(`${own}.name`, name));
    names.add(name);
    if (targetContainerName !== '' && !otherNames.has(targetContainerName)) {
      errors.push(notFound(`${own}.targetContainerName`, targetContainerName));
    }
    for (const part of NOT_ALLOWED) if (isSet(container, part)) errors.push(forbidden(`${own}.${part}`, NEVER_SET));
    for (const [at, mount] of volumeMounts.entries()) {
      for (const part of ['subPath', 'subPathExpr'] as const) {
        if ((mount[part] ?? '') !== '') errors.push(forbidden(`${own}.volumeMounts[${at}].${part}`, NEVER_SET));
      }
    }
    return errors;
  });
}

/** Resources that are empty are those of a container that has none; any other field counts once it is there. */
function isSet(container: Ephemeral, part: (typeof NOT_ALLOWED)[number]): boolean {
  const value = container[part];
  return value !== undefined && !(part === 'resources' && Object.keys(value).length === 0);
}

/** Those that a pod has stay as they are. */
export function validateEphemeralContainersKept(
  next: readonly Ephemeral[],
  previous: readonly Ephemeral[],
): readonly FieldError[] {
  const byName = new Map(next.map((container) => [container.name, container]));
  return previous.flatMap((old) => {
    const same = byName.get(old.name);
    const what = `existing ephemeral containers ${JSON.stringify(old.name)} may not be`;
    if (same === undefined) return [forbidden(FIELD, `${what} removed\n`)];
    if (isSameJson(same, old)) return [];
    const difference = unifiedDiff(goJsonLines('EphemeralContainer', old), goJsonLines('EphemeralContainer', same));
    return [forbidden(FIELD, `${what} changed\n${difference}`)];
  });
}
