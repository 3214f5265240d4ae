/** Validation of security contexts, in upstream's order (pkg/apis/core/validation, v1.34). */
import { duplicate, invalid, joinedErrors, notSupported, required } from '../../errors/field-errors.js';
import { asGo } from '../../go/go-json.js';
import type { core } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { MAX_INT32 } from '../../values/int32.js';
import { inRange } from '../rules/number-validation.js';
import { validateBelow } from './volume-validation.js';

const LONGEST_SYSCTL = 253;
const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
/** The rule as upstream writes it. */
const SYSCTL_TEXT = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const PROC_MOUNTS = ['Default', 'Unmasked'];
const CHANGE_POLICIES = ['Always', 'OnRootMismatch'];
const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const NO_ERRORS: readonly FieldError[] = Object.freeze([]);
const NO_ESCALATION = 'cannot set `allowPrivilegeEscalation` to false and';

/** That of a container. Containers may be privileged, as where an API server has --allow-privileged. */
export function validateSecurityContext(context: core.SecurityContext, field: string): readonly FieldError[] {
  const { runAsUser, runAsGroup, privileged, allowPrivilegeEscalation, capabilities, procMount } = context;
  const rules: string[] = [];
  if (allowPrivilegeEscalation === false) {
    if (privileged === true) rules.push(`${NO_ESCALATION} \`privileged\` to true`);
    for (const each of capabilities?.add ?? []) {
      if (each === 'CAP_SYS_ADMIN') rules.push(`${NO_ESCALATION} \`capabilities.Add\` CAP_SYS_ADMIN`);
    }
  }
  return joinedErrors(
    validateId(runAsUser, `${field}.runAsUser`),
    validateId(runAsGroup, `${field}.runAsGroup`),
    procMount === undefined || PROC_MOUNTS.includes(procMount)
      ? NO_ERRORS
      : [notSupported(`${field}.procMount`, procMount, PROC_MOUNTS)],
    validateSeccomp(context.seccompProfile, `${field}.seccompProfile`),
    validateAppArmor(context.appArmorProfile, `${field}.appArmorProfile`),
    rules.map((rule) => invalid(field, asGo('SecurityContext', context), rule)),
  );
}

/** That of a pod. */
export function validatePodSecurityContext(context: core.PodSecurityContext, field: string): readonly FieldError[] {
  const { fsGroup, runAsUser, runAsGroup, supplementalGroups = [], sysctls = [] } = context;
  const { fsGroupChangePolicy: policy } = context;
  return joinedErrors(
    validateId(fsGroup, `${field}.fsGroup`),
    validateId(runAsUser, `${field}.runAsUser`),
    validateId(runAsGroup, `${field}.runAsGroup`),
    supplementalGroups.flatMap((group, index) => validateId(group, `${field}.supplementalGroups[${index}]`)),
    validateSysctls(sysctls, `${field}.sysctls`),
    policy === undefined || CHANGE_POLICIES.includes(policy)
      ? NO_ERRORS
      : [notSupported(`${field}.fsGroupChangePolicy`, policy, CHANGE_POLICIES)],
    validateSeccomp(context.seccompProfile, `${field}.seccompProfile`),
    validateAppArmor(context.appArmorProfile, `${field}.appArmorProfile`),
  );
}

function validateSeccomp(profile: core.SeccompProfile | undefined, field: string): readonly FieldError[] {
  if (profile === undefined) return NO_ERRORS;
  const { type = '', localhostProfile } = profile as Partial<core.SeccompProfile>;
  const own = `${field}.localhostProfile`;
  const errors = PROFILES.includes(type) ? [] : [notSupported(`${field}.type`, type, PROFILES)];
  if (type !== 'Localhost') {
    if (localhostProfile === undefined) return errors;
    const text = 'can only be set when seccomp type is Localhost';
    return [...errors, invalid(own, asGo('*SeccompProfile', profile), text)];
  }
  if (localhostProfile === undefined) return [required(own, 'must be set when seccomp type is Localhost')];
  return validateBelow(localhostProfile, own);
}

/** What is wrong with a profile of AppArmor. */
export function validateAppArmor(profile: core.AppArmorProfile | undefined, field: string): readonly FieldError[] {
  if (profile === undefined) return NO_ERRORS;
  const { type = '', localhostProfile } = profile as Partial<core.AppArmorProfile>;
  const own = `${field}.localhostProfile`;
  if (type === '') return [required(`${field}.type`, 'type is required when appArmorProfile is set')];
  if (!PROFILES.includes(type)) return [notSupported(`${field}.type`, type, PROFILES)];
  if (type !== 'Localhost') {
    return localhostProfile === undefined
      ? NO_ERRORS
      : [invalid(own, localhostProfile, 'can only be set when AppArmor type is Localhost')];
  }
  if (localhostProfile === undefined || localhostProfile === '') {
    return [required(own, 'must be set when AppArmor type is Localhost')];
  }
  if (localhostProfile.trim() === localhostProfile) return NO_ERRORS;
  return [invalid(own, localhostProfile, 'must not be padded with whitespace')];
}

function validateId(id: number | undefined, field: string): readonly FieldError[] {
  return id === undefined ? NO_ERRORS : inRange(id, 0, MAX_INT32, field);
}

/** Parameters of the kernel that the pod's containers are to have. */
function validateSysctls(sysctls: readonly core.Sysctl[], field: string): readonly FieldError[] {
  if (sysctls.length === 0) return NO_ERRORS;
  const names = new Set<string>();
  return sysctls.flatMap(({ name }, index): readonly FieldError[] => {
    const path = `${field}[${index}].name`;
    if (name === '') return [required(path)];
    if (name.length > LONGEST_SYSCTL || !SYSCTL.test(name)) {
      return [invalid(path, name, `must have at most ${LONGEST_SYSCTL} characters and match regex ${SYSCTL_TEXT}`)];
    }
    if (names.has(name)) return [duplicate(path, name)];
    names.add(name);
    return NO_ERRORS;
  });
}
