/**
 * Sets of paths into an object, as `managedFields` keep them (FieldsV1): a tree with the steps `f:<field>`,
 * `k:<keys of a list's item>` and `v:<value of a set>`. Mirrors structured-merge-diff's fieldpath (v6).
 */
import type { FieldsV1 } from '../objects/kube-object.js';

/** A node of the tree. */
export class FieldSet {
  /** Whether the path to here is a member. */
  isMember = false;
  readonly children = new Map<string, FieldSet>();

  /** Adds a path. */
  insert(path: readonly string[]): void {
    const [step, ...rest] = path;
    if (step === undefined) this.isMember = true;
    else this.child(step).insert(rest);
  }

  /** The node below, made where there is none. */
  child(step: string): FieldSet {
    let found = this.children.get(step);
    if (found === undefined) this.children.set(step, (found = new FieldSet()));
    return found;
  }

  get isEmpty(): boolean {
    if (this.isMember) return false;
    for (const child of this.children.values()) if (!child.isEmpty) return false;
    return true;
  }

  /** Members, in the order of their steps; of a node's children those that are members come before what is below. */
  *paths(prefix: readonly string[] = []): Generator<readonly string[]> {
    if (prefix.length === 0 && this.isMember) yield prefix;
    const steps = sortedSteps(this.children);
    for (const step of steps) if (this.child(step).isMember) yield [...prefix, step];
    for (const step of steps) yield* this.child(step).paths([...prefix, step]);
  }
}

/** Members of either. */
export function union(a: FieldSet, b: FieldSet | undefined): FieldSet {
  return combined(a, b, (inA, inB) => inA || inB);
}

/** Members of the first and not of the second. */
export function difference(a: FieldSet, b: FieldSet | undefined): FieldSet {
  return combined(a, b, (inA, inB) => inA && !inB);
}

/** Members of both. */
export function intersection(a: FieldSet, b: FieldSet | undefined): FieldSet {
  return combined(a, b, (inA, inB) => inA && inB);
}

function combined(a: FieldSet, b: FieldSet | undefined, rule: (inA: boolean, inB: boolean) => boolean): FieldSet {
  const result = new FieldSet();
  result.isMember = rule(a.isMember, b?.isMember ?? false);
  for (const step of new Set([...a.children.keys(), ...(b?.children.keys() ?? [])])) {
    const child = combined(a.children.get(step) ?? NOTHING, b?.children.get(step), rule);
    if (!child.isEmpty) result.children.set(step, child);
  }
  return result;
}
const NOTHING = new FieldSet();

/** Without the objects of whose fields there are members, but for items of lists: so an apply states its fields. */
export function statedAlone(set: FieldSet): FieldSet {
  const result = new FieldSet();
  result.isMember = set.isMember;
  for (const [step, child] of set.children) {
    const below = statedAlone(child);
    if (step.startsWith('f:') && child.children.size > 0) below.isMember = false;
    result.children.set(step, below);
  }
  return result;
}

/** Without a path and all that is below it. */
export function withoutBelow(set: FieldSet, path: readonly string[]): FieldSet {
  const [step, ...rest] = path;
  if (step === undefined) return NOTHING;
  const result = new FieldSet();
  result.isMember = set.isMember;
  for (const [name, child] of set.children) {
    const kept = name === step ? withoutBelow(child, rest) : child;
    if (!kept.isEmpty) result.children.set(name, kept);
  }
  return result;
}

/** Whether both have the same members. */
export function isSameSet(a: FieldSet, b: FieldSet): boolean {
  return difference(a, b).isEmpty && difference(b, a).isEmpty;
}

/** Reads FieldsV1. */
export function readFieldsV1(fields: FieldsV1): FieldSet {
  const set = new FieldSet();
  const steps = Object.keys(fields);
  for (const step of steps) {
    if (step === '.') set.isMember = true;
    else set.children.set(step, readChild(fields[step] ?? {}));
  }
  return set;
}

function readChild(fields: FieldsV1): FieldSet {
  const set = readFieldsV1(fields);
  if (Object.keys(fields).length === 0) set.isMember = true;
  return set;
}

/** Writes FieldsV1, its steps in order. */
export function writeFieldsV1(set: FieldSet): FieldsV1 {
  const steps = sortedSteps(set.children).filter((step) => !set.child(step).isEmpty);
  const entries = steps.map((step): [string, FieldsV1] => [step, writeFieldsV1(set.child(step))]);
  const self: [string, FieldsV1][] = set.isMember && entries.length > 0 ? [['.', {}]] : [];
  return Object.fromEntries([...self, ...entries]);
}

/** Fields, then items by key, then values. */
const KINDS = ['f', 'k', 'v', 'i'];

function rankOf(step: string): number {
  return KINDS.indexOf(step.slice(0, 1));
}

function sortedSteps(children: ReadonlyMap<string, FieldSet>): readonly string[] {
  return [...children.keys()].sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
}

/** `.spec.containers[name="a"].image`. */
export function pathText(path: readonly string[]): string {
  return path.map(stepText).join('');
}

function stepText(step: string): string {
  const rest = step.slice(2);
  switch (step.slice(0, 1)) {
    case 'k': {
      const keys = Object.entries(JSON.parse(rest) as Readonly<Record<string, unknown>>);
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
    }
    case 'v':
      return `[=${JSON.stringify(JSON.parse(rest))}]`;
    case 'i':
      return `[${rest}]`;
    default:
      return `.${rest}`;
  }
}
