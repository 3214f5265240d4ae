/**
 * The service account controller: sees to it that every namespace has its account `default`. Mirrors
 * kube-controller-manager v1.34 pkg/controller/serviceaccount/serviceaccounts_controller.go.
 */
import { DEFAULT_SERVICE_ACCOUNT, defaultAccountDraft } from '../../api/objects/cluster-objects.js';
import type { Lister } from '../../bus/bus-types.js';
import { createInNamespace } from './create-in-namespace.js';
import { defineController } from '../runtime/controller-definition.js';

interface State {
  readonly namespaces: Lister<'Namespace'>;
  readonly accounts: Lister<'ServiceAccount'>;
}

/** See the file header; the name of a namespace is a key. */
export const serviceAccountController = defineController<State>({
  name: 'serviceaccount-controller',
  concurrentSyncs: 1,
  setup(context) {
    const { queue } = context;
    return {
      namespaces: context.watch('Namespace', {
        onAdd: ({ metadata }) => queue.add(metadata.name),
        onUpdate: (_previous, { metadata }) => queue.add(metadata.name),
      }),
      accounts: context.watch('ServiceAccount', { onDelete: ({ metadata }) => queue.add(metadata.namespace ?? '') }),
    };
  },
  async reconcile(context, namespace, { namespaces, accounts }) {
    if (namespaces.get({ name: namespace })?.status?.phase !== 'Active') return;
    if (accounts.get({ namespace, name: DEFAULT_SERVICE_ACCOUNT }) !== undefined) return;
    await createInNamespace(context, 'ServiceAccount', defaultAccountDraft(namespace));
  },
});
