/** What a namespace's labels say of the pods in it (pod-security-admission/api, v1.34). */
import { invalid } from '../../../api/errors/field-errors.js';
import type { StringMap } from '../../../api/objects/objects.js';
import type { FieldError } from '../../../api/objects/resource-kind.js';

export type SecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** How strict, and by the rules of which minor version. */
export interface LevelVersion {
  readonly level: SecurityLevel;
  readonly version: number | 'latest';
}

/** What becomes of pods that a level does not allow. */
export interface PodPolicy {
  /** Refused. */
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  /** Let in with a warning. */
  readonly warn: LevelVersion;
  /** What is wrong with the labels. */
  readonly errors: readonly FieldError[];
}

const PREFIX = 'pod-security.kubernetes.io/';
const LEVELS: readonly SecurityLevel[] = ['privileged', 'baseline', 'restricted'];
const VERSION = /^v1\.(\d|[1-9]\d+)$/;
const DEFAULT: LevelVersion = { level: 'privileged', version: 'latest' };

/** What a namespace without such labels has. */
const OPEN: PodPolicy = { enforce: DEFAULT, audit: DEFAULT, warn: DEFAULT, errors: [] };

const policies = new WeakMap<StringMap, PodPolicy>();

/** @param labels - of the namespace */
export function podPolicyOf(labels: StringMap | undefined): PodPolicy {
  if (labels === undefined) return OPEN;
  let policy = policies.get(labels);
  if (policy === undefined) policies.set(labels, (policy = readPolicy(labels)));
  return policy;
}

/** Below zero, zero or above as `left` is less strict than, as strict as or stricter than `right`. */
export function compareLevels(left: SecurityLevel, right: SecurityLevel): number {
  return LEVELS.indexOf(left) - LEVELS.indexOf(right);
}

export function isSameLevel(left: LevelVersion, right: LevelVersion): boolean {
  return left.level === right.level && left.version === right.version;
}

/** `restricted:latest`. */
export function levelText({ level, version }: LevelVersion): string {
  return `${level}:${version === 'latest' ? version : `v1.${version}`}`;
}

function readPolicy(labels: StringMap): PodPolicy {
  if (!Object.keys(labels).some((name) => name.startsWith(PREFIX))) return OPEN;
  const errors: FieldError[] = [];
  // What cannot be read is enforced as strictly as can be, and neither audited nor warned of.
  const enforce = readLevel(labels, 'enforce', { bad: 'restricted', errors });
  const audit = readLevel(labels, 'audit', { bad: 'privileged', errors });
  const warn = readLevel(labels, 'warn', { bad: 'privileged', errors });
  const isEnforced = LEVELS.includes(labels[`${PREFIX}enforce`] as SecurityLevel);
  const follows = labels[`${PREFIX}warn`] === undefined && isEnforced && compareLevels(enforce.level, warn.level) > 0;
  if (!follows) return { enforce, audit, warn, errors };
  const version = labels[`${PREFIX}warn-version`] === undefined ? enforce.version : warn.version;
  return { enforce, audit, warn: { level: enforce.level, version }, errors };
}

function readLevel(
  labels: StringMap,
  mode: string,
  { bad, errors }: { readonly bad: SecurityLevel; readonly errors: FieldError[] },
): LevelVersion {
  const refuse = (name: string, value: string, why: string): void => {
    errors.push(invalid(`metadata.labels[${name}]`, value, why));
  };
  const name = PREFIX + mode;
  const stated = labels[name];
  const level = stated === undefined ? DEFAULT.level : LEVELS.find((each) => each === stated);
  if (level === undefined) refuse(name, stated ?? '', `must be one of ${LEVELS.join(', ')}`);
  const versionName = `${name}-version`;
  const statedVersion = labels[versionName] ?? 'latest';
  const minor = VERSION.exec(statedVersion)?.[1];
  if (minor === undefined && statedVersion !== 'latest')
    refuse(versionName, statedVersion, 'must be "latest" or "v1.x"');
  return { level: level ?? bad, version: minor === undefined ? 'latest' : Number(minor) };
}
