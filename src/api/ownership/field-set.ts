/**
 * Sets of paths into an object, as `managedFields` keep them (FieldsV1): a tree with the steps `f:<field>`,
 * `k:<keys of a list's item>` and `v:<value of a set>`. Mirrors structured-merge-diff's fieldpath (v6). A set does not
 * change, and sets share what they have in common: an update costs what it touches, however much is owned.
 */
import type { FieldsV1 } from '../objects/kube-object.js';

/** A path that is a member, where more than it is in the set. */
const SELF = '.';
/** A node whose path is a member, and below which there is nothing. */
const MEMBER: FieldsV1 = Object.freeze({});

/** The set without members. */
export const NO_FIELDS: FieldsV1 = Object.freeze({});

export function isEmptySet(set: FieldsV1): boolean {
  for (const step in set) if (step !== '') return false;
  return true;
}

/** Whether the path to a node is a member: of any node but the root. */
export function isMember(node: FieldsV1): boolean {
  return isEmptySet(node) || SELF in node;
}

/** The node below, where there is one. */
export function below(node: FieldsV1 | undefined, step: string): FieldsV1 | undefined {
  return node !== undefined && Object.hasOwn(node, step) ? node[step] : undefined;
}

/** Whether a path is a member. */
export function hasPath(set: FieldsV1, path: readonly string[]): boolean {
  let node: FieldsV1 | undefined = set;
  for (const step of path) node = below(node, step);
  return node !== undefined && isMember(node);
}

/** Members, in the order of their steps; of a node's children those that are members come before what is below. */
export function* pathsOf(set: FieldsV1, prefix: readonly string[] = []): Generator<readonly string[]> {
  const steps = stepsOf(set);
  for (const step of steps) if (isMember(set[step] ?? MEMBER)) yield [...prefix, step];
  for (const step of steps) yield* pathsOf(set[step] ?? MEMBER, [...prefix, step]);
}

/** Members of either. */
export function union(a: FieldsV1, b: FieldsV1): FieldsV1 {
  if (isEmptySet(a)) return b;
  return isEmptySet(b) ? a : plus(a, b);
}

function plus(a: FieldsV1, b: FieldsV1): FieldsV1 {
  if (a === b) return a;
  const self = isMember(a) || isMember(b);
  const children = new Map<string, FieldsV1>();
  for (const step of stepsOf(a)) children.set(step, a[step] ?? MEMBER);
  let isSame = self === isMember(a);
  let isLonger = false;
  for (const step of stepsOf(b)) {
    const theirs = b[step] ?? MEMBER;
    const own = children.get(step);
    const both = own === undefined ? theirs : plus(own, theirs);
    isSame &&= both === own;
    isLonger ||= own === undefined;
    children.set(step, both);
  }
  if (isSame) return a;
  return (
    nodeOf(self, isLonger ? [...children].sort(([left], [right]) => compareSteps(left, right)) : [...children]) ?? a
  );
}

/** Members of the first and not of the second. */
export function difference(a: FieldsV1, b: FieldsV1): FieldsV1 {
  return isEmptySet(a) || isEmptySet(b) ? a : (minus(a, b) ?? NO_FIELDS);
}

function minus(a: FieldsV1, b: FieldsV1): FieldsV1 | undefined {
  if (a === b) return undefined;
  const isOwn = isMember(a);
  const self = isOwn && !isMember(b);
  if (self === isOwn && !sharesStep(a, b)) return a;
  let isSame = self === isOwn;
  const left: [string, FieldsV1][] = [];
  for (const step of stepsOf(a)) {
    const own = a[step] ?? MEMBER;
    const theirs = below(b, step);
    const rest = theirs === undefined ? own : minus(own, theirs);
    isSame &&= rest === own;
    if (rest !== undefined) left.push([step, rest]);
  }
  return isSame ? a : nodeOf(self, left);
}

function sharesStep(a: FieldsV1, b: FieldsV1): boolean {
  for (const step in b) if (Object.hasOwn(a, step)) return true;
  return false;
}

/** Members of both. */
export function intersection(a: FieldsV1, b: FieldsV1): FieldsV1 {
  return isEmptySet(a) || isEmptySet(b) ? NO_FIELDS : (shared(a, b) ?? NO_FIELDS);
}

function shared(a: FieldsV1, b: FieldsV1): FieldsV1 | undefined {
  if (a === b) return a;
  const children = stepsOf(a).flatMap((step): [string, FieldsV1][] => {
    const theirs = below(b, step);
    const both = theirs === undefined ? undefined : shared(a[step] ?? MEMBER, theirs);
    return both === undefined ? [] : [[step, both]];
  });
  return nodeOf(isMember(a) && isMember(b), children);
}

