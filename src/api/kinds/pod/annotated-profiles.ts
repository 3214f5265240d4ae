/**
 * Profiles of AppArmor and seccomp that annotations state, as was the way before there were fields: those of AppArmor
 * become fields of a new pod, those of seccomp must be what its fields say (pkg/registry/core/pod/strategy.go,
 * pkg/apis/core/validation, v1.34).
 */
import { forbidden } from '../../errors/field-errors.js';
import type { Container, core, PodSpec, StringMap } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validateAppArmor } from './security-validation.js';

const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const SECCOMP_OF_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP = 'container.seccomp.security.alpha.kubernetes.io/';
const LISTS = ['initContainers', 'containers'] as const;
const NO_ERRORS: readonly FieldError[] = Object.freeze([]);
const LOCAL = 'localhost/';
/** What annotations call the profile of the runtime. */
const RUNTIME_DEFAULTS = { seccomp: ['runtime/default', 'docker/default'], apparmor: ['runtime/default'] };

/** The spec of a new pod with the profiles of its annotations. @param warn - told of annotations in the place of fields */
export function withAppArmorProfiles(spec: PodSpec, annotations: StringMap, warn: (text: string) => void): PodSpec {
  if (spec.os?.name === 'windows' || !Object.keys(annotations).some((key) => key.startsWith(APPARMOR))) return spec;
  const ofPod = spec.securityContext?.appArmorProfile;
  const profiled = (container: Container): Container => {
    const key = `${APPARMOR}${container.name}`;
    const annotation = annotations[key];
    if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) return container;
    const profile = appArmorOf(annotation);
    if (profile !== undefined && isSame(profile, ofPod)) return container;
    warn(`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
    if (profile === undefined) return container;
    return { ...container, securityContext: { ...container.securityContext, appArmorProfile: profile } };
  };
  const { containers, initContainers } = spec;
  return {
    ...spec,
    containers: containers.map(profiled),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(profiled) }),
  };
}

/** Undefined for what is no profile. */
function appArmorOf(annotation: string): core.AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  if (!annotation.startsWith(LOCAL)) return undefined;
  const profile = { type: 'Localhost', localhostProfile: annotation.slice(LOCAL.length) };
  return validateAppArmor(profile, '').length === 0 ? profile : undefined;
}

function isSame(a: core.AppArmorProfile, b: core.AppArmorProfile | undefined): boolean {
  return a.type === b?.type && a.localhostProfile === b.localhostProfile;
}

/** A pod, or the template of pods. */
interface Annotated {
  readonly metadata?: { readonly annotations?: StringMap };
  readonly spec: PodSpec;
}

/** A profile that a field states. */
interface Stated {
  readonly type: string;
  readonly localhostProfile?: string;
}

/** Where annotations state other profiles of seccomp than the fields. @param field - of the spec */
export function validateSeccompAnnotations({ metadata, spec }: Annotated, field: string): readonly FieldError[] {
  const { annotations } = metadata ?? {};
  if (annotations === undefined) return NO_ERRORS;
  return [
    ...seccompMismatch(annotations[SECCOMP_OF_POD], spec.securityContext, field),
    ...ofContainers(spec, field, ({ name, securityContext }, at) =>
      seccompMismatch(annotations[`${SECCOMP}${name}`], securityContext, at),
    ),
  ];
}

function seccompMismatch(
  annotation: string | undefined,
  context: { readonly seccompProfile?: Stated } | undefined,
  at: string,
): readonly FieldError[] {
  return mismatch(annotation, context?.seccompProfile, `${at}.securityContext.seccompProfile`, 'seccomp');
}

/** Where annotations of a new pod state other profiles of AppArmor than its fields, which have them by now. */
export function validateAppArmorAnnotations({ metadata, spec }: Annotated, field: string): readonly FieldError[] {
  const { annotations } = metadata ?? {};
  if (annotations === undefined || spec.os?.name === 'windows') return NO_ERRORS;
  return ofContainers(spec, field, ({ name, securityContext }, at) => {
    const profile = securityContext?.appArmorProfile;
    return mismatch(annotations[`${APPARMOR}${name}`], profile, `${at}.securityContext.appArmorProfile`, 'apparmor');
  });
}

function ofContainers(
  spec: PodSpec,
  field: string,
  check: (container: Container, at: string) => readonly FieldError[],
): readonly FieldError[] {
  return LISTS.flatMap((list) =>
    (spec[list] ?? []).flatMap((each, index) => check(each, `${field}.${list}[${index}]`)),
  );
}

function mismatch(
  annotation: string | undefined,
  profile: Stated | undefined,
  at: string,
  what: 'seccomp' | 'apparmor',
): readonly FieldError[] {
  if (annotation === undefined || profile === undefined) return NO_ERRORS;
  const { type, localhostProfile } = profile;
  const isOfType =
    (type === 'Unconfined' && annotation === 'unconfined') ||
    (type === 'RuntimeDefault' && RUNTIME_DEFAULTS[what].includes(annotation)) ||
    (type === 'Localhost' && annotation.startsWith(LOCAL));
  if (!isOfType) return [forbidden(`${at}.type`, `${what} type in annotation and field must match`)];
  if (type !== 'Localhost' || annotation.slice(LOCAL.length) === localhostProfile) return NO_ERRORS;
  return [forbidden(`${at}.localhostProfile`, `${what} profile in annotation and field must match`)];
}
