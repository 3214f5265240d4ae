/**
 * The part of an object that users wrote, told by its managed fields: without statuses, and without what components of
 * the control plane and of nodes have set. Pure. The form of field sets is that of
 * sigs.k8s.io/structured-merge-diff/fieldpath/serialize.go.
 */
import { isFields } from '../history/history.js';

type Mapping = Readonly<Record<string, unknown>>;

/** Names of managers are the beginnings of user agents. */
const COMPONENTS =
  /^(?:kube-controller-manager|kube-scheduler|kube-apiserver|kubelet|kube-proxy|cloud-controller-manager|cluster-autoscaler)\b/;
const OWN = '.';
const METADATA = 'f:metadata';
/** Are set and taken away by servers and controllers, whoever's request it was. */
const SERVERS_FINALIZER = /^(?:orphan|foregroundDeletion|kubernetes)$|^(?:[^/]*\.)?(?:kubernetes|k8s)\.io\//;
/** Annotations that follow from the rest, or from what others have written. */
const DERIVED =
  /^(?:kubectl\.kubernetes\.io\/last-applied-configuration|deployment\.kubernetes\.io\/|pv\.kubernetes\.io\/)/;

/** `undefined` = no user has written any of it. Without managed fields all but the status counts as a user's. */
export function fieldsOfUsers(object: Mapping): Mapping | undefined {
  const { metadata, status: _status, ...content } = object;
  if (!isFields(metadata)) return undefined;
  const { managedFields } = metadata;
  if (!Array.isArray(managedFields)) return named(object, { ...content, metadata });
  const sets = (managedFields as readonly unknown[]).filter(isFields).filter(isOfUser);
  const fields = sets.flatMap((set) => fieldsIn(set, object));
  if (fields.length === 0) return undefined;
  const { status: _ours, ...union } = fields.reduce<Mapping>(united, {}) as Mapping & { readonly status?: unknown };
  const taken = selected(object, union);
  return named(object, isFields(taken) ? taken : {});
}

function isOfUser({ manager, subresource }: Mapping): boolean {
  return subresource !== 'status' && typeof manager === 'string' && !COMPONENTS.test(manager);
}

/**
 * Fields are told in the version of the API that they were written in: in that of the object they may have other
 * names, so that all of its content counts.
 */
function fieldsIn({ apiVersion, fieldsV1 }: Mapping, object: Mapping): readonly Mapping[] {
  if (!isFields(fieldsV1)) return [];
  if (apiVersion === undefined || apiVersion === object['apiVersion']) return [fieldsV1];
  return [Object.fromEntries(Object.entries(fieldsV1).map(([step, set]) => [step, step === METADATA ? set : {}]))];
}

/** With the names by which it is known, and without bookkeeping. */
function named({ apiVersion, kind, metadata: whole }: Mapping, taken: Mapping): Mapping {
  const { status: _status, ...content } = taken;
  const { name, namespace } = whole as Mapping;
  const { labels, annotations, finalizers } = isFields(content['metadata']) ? content['metadata'] : {};
  const held = Array.isArray(finalizers) ? finalizers.filter((each) => !SERVERS_FINALIZER.test(String(each))) : [];
  const told = isFields(annotations) ? Object.entries(annotations).filter(([key]) => !DERIVED.test(key)) : [];
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(isFields(labels) ? { labels } : {}),
    ...(told.length === 0 ? {} : { annotations: Object.fromEntries(told) }),
    ...(held.length === 0 ? {} : { finalizers: held as unknown[] }),
  };
  return { apiVersion, kind, ...content, metadata };
}

/** A set without children stands for the whole value: it is the larger one. */
function united(one: Mapping, other: Mapping): Mapping {
  const union: Record<string, unknown> = { ...one };
  for (const [step, below] of Object.entries(other)) {
    const known = union[step];
    if (!isFields(known) || !isFields(below)) union[step] = below;
    else union[step] = isWhole(known) || isWhole(below) ? {} : united(known, below);
  }
  return union;
}

function isWhole(set: Mapping): boolean {
  return Object.keys(set).length === 0;
}

function selected(value: unknown, set: Mapping): unknown {
  if (isWhole(set)) return value;
  if (Array.isArray(value))
    return value.filter((item, index) => isSelected(item, index, set)).map((item) => ofItem(item, set));
  if (!isFields(value)) return value;
  const taken: Record<string, unknown> = {};
  for (const [step, below] of Object.entries(set)) {
    if (!step.startsWith('f:') || !isFields(below)) continue;
    const field = step.slice(2);
    if (value[field] !== undefined) taken[field] = selected(value[field], below);
  }
  // Some values without fields are in no set, such as a selector of all pods.
  for (const [field, whole] of Object.entries(value)) {
    if (taken[field] === undefined && isFields(whole) && isWhole(whole)) taken[field] = {};
  }
  return taken;
}

function isSelected(item: unknown, index: number, set: Mapping): boolean {
  return Object.keys(set).some((step) => step !== OWN && stepFits(step, item, index));
}

function stepFits(step: string, item: unknown, index: number): boolean {
  const text = step.slice(2);
  if (step.startsWith('i:')) return Number(text) === index;
  if (step.startsWith('v:')) return JSON.stringify(item) === text;
  if (!step.startsWith('k:') || !isFields(item)) return false;
  // A key that is a default need not stand in the item.
  const keys = JSON.parse(text) as Mapping;
  return Object.entries(keys).every(([key, value]) => item[key] === undefined || item[key] === value);
}

function ofItem(item: unknown, set: Mapping): unknown {
  if (!isFields(item)) return item;
  const steps = Object.entries(set).filter(([step]) => step.startsWith('k:') && stepFits(step, item, 0));
  const below = steps.map(([, fields]) => fields).filter(isFields);
  if (below.length === 0 || below.some((each) => isWhole(each))) return item;
  const taken = selected(item, below.reduce<Mapping>(united, {}));
  const keys = steps.flatMap(([step]) => Object.keys(JSON.parse(step.slice(2)) as Mapping));
  const keyed = Object.fromEntries(keys.flatMap((key) => (item[key] === undefined ? [] : [[key, item[key]]])));
  return { ...keyed, ...(isFields(taken) ? taken : {}) };
}
