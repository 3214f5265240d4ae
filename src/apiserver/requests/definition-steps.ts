/**
 * The life of a definition of custom resources, a write at a time: its names are accepted or not, its kind is served,
 * and at its end the objects of its kind go before it does. Mirrors the controllers within apiextensions-apiserver
 * (pkg/controller/status, establish and finalizer, v1.34), which here do not take time.
 */
import { approvalCondition } from '../../api/custom/approval.js';
import {
  CLEANUP_FINALIZER,
  definitionOf,
  isCondition,
  type DefinedNames,
  type Definition,
  type DefinitionCondition,
  type DefinitionStatus,
} from '../../api/custom/definition.js';
import type { CustomKind } from '../../api/custom/custom-kind.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import type { Kind, KindMap } from '../../api/objects/objects.js';
import { forbidden } from '../store/api-errors.js';
import type { Shelf } from '../store/shelf.js';

type StoredDefinition = KindMap['CustomResourceDefinition'];

/** Whether an object is a definition, and not one of a custom kind of that name. */
function isStoredDefinition<T extends KindMap[Kind]>(object: T): object is T & StoredDefinition {
  return object.kind === 'CustomResourceDefinition' && object.apiVersion === 'apiextensions.k8s.io/v1';
}

/** What is to be done with a definition next. */
export type DefinitionStep =
  | { readonly does: 'status'; readonly status: DefinitionStatus }
  | { readonly does: 'empty' }
  | { readonly does: 'release' };

/** The next step; undefined where there is none. @param others - the other definitions */
export function nextStep(
  stored: StoredDefinition,
  others: readonly StoredDefinition[],
  time: string,
): DefinitionStep | undefined {
  if (!isStoredDefinition(stored)) return undefined;
  const definition = definitionOf(stored);
  if (stored.metadata.deletionTimestamp !== undefined) return endingStep(definition, time);
  const { conditions: ofNames, acceptedNames } = namesStatus(definition, others.map(definitionOf));
  const approval = approvalCondition(definition);
  const conditions = approval === undefined ? ofNames : [approval, ...ofNames];
  const named = conditions.reduce<DefinitionStatus>((status, each) => withCondition(status, each, time), {
    ...definition.status,
    acceptedNames,
  });
  if (!isSameJson(named, definition.status)) return { does: 'status', status: named };
  const isAccepted = isCondition(definition.status, 'NamesAccepted');
  if (!isAccepted || isCondition(definition.status, 'Established')) return undefined;
  return { does: 'status', status: withCondition(definition.status, ESTABLISHED, time) };
}

/** An object of another cluster as it is: where a definition was only written down, its kind is served from the beginning. */
export function served<K extends Kind>(object: KindMap[K], { table }: Shelf<K>, present: () => string): KindMap[K] {
  if (!isStoredDefinition(object) || object.metadata.deletionTimestamp !== undefined) return object;
  const others = table.sorted() as readonly StoredDefinition[];
  let definition: StoredDefinition = object;
  for (let step = nextStep(definition, others, present()); step?.does === 'status';) {
    definition = { ...definition, status: step.status };
    step = nextStep(definition, others, present());
  }
  return definition as KindMap[K];
}

const ACCEPTED_TEXT = 'the initial names have been accepted';
const ESTABLISHED: DefinitionCondition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: ACCEPTED_TEXT,
};

/** A definition that is told to go. */
export function endingDefinition(definition: StoredDefinition, deletionTimestamp: string): StoredDefinition {
  const { metadata } = definition;
  const finalizers = [...(metadata.finalizers ?? []).filter((each) => each !== CLEANUP_FINALIZER), CLEANUP_FINALIZER];
  const marked = { ...metadata, deletionTimestamp, finalizers };
  return { ...definition, metadata: marked, status: endingStatus(definition, deletionTimestamp) };
}

/** A definition of which no objects are left. */
export function releasedDefinition(definition: StoredDefinition): StoredDefinition {
  const { metadata } = definition;
  const finalizers = (metadata.finalizers ?? []).filter((each) => each !== CLEANUP_FINALIZER);
  return { ...definition, metadata: { ...metadata, finalizers } };
}

