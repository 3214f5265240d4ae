/**
 * The status controller of validating admission policies: says of each generation of a policy that it has been seen,
 * and what its expressions get wrong for the kinds that the policy is about. Mirrors kube-controller-manager v1.34
 * pkg/controller/validatingadmissionpolicystatus; custom kinds are known from their definitions, not from discovery.
 */
import { declaredKinds } from '../../api/admission/declared-kinds.js';
import { typeWarnings } from '../../api/admission/type-checking.js';
import { definitionOf } from '../../api/custom/definition.js';
import { SERVED_NAMES } from '../../api/kinds/other-versions.js';
import type { KindMap } from '../../api/objects/objects.js';
import type { Informer } from '../../bus/bus-types.js';
import { defineController } from '../runtime/controller-definition.js';

type Policy = KindMap['ValidatingAdmissionPolicy'];

interface Listers {
  readonly policies: Informer<'ValidatingAdmissionPolicy'>;
  readonly definitions: Informer<'CustomResourceDefinition'>;
}

const MANAGER = 'validatingadmissionpolicy-status';

/** See the file header; the name of a policy is a key. */
export const validatingAdmissionPolicyStatusController = defineController<Listers>({
  name: 'validatingadmissionpolicy-status-controller',
  setup(context) {
    const enqueue = ({ metadata }: Policy): void => context.queue.add(metadata.name);
    return {
      definitions: context.informer('CustomResourceDefinition'),
      policies: context.watch('ValidatingAdmissionPolicy', {
        onAdd: enqueue,
        onUpdate: (_previous, policy) => enqueue(policy),
      }),
    };
  },
  async reconcile(context, name, { policies, definitions }) {
    const policy = policies.get({ name });
    if (policy === undefined) return;
    const { generation = 0 } = policy.metadata;
    const { observedGeneration = 0 } = (policy.status ?? {}) as { readonly observedGeneration?: number };
    if (generation <= observedGeneration) return;
    // Upstream tells types apart by the nanoseconds of the time at which they are made.
    const mark = String((context.kernel.clock.now() % 1000) * 1_000_000);
    const kinds = declaredKinds(SERVED_NAMES, [...definitions.list()].map(definitionOf), mark);
    const expressionWarnings = typeWarnings(policy.spec ?? {}, kinds);
    const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings };
    const change = (present: Policy): Policy => ({
      ...present,
      status: { ...present.status, observedGeneration: generation, typeChecking },
    });
    await context.api.change('ValidatingAdmissionPolicy', { name }, change, {
      subresource: 'status',
      appliedBy: MANAGER,
    });
  },
});
