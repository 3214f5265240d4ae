/**
 * Walks through objects along their schema: which fields an applied object states, what changed between two, what
 * both come to when merged, and what is left when some is taken away. Mirrors structured-merge-diff's typed (v6).
 */
import { isSameJson } from '../values/canonical-json.js';
import { ownField, setOwnField } from '../values/own-fields.js';
import type { FieldsV1 } from '../objects/kube-object.js';
import { below, FieldSetBuilder, isEmptySet, isMember, withChildren, withSelf } from './field-set.js';
import { fieldSchema, isDeclared, itemKeyOf, itemStep, type Schema } from './schema.js';

type Fields = Readonly<Record<string, unknown>>;

/** The children of a value by their steps; `undefined` for a leaf. */
interface Child {
  readonly step: string;
  readonly value: unknown;
  readonly schema: Schema;
}

const LEAF: Schema = { form: 'leaf' };

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The type of the items below a list, which is known from the struct that holds the list. */
const itemKeys = new WeakMap<Schema, string | undefined>();

function isScalarOrList(value: unknown): boolean {
  return value !== undefined && value !== null && !isFields(value);
}

function childSchema(schema: Schema, name: string): Schema {
  if (schema.form === 'map') return schema.of;
  if (schema.form === 'deduced') return schema;
  if (schema.form !== 'struct') return LEAF;
  const found = fieldSchema(schema.key, name);
  if (found.form === 'items' && !itemKeys.has(found)) itemKeys.set(found, itemKeyOf({ key: schema.key, name }));
  return found;
}

function childrenOf(value: unknown, schema: Schema): readonly Child[] | undefined {
  switch (schema.form) {
    case 'leaf':
      return undefined;
    case 'deduced':
    case 'struct':
    case 'map':
      if (schema.form === 'deduced' && isScalarOrList(value)) return undefined;
      if (!isFields(value)) return value === null || value === undefined ? [] : undefined;
      return Object.keys(value).map((name) => {
        return { step: `f:${name}`, value: value[name], schema: childSchema(schema, name) };
      });
    default: {
      if (!Array.isArray(value)) return value === null || value === undefined ? [] : undefined;
      const itemKey = itemKeys.get(schema);
      const of = schema.form === 'items' ? schema.of : LEAF;
      return value.map((item: unknown) => ({ step: itemStep(schema, item, itemKey), value: item, schema: of }));
    }
  }
}

/** The fields that an object states, as an apply owns them. */
export function statedFields(value: unknown, schema: Schema): FieldsV1 {
  const builder = new FieldSetBuilder();
  state(value, schema, builder);
  return builder.set;
}

function state(value: unknown, schema: Schema, set: FieldSetBuilder): void {
  const children = childrenOf(value, schema);
  if (children === undefined) {
    set.isMember = true;
    return;
  }
  for (const child of children) {
    const own = set.child(child.step);
    state(child.value, child.schema, own);
    const isItem = schema.form === 'items' || schema.form === 'set';
    const isVoid = child.value === null || (isFields(child.value) && Object.keys(child.value).length === 0);
    if (isItem || isVoid || !isDeclared(schema, child.step.slice(2))) own.isMember = true;
  }
}

/** What changed. */
export interface Comparison {
  readonly added: FieldsV1;
  readonly modified: FieldsV1;
  readonly removed: FieldsV1;
}

/** Where a comparison is: steps are taken together only for what differs. */
interface Place {
  readonly above: Place | undefined;
  readonly step: string;
}

type Builders = Readonly<Record<keyof Comparison, FieldSetBuilder>>;

/** Compares two objects in Go's form. */
export function compareFields(before: unknown, after: unknown, schema: Schema): Comparison {
  const into = { added: new FieldSetBuilder(), modified: new FieldSetBuilder(), removed: new FieldSetBuilder() };
  compare(before, after, schema, undefined, into);
  return { added: into.added.set, modified: into.modified.set, removed: into.removed.set };
}

function nodeAt(builder: FieldSetBuilder, place: Place | undefined): FieldSetBuilder {
  return place === undefined ? builder : nodeAt(builder, place.above).child(place.step);
}

function compare(before: unknown, after: unknown, schema: Schema, place: Place | undefined, into: Builders): void {
  if (before === after) return;
  if ((schema.form === 'struct' || schema.form === 'map') && isFields(before) && isFields(after)) {
    return compareByName(before, after, schema, place, into);
  }
  const [old, next] = [childrenOf(before, schema), childrenOf(after, schema)];
  const isLeaf = old === undefined || next === undefined || (old.length === 0 && next.length === 0);
  // Without a type, a map that was or becomes something else is told both as a map and as a leaf.
  const isRetyped = schema.form === 'deduced' && before !== undefined && after !== undefined;
  if (!isLeaf || isRetyped) {
    const [byStep, laterByStep] = [firstByStep(old ?? []), firstByStep(next ?? [])];
    for (const [step, child] of byStep) {
      const later = laterByStep.get(step)?.value;
      if (child.value !== later) compare(child.value, later, child.schema, { above: place, step }, into);
    }
    for (const [step, child] of laterByStep) {
      if (!byStep.has(step)) compare(undefined, child.value, child.schema, { above: place, step }, into);
    }
  }
  if (before === undefined) nodeAt(into.added, place).isMember = true;
  else if (after === undefined) nodeAt(into.removed, place).isMember = true;
  else if (isLeaf && !isSameJson(before, after)) nodeAt(into.modified, place).isMember = true;
}