/** Without the objects of whose fields there are members, but for items of lists: so an apply states its fields. */
export function statedAlone(node: FieldsV1): FieldsV1 {
  return withChildren(node, (child, step) => {
    const own = statedAlone(child);
    return step.startsWith('f:') ? withoutSelf(own) : own;
  });
}

/** A node with others in the place of those below it. */
export function withChildren(node: FieldsV1, other: (child: FieldsV1, step: string) => FieldsV1): FieldsV1 {
  return Object.fromEntries(
    Object.entries(node).map(([step, child]) => [step, step === SELF ? child : other(child, step)]),
  );
}

/** With the path to a node as a member. */
export function withSelf(node: FieldsV1): FieldsV1 {
  return isMember(node) ? node : { [SELF]: MEMBER, ...node };
}

/** Without the path to a node that has others below. */
function withoutSelf(node: FieldsV1): FieldsV1 {
  if (!(SELF in node)) return node;
  const { [SELF]: _self, ...children } = node;
  return children;
}

/** Without a path and all that is below it. */
export function withoutBelow(set: FieldsV1, path: readonly string[]): FieldsV1 {
  return cut(set, path, 0) ?? NO_FIELDS;
}

function cut(node: FieldsV1, path: readonly string[], at: number): FieldsV1 | undefined {
  const wanted = path[at];
  if (wanted === undefined) return undefined;
  const child = below(node, wanted);
  if (child === undefined) return node;
  const rest = cut(child, path, at + 1);
  if (rest === child) return node;
  const children = stepsOf(node).flatMap((step): [string, FieldsV1][] => {
    if (step !== wanted) return [[step, node[step] ?? MEMBER]];
    return rest === undefined ? [] : [[step, rest]];
  });
  return nodeOf(isMember(node), children);
}

/** Without one path, whatever is below it. */
export function withoutPath(set: FieldsV1, path: readonly string[]): FieldsV1 {
  return hasPath(set, path) ? difference(set, setOf(path)) : set;
}

/** The set of one path. */
export function setOf(path: readonly string[]): FieldsV1 {
  return path.reduceRight((node: FieldsV1, step) => ({ [step]: node }), MEMBER);
}

/** A set that a client sends, in the order in which sets are kept. */
export function readFieldsV1(sent: FieldsV1): FieldsV1 {
  return readNode(sent) ?? NO_FIELDS;
}

function readNode(sent: FieldsV1): FieldsV1 | undefined {
  const children = stepsOf(sent).map((step): [string, FieldsV1] => [step, readNode(sent[step] ?? MEMBER) ?? MEMBER]);
  children.sort(([left], [right]) => compareSteps(left, right));
  return nodeOf(SELF in sent, children);
}

/** `undefined` for one with nothing in it. */
function nodeOf(self: boolean, children: readonly (readonly [string, FieldsV1])[]): FieldsV1 | undefined {
  if (children.length === 0) return self ? MEMBER : undefined;
  return Object.fromEntries(self ? [[SELF, MEMBER], ...children] : children);
}

function stepsOf(node: FieldsV1): readonly string[] {
  const steps = Object.keys(node);
  return SELF in node ? steps.filter((step) => step !== SELF) : steps;
}

/** Collects paths. */
export class FieldSetBuilder {
  /** Whether the path to here is a member. */
  isMember = false;
  readonly #children = new Map<string, FieldSetBuilder>();

  /** The node below, made where there is none. */
  child(step: string): FieldSetBuilder {
    let found = this.#children.get(step);
    if (found === undefined) this.#children.set(step, (found = new FieldSetBuilder()));
    return found;
  }

  /** What was collected, below the root. */
  get set(): FieldsV1 {
    const node = this.#node();
    return node === undefined ? NO_FIELDS : withoutSelf(node);
  }

  #node(): FieldsV1 | undefined {
    const children: [string, FieldsV1][] = [];
    for (const [step, child] of this.#children) {
      const node = child.#node();
      if (node !== undefined) children.push([step, node]);
    }
    if (children.length > 1) children.sort(([left], [right]) => compareSteps(left, right));
    return nodeOf(this.isMember, children);
  }
}

/** Fields, then items by key, then values. */
const KINDS = 'fkvi';

function compareSteps(left: string, right: string): number {
  return KINDS.indexOf(left.charAt(0)) - KINDS.indexOf(right.charAt(0)) || (left < right ? -1 : 1);
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
