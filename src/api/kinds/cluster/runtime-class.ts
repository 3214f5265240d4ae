/** Runtime classes (pkg/apis/node/validation and pkg/registry/node/runtimeclass, v1.34). */
import { canonicalJson } from '../../values/canonical-json.js';
import type { RuntimeClass } from '../../objects/config-objects.js';
import { duplicate, invalidEach } from '../../errors/field-errors.js';
import { asGo } from '../../go/go-json.js';
import { dns1123Label } from '../../values/names.js';
import type { Draft, Toleration } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField } from '../rules/filling.js';
import { validateLabels } from '../rules/object-meta.js';
import { canonicalResourceList } from '../rules/resource-lists.js';
import { validateRequirements } from '../rules/resource-validation.js';
import { validateTolerations } from '../pod/scheduling-validation.js';
import { immutable } from '../rules/storage-fields.js';

/** The description of runtime classes. */
export const runtimeClassKind = describeKind<'RuntimeClass'>({
  kind: 'RuntimeClass',
  group: 'node.k8s.io',
  plural: 'runtimeclasses',
  isNamespaced: false,
  createsOnUpdate: true,
  requiresVersionOnUpdate: true,
  applyDefaults: (draft: Draft) =>
    changedField(draft as Draft & Pick<RuntimeClass, 'overhead'>, 'overhead', (overhead) =>
      changedField(overhead, 'podFixed', (list) => canonicalResourceList(list) as Record<string, string>),
    ),
  validate({ handler = '', overhead, scheduling }: Partial<RuntimeClass>) {
    const { nodeSelector, tolerations = [] } = scheduling ?? {};
    return [
      ...invalidEach('handler', handler, dns1123Label(handler)),
      ...(overhead?.podFixed === undefined ? [] : validateRequirements({ limits: overhead.podFixed }, 'overhead')),
      ...(nodeSelector === undefined ? [] : validateLabels(nodeSelector, 'scheduling.nodeSelector')),
      ...validateTolerations(tolerations, 'scheduling.tolerations.tolerations'),
      ...duplicates(tolerations),
    ];
  },
  validateChange: (next, previous) => immutable(next.handler, previous.handler, 'handler'),
});

function duplicates(tolerations: readonly Toleration[]): FieldError[] {
  const seen = new Set<string>();
  return tolerations.flatMap((toleration, index) => {
    const { key, operator, value, effect } = toleration;
    const own = canonicalJson({ key, operator, value, effect });
    const isNew = !seen.has(own);
    seen.add(own);
    return isNew ? [] : [duplicate(`scheduling.tolerations[${index}]`, asGo('Toleration', toleration))];
  });
}