function compareByName(before: Fields, after: Fields, schema: Schema, place: Place | undefined, into: Builders): void {
  for (const name of Object.keys(before)) {
    const [old, next] = [before[name], ownField(after, name)];
    if (old !== next) compare(old, next, childSchema(schema, name), { above: place, step: `f:${name}` }, into);
  }
  for (const name of Object.keys(after)) {
    if (Object.hasOwn(before, name)) continue;
    compare(undefined, after[name], childSchema(schema, name), { above: place, step: `f:${name}` }, into);
  }
}

function firstByStep(children: readonly Child[]): ReadonlyMap<string, Child> {
  const found = new Map<string, Child>();
  for (const child of children) if (!found.has(child.step)) found.set(child.step, child);
  return found;
}

/** The live object with what is applied in it. */
export function mergeApplied(live: unknown, applied: unknown, schema: Schema): unknown {
  if (applied === undefined) return live;
  if (live === undefined || live === null) return applied;
  const [old, next] = [childrenOf(live, schema), childrenOf(applied, schema)];
  // Two that are empty count as leaves: null stays null.
  if (old === undefined || next === undefined || (old.length === 0 && next.length === 0)) return applied;
  if (schema.form === 'items' || schema.form === 'set') return mergedItems(old, next);
  const result: Record<string, unknown> = { ...(live as Fields) };
  for (const { step, value, schema: own } of next) {
    const name = step.slice(2);
    setOwnField(result, name, mergeApplied(isFields(live) ? live[name] : undefined, value, own));
  }
  return result;
}

/**
 * Two lists as one: both are walked at once, and what both have comes where the applied list has it, what is live
 * alone before the next item that both have (`visitListItems` of typed/merge.go).
 */
function mergedItems(live: readonly Child[], applied: readonly Child[]): readonly unknown[] {
  const [liveByStep, appliedByStep] = [firstByStep(live), firstByStep(applied)];
  const shared = applied.map(({ step }) => step).filter((step) => liveByStep.has(step));
  const done = new Set<string>();
  const merged: unknown[] = [];
  let nextShared = 0;
  const take = (step: string): void => {
    const [own, wanted] = [liveByStep.get(step), appliedByStep.get(step)];
    const schema = wanted?.schema ?? own?.schema ?? LEAF;
    merged.push(mergeApplied(own?.value, wanted?.value, schema));
    done.add(step);
  };
  for (let [at, next] = [0, 0]; at < live.length || next < applied.length;) {
    const [own, wanted] = [live[at], applied[next]];
    if (own !== undefined && wanted !== undefined) {
      if (own.step === wanted.step) {
        take(own.step);
        at += 1;
        next += 1;
        nextShared += 1;
        continue;
      }
      if (appliedByStep.has(own.step) && nextShared < shared.length && shared[nextShared] !== own.step) {
        at += 1;
        continue;
      }
    }
    if (own !== undefined) {
      if (!appliedByStep.has(own.step)) {
        merged.push(own.value);
        at += 1;
        continue;
      }
      if (done.has(own.step)) at += 1;
    }
    if (wanted !== undefined) {
      take(wanted.step);
      next += 1;
      if (shared[nextShared] === wanted.step) nextShared += 1;
    }
  }
  return merged;
}

/** What is emptied is null (structured-merge-diff's typed/remove.go, v6.3.0). */
function orNull(left: unknown, before: unknown): unknown {
  if (left === before || typeof left !== 'object' || left === null) return left;
  return Object.keys(left).length === 0 ? null : left;
}

/** Takes away the members of a set, with all that is below them (typed/remove.go, v6.3.0). */
export function withoutFields(value: unknown, schema: Schema, gone: FieldsV1): unknown {
  const children = childrenOf(value, schema);
  if (children === undefined || children.length === 0 || isEmptySet(gone)) return value;
  const kept = children.flatMap((child): readonly Child[] => {
    const own = below(gone, child.step);
    if (own === undefined) return [child];
    if (isMember(own)) return [];
    return [{ ...child, value: orNull(withoutFields(child.value, child.schema, own), child.value) }];
  });
  if (schema.form === 'items' || schema.form === 'set') return kept.map((child) => child.value);
  const result: Record<string, unknown> = {};
  for (const child of kept) setOwnField(result, child.step.slice(2), child.value);
  return result;
}

/** With the fields of structs below which there are members (`EnsureNamedFieldsAreMembers` of fieldpath/set.go). */
export function withNamedFields(set: FieldsV1, schema: Schema): FieldsV1 {
  return withChildren(set, (child, step) => {
    const name = step.startsWith('f:') ? step.slice(2) : undefined;
    const itemOrLeaf = schema.form === 'items' ? schema.of : LEAF;
    const named = withNamedFields(child, name === undefined ? itemOrLeaf : childSchema(schema, name));
    return name !== undefined && isDeclared(schema, name) ? withSelf(named) : named;
  });
}