function endingStatus(stored: StoredDefinition, time: string): DefinitionStatus {
  const message = 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon';
  const pending = { type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending', message } as const;
  return withCondition(definitionOf(stored).status, pending, time);
}

function endingStep({ metadata, status }: Definition, time: string): DefinitionStep | undefined {
  if (metadata.finalizers?.includes(CLEANUP_FINALIZER) !== true) return undefined;
  if (!isCondition(status, 'Established')) return { does: 'release' };
  const message = 'CustomResource deletion is in progress';
  const begun = withCondition(
    status,
    { type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress', message },
    time,
  );
  return isSameJson(begun, status) ? { does: 'empty' } : { does: 'status', status: begun };
}

/** The names that may be used, and what is said of them. */
function namesStatus(
  { metadata, spec, status }: Definition,
  others: readonly Definition[],
): { readonly acceptedNames: DefinedNames; readonly conditions: readonly DefinitionCondition[] } {
  const taken = others
    .filter((other) => other.spec.group === spec.group && other.metadata.name !== metadata.name)
    .flatMap((other) => (other.status.acceptedNames === undefined ? [] : [other.status.acceptedNames]));
  const resources = new Set(
    taken.flatMap(({ plural, singular = '', shortNames = [] }) => [plural, singular, ...shortNames]),
  );
  const kinds = new Set(taken.flatMap(({ kind, listKind = '' }) => [kind, listKind]));
  const { names } = spec;
  const accepted = status.acceptedNames ?? { plural: '', kind: '' };
  const conflicts: (readonly [reason: string, name: string])[] = [];
  const free = (reason: string, name: string | undefined, old: string | undefined, among: Set<string>) => {
    if (name === undefined || name === '' || name === old || !among.has(name)) return name;
    conflicts.push([reason, name]);
    return old;
  };
  const plural = free('PluralConflict', names.plural, accepted.plural, resources);
  const singular = free('SingularConflict', names.singular, accepted.singular, resources);
  const clash = (names.shortNames ?? []).filter(
    (name) => resources.has(name) && accepted.shortNames?.includes(name) !== true,
  );
  if (clash.length > 0) conflicts.push(['ShortNamesConflict', clash.join('", "')]);
  const kind = free('KindConflict', names.kind, accepted.kind, kinds);
  const listKind = free('ListKindConflict', names.listKind, accepted.listKind, kinds);
  const acceptedNames = withoutVoid({
    plural: plural ?? '',
    singular,
    shortNames: clash.length > 0 ? accepted.shortNames : names.shortNames,
    kind: kind ?? '',
    listKind,
    categories: names.categories,
  });
  // Each conflict is told over the one before it.
  const conflict = conflicts.at(-1);
  if (conflict !== undefined) {
    const [reason, name] = conflict;
    const message = `"${name}" is already in use`;
    const conditions: DefinitionCondition[] = [{ type: 'NamesAccepted', status: 'False', reason, message }];
    if (!isCondition(status, 'Established')) {
      conditions.push({
        type: 'Established',
        status: 'False',
        reason: 'NotAccepted',
        message: 'not all names are accepted',
      });
    }
    return { acceptedNames, conditions };
  }
  const conditions: DefinitionCondition[] = [
    { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
  ];
  if (!isCondition(status, 'Established')) {
    conditions.push({ type: 'Established', status: 'False', reason: 'Installing', message: ACCEPTED_TEXT });
  }
  return { acceptedNames, conditions };
}

function withoutVoid(names: Readonly<Record<string, unknown>>): DefinedNames {
  return Object.fromEntries(
    Object.entries(names).filter(([, value]) => value !== undefined),
  ) as unknown as DefinedNames;
}

/** A condition that says what it said before keeps its time. */
function withCondition(status: DefinitionStatus, condition: DefinitionCondition, time: string): DefinitionStatus {
  const conditions = status.conditions ?? [];
  const old = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : time;
  const { type, status: value, reason, message } = condition;
  const next = {
    type,
    status: value,
    ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
    reason,
    message,
  };
  if (old === undefined) return { ...status, conditions: [...conditions, next] };
  return { ...status, conditions: conditions.map((each) => (each === old ? next : each)) };
}

/** @throws ApiError 403 where the kind of a new object is on its way out */
export function guardTermination(resource: CustomKind, name: string): void {
  if (resource.custom.definition.metadata.deletionTimestamp === undefined) return;
  throw forbidden(resource, name, 'create not allowed while custom resource definition is terminating');
}
