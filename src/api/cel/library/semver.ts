/** Semantic versions (apiserver/pkg/cel/library/semverlib.go, v1.34, over blang/semver v4). */
import { CelError, type CelOpaque } from '../values.js';
import { functionTable } from './function-table.js';

const LARGEST = 0xffff_ffff_ffff_ffffn;

/** See the file header. */
export class CelSemver implements CelOpaque {
  readonly celType = 'kubernetes.Semver';
  readonly numbers: readonly bigint[];
  readonly stages: readonly string[];

  constructor(numbers: readonly bigint[], stages: readonly string[]) {
    this.numbers = numbers;
    this.stages = stages;
  }

  isSame(other: CelOpaque): boolean {
    return other instanceof CelSemver && compare(this, other) === 0;
  }
}

/** A version, or what is wrong with its text. */
export function readSemver(text: string): CelSemver | string {
  if (text === '') return 'Version string empty';
  const [major = '', minor = '', ...others] = text.split('.');
  if (others.length === 0) return 'No Major.Minor.Patch elements found';
  const [, core = '', stage, build] = /^([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(others.join('.')) ?? [];
  const problem =
    numberProblem('major', major) ??
    numberProblem('minor', minor) ??
    numberProblem('patch', core) ??
    (stage === undefined ? undefined : stage.split('.').map(stageProblem).find(Boolean)) ??
    (build === undefined ? undefined : build.split('.').map(buildProblem).find(Boolean));
  return problem ?? new CelSemver([major, minor, core].map(BigInt), stage === undefined ? [] : stage.split('.'));
}

function numberProblem(part: string, digits: string): string | undefined {
  const quoted = JSON.stringify(digits);
  if (!/^\d*$/.test(digits)) return `Invalid character(s) found in ${part} number ${quoted}`;
  const name = part.charAt(0).toUpperCase() + part.slice(1);
  if (/^0\d/.test(digits)) return `${name} number must not contain leading zeroes ${quoted}`;
  if (digits === '') return 'strconv.ParseUint: parsing "": invalid syntax';
  return BigInt(digits) > LARGEST ? `strconv.ParseUint: parsing ${quoted}: value out of range` : undefined;
}

function stageProblem(stage: string): string | undefined {
  if (stage === '') return 'Prerelease is empty';
  if (/^0\d+$/.test(stage))
    return `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(stage)}`;
  return /^[0-9A-Za-z-]+$/.test(stage)
    ? undefined
    : `Invalid character(s) found in prerelease ${JSON.stringify(stage)}`;
}

function buildProblem(build: string): string | undefined {
  if (build === '') return 'Build meta data is empty';
  if (/^[0-9A-Za-z-]+$/.test(build)) return undefined;
  return `Invalid character(s) found in build meta data ${JSON.stringify(build)}`;
}

/** With a leading v, missing parts and leading zeros put right. */
function normal(text: string): string {
  const plain = text.replace(/^v/, '');
  const [, core = '', rest = ''] = /^([^-+]*)(.*)$/s.exec(plain) ?? [];
  const parts = core.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  if (parts.length < 3 && rest !== '') return plain;
  while (parts.length < 3) parts.push('0');
  return parts.join('.') + rest;
}

function parsed(text: string, isLoose = false): CelSemver {
  const found = readSemver(isLoose ? normal(text) : text);
  if (typeof found === 'string') throw new CelError(found);
  return found;
}

function isSemver(text: string, isLoose = false): boolean {
  return typeof readSemver(isLoose ? normal(text) : text) !== 'string';
}

function compare(a: CelSemver, b: CelSemver): number {
  for (const [index, own] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n;
    if (own !== other) return own < other ? -1 : 1;
  }
  if (a.stages.length === 0 || b.stages.length === 0) return Math.sign(b.stages.length - a.stages.length);
  for (let index = 0; index < Math.min(a.stages.length, b.stages.length); index += 1) {
    const order = compareStages(a.stages[index] ?? '', b.stages[index] ?? '');
    if (order !== 0) return order;
  }
  return Math.sign(a.stages.length - b.stages.length);
}

function compareStages(a: string, b: string): number {
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (left && right) return Math.sign(Number(a) - Number(b));
  if (left !== right) return left ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}

const S = 'kubernetes.Semver';

export const SEMVER_FUNCTIONS = functionTable({
  [`semver(string) -> ${S}`]: (a: string) => parsed(a),
  [`semver(string, bool) -> ${S}`]: parsed,
  'isSemver(string) -> bool': (a: string) => isSemver(a),
  'isSemver(string, bool) -> bool': isSemver,
  [`${S}::isGreaterThan(${S}) -> bool`]: (a: CelSemver, b: CelSemver) => compare(a, b) > 0,
  [`${S}::isLessThan(${S}) -> bool`]: (a: CelSemver, b: CelSemver) => compare(a, b) < 0,
  [`${S}::compareTo(${S}) -> int`]: (a: CelSemver, b: CelSemver) => BigInt(compare(a, b)),
  [`${S}::major() -> int`]: ({ numbers }: CelSemver) => numbers[0] ?? 0n,
  [`${S}::minor() -> int`]: ({ numbers }: CelSemver) => numbers[1] ?? 0n,
  [`${S}::patch() -> int`]: ({ numbers }: CelSemver) => numbers[2] ?? 0n,
});
