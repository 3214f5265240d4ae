/** Namespaces (pkg/registry/core/namespace/strategy.go, v1.34). */
import { invalid, invalidEach } from '../../errors/field-errors.js';
import { dns1123Label, qualifiedName } from '../../values/names.js';
import type { Draft, Namespace } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { describeKind } from '../rules/describe-kind.js';
import { filled } from '../rules/filling.js';

const NAME_LABEL = 'kubernetes.io/metadata.name';
/** Removed when the content of the namespace is gone. */
const FINALIZER = 'kubernetes';
const UNQUALIFIED = 'name is neither a standard finalizer name nor is it fully qualified';

/** The description of namespaces. */
export const namespaceKind = describeKind({
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  isNamespaced: false,
  hasStatus: true,
  deleteReturnsObject: true,
  nameCheck: dns1123Label,
  selectableFields: { 'status.phase': ({ status }) => status?.phase ?? '' },
  applyDefaults: (draft) => withPhase(filled(withNameLabel(draft), { spec: {} })),
  prepareForCreate(namespace) {
    const { spec, metadata } = withNameLabel(namespace);
    const finalizers = spec?.finalizers ?? [];
    return {
      ...namespace,
      metadata,
      spec: { ...spec, finalizers: finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER] },
      status: { phase: 'Active' },
    };
  },
  prepareForUpdate(next, previous) {
    const labelled = withNameLabel(next);
    const { spec } = previous;
    return labelled.spec === spec || spec === undefined ? labelled : { ...labelled, spec };
  },
  validate: ({ spec }) => finalizerErrors(spec?.finalizers ?? []),
  validateStatusChange: validatePhase,
});

/** What is wrong with names of finalizers. @param list - where they are told by their places; absent = by the list alone */
export function finalizerErrors(names: readonly string[], list?: string): readonly FieldError[] {
  return names.flatMap((name, index) => {
    const field = list === undefined ? 'spec.finalizers' : `${list}[${index}]`;
    return [
      ...invalidEach(field, name, qualifiedName(name)),
      ...(name === FINALIZER || name.includes('/') ? [] : [invalid(field, name, UNQUALIFIED)]),
    ];
  });
}

/** A status that says no phase is that of an active namespace. */
function withPhase(draft: Draft): Draft {
  const status = draft['status'] as Namespace['status'] | undefined;
  return status === undefined ? draft : { ...draft, status: filled(status, { phase: 'Active' }) };
}

/** Every namespace carries its name as a label. */
function withNameLabel<T extends Pick<Draft, 'metadata'>>(namespace: T): T {
  const { metadata } = namespace;
  // One whose name is generated gets the label with its name.
  if (metadata?.name === undefined || metadata.name === '' || metadata.labels?.[NAME_LABEL] === metadata.name)
    return namespace;
  return { ...namespace, metadata: { ...metadata, labels: { ...metadata.labels, [NAME_LABEL]: metadata.name } } };
}

function validatePhase({ metadata, status }: Namespace): FieldError[] {
  const phase = status?.phase ?? '';
  const isEnding = metadata.deletionTimestamp !== undefined;
  const expected = isEnding ? 'Terminating' : 'Active';
  if (phase === expected) return [];
  const state = isEnding ? 'not empty' : 'empty';
  return [invalid('status.Phase', phase, `may only be '${expected}' if \`deletionTimestamp\` is ${state}`)];
}
