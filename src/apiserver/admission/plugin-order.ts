/**
 * The plugins that are on by default, in upstream's order (pkg/kubeapiserver/options/plugins.go, v1.34). Of pods
 * ServiceAccount, Priority, DefaultTolerationSeconds and RuntimeClass are one plugin here: none that sees pods comes
 * between them, and pods of one template share what they make of its spec.
 */
import type { AnyObject, Node, Pod, PriorityClass } from '../../api/objects/objects.js';
import type { PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { VersionedStore } from '../store/store.js';
import type { AdmissionPlugin } from './chain/admission-plugin.js';
import { guardResize } from './claim-resize.js';
import { withDefaultIngressClass } from './default-ingress-class.js';
import { withDefaultClass } from './default-storage-class.js';
import { guardImmortalNamespace, guardNamespace } from './namespace-lifecycle.js';
import { limitRanger } from './limit-ranger.js';
import type { PodAdmission } from './pod-admission.js';
import { podSecurity } from './pod-security/pod-security.js';
import { guardDefaultClass, guardSystemClass } from './priority.js';
import { roleEscalation } from './role-escalation.js';
import { resourceQuota, type WriteUsage } from './resource-quota.js';
import { withNotReadyTaint } from './taint-nodes-by-condition.js';

/** What the plugins read. */
export interface PluginMeans {
  readonly store: VersionedStore;
  readonly pods: PodAdmission;
  readonly kernel: Kernel;
  readonly writeUsage: WriteUsage;
}

/** @param others - of other parts: they come before ResourceQuota */
export function pluginsInOrder(
  means: PluginMeans,
  others: readonly AdmissionPlugin[] = [],
): readonly AdmissionPlugin[] {
  return [
    namespaceLifecycle(means),
    limitRanger(means.store),
    taintNodesByCondition,
    podSecurity(means.store),
    podDefaults(means),
    priorityClasses(means),
    defaultStorageClass(means),
    attributesClassProtection,
    claimResize(means),
    defaultIngressClass(means),
    ...others,
    roleEscalation(means.store),
    resourceQuota(means.store, means.kernel, means.writeUsage),
  ];
}

/** Its name, by which a request that nothing else sees is known. */
export const NAMESPACE_LIFECYCLE = 'NamespaceLifecycle';

function namespaceLifecycle({ store }: PluginMeans): AdmissionPlugin {
  const namespaces = store.shelf('Namespace');
  return {
    name: NAMESPACE_LIFECYCLE,
    handles: ({ operation, resource }) =>
      operation === 'CREATE' ? resource.isNamespaced : operation === 'DELETE' && resource.storedAs === 'Namespace',
    mutate: ({ operation, namespace, resource, name, shownName }) => {
      if (operation === 'DELETE') guardImmortalNamespace(name, resource);
      else if (namespace !== undefined) guardNamespace(namespaces, namespace, resource, shownName);
    },
  };
}

const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  handles: ({ operation, resource, subresource }) =>
    operation === 'CREATE' && resource.storedAs === 'Node' && subresource === '',
  mutate: (attributes) => {
    attributes.object = withNotReadyTaint(attributes.object as Node);
  },
};

function podDefaults({ pods }: PluginMeans): AdmissionPlugin {
  return {
    name: 'ServiceAccount, Priority, DefaultTolerationSeconds, RuntimeClass',
    handles: ({ operation, resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') && resource.storedAs === 'Pod' && subresource === '',
    mutate: (attributes) => {
      const pod = attributes.object as Pod;
      attributes.object =
        attributes.operation === 'CREATE'
          ? pods.admitCreate(pod, attributes.shownName)
          : pods.admitUpdate(pod, attributes.previous as Pod);
    },
    validate: ({ operation, object, shownName }) => {
      if (operation === 'CREATE') pods.validateCreate(object as Pod, shownName);
    },
  };
}

function priorityClasses({ store }: PluginMeans): AdmissionPlugin {
  const classes = store.shelf('PriorityClass');
  return {
    name: 'Priority',
    handles: ({ operation, resource }) => resource.storedAs === 'PriorityClass' && operation !== 'CONNECT',
    mutate: ({ operation, object, resource, name }) => {
      if (operation === 'DELETE') guardSystemClass(name, resource);
      else guardDefaultClass(object as PriorityClass, classes);
    },
  };
}

function defaultStorageClass({ store }: PluginMeans): AdmissionPlugin {
  const { table } = store.shelf('StorageClass');
  return {
    name: 'DefaultStorageClass',
    handles: ({ operation, resource }) => operation === 'CREATE' && resource.storedAs === 'PersistentVolumeClaim',
    mutate: (attributes) => {
      attributes.object = withDefaultClass(attributes.object as PersistentVolumeClaim, table.values());
    },
  };
}

/** Claims and volumes get their finalizers as they are filled in. */
const attributesClassProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  handles: ({ operation, resource }) => operation === 'CREATE' && resource.storedAs === 'VolumeAttributesClass',
  mutate: (attributes) => {
    const { object } = attributes;
    if (object === undefined) return;
    const { finalizers = [] } = object.metadata;
    if (finalizers.includes(ATTRIBUTES_CLASS_FINALIZER)) return;
    attributes.object = {
      ...object,
      metadata: { ...object.metadata, finalizers: [...finalizers, ATTRIBUTES_CLASS_FINALIZER] },
    };
  },
};
const ATTRIBUTES_CLASS_FINALIZER = 'kubernetes.io/vac-protection';

function defaultIngressClass({ store }: PluginMeans): AdmissionPlugin {
  const { table } = store.shelf('IngressClass');
  return {
    name: 'DefaultIngressClass',
    handles: ({ operation, resource, subresource }) =>
      operation === 'CREATE' && resource.storedAs === 'Ingress' && subresource === '',
    mutate: (attributes) => {
      attributes.object = withDefaultIngressClass(attributes.object as AnyObject, table.values());
    },
  };
}

function claimResize({ store }: PluginMeans): AdmissionPlugin {
  const classes = store.shelf('StorageClass');
  return {
    name: 'PersistentVolumeClaimResize',
    handles: ({ operation, resource, subresource }) =>
      operation === 'UPDATE' && resource.storedAs === 'PersistentVolumeClaim' && subresource === '',
    validate: ({ object, previous, resource }) =>
      guardResize(object as PersistentVolumeClaim, previous as PersistentVolumeClaim, resource, classes),
  };
}
