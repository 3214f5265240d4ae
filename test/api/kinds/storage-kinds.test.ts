import { dns1123Subdomain } from '../../../src/api/values/names.js';
import test from 'ava';
import { csiDriverKind } from '../../../src/api/kinds/storage/csi-driver.js';
import { csiNodeKind } from '../../../src/api/kinds/storage/csi-node.js';
import { csiStorageCapacityKind } from '../../../src/api/kinds/storage/csi-storage-capacity.js';
import { persistentVolumeClaimKind } from '../../../src/api/kinds/storage/persistent-volume-claim.js';
import { persistentVolumeKind } from '../../../src/api/kinds/storage/persistent-volume.js';
import { storageClassKind } from '../../../src/api/kinds/storage/storage-class.js';
import { volumeAttachmentKind } from '../../../src/api/kinds/storage/volume-attachment.js';
import type { Draft, KubeObject } from '../../../src/api/objects/objects.js';
import { answerOf } from '../object-pipeline.js';
import { createdBy, updatedBy, type KindDescription } from './kind-pipeline.js';

const SUBDOMAIN = dns1123Subdomain('').join();

const VOLUME = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } };
const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

function answer<T extends KubeObject>(kind: KindDescription<T>, draft: Draft): string {
  return answerOf(() => createdBy(kind, draft));
}

function volumeAnswer(spec: object): string {
  return answer(persistentVolumeKind, { spec: { ...VOLUME, ...spec } }).replace(
    'PersistentVolume "x" is invalid: ',
    '',
  );
}

function claimAnswer(spec: object): string {
  const text = answer(persistentVolumeClaimKind, { spec: { ...CLAIM, ...spec } });
  return text.replace('PersistentVolumeClaim "x" is invalid: ', '');
}

test('a volume is kept, mounted as a file system, and protected unless it says otherwise', (t) => {
  const { metadata, spec, status } = createdBy(persistentVolumeKind, { spec: VOLUME });
  t.deepEqual(metadata.finalizers, ['kubernetes.io/pv-protection']);
  t.deepEqual(spec, {
    ...VOLUME,
    hostPath: { path: '/x', type: '' },
    persistentVolumeReclaimPolicy: 'Retain',
    volumeMode: 'Filesystem',
  });
  t.deepEqual(status, { phase: 'Pending', lastPhaseTransitionTime: '2026-01-01T00:00:00Z' });
});

test('a volume needs a size, access modes and one source', (t) => {
  t.is(volumeAnswer({ hostPath: undefined }), 'spec: Required value: must specify a volume type');
  t.is(
    volumeAnswer({ csi: { driver: 'd', volumeHandle: 'h' } }),
    'spec.csi: Forbidden: may not specify more than 1 volume type',
  );
  t.is(volumeAnswer({ hostPath: undefined, csi: { driver: 'd' } }), 'spec.csi.volumeHandle: Required value');
  t.is(volumeAnswer({ accessModes: [] }), 'spec.accessModes: Required value');
  t.is(
    volumeAnswer({ accessModes: ['RWO'] }),
    'spec.accessModes: Unsupported value: "RWO": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
  );
  t.is(
    volumeAnswer({ accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] }),
    'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
  );
  t.is(
    volumeAnswer({ capacity: {} }),
    '[spec.capacity: Required value, spec.capacity: Unsupported value: {}: supported values: "storage"]',
  );
  t.is(
    volumeAnswer({ capacity: { storage: '0' } }),
    'spec.capacity[storage]: Invalid value: "0": must be greater than zero',
  );
});

test('a volume’s policy, mode, class and affinity are checked', (t) => {
  t.is(
    volumeAnswer({ persistentVolumeReclaimPolicy: 'Keep' }),
    'spec.persistentVolumeReclaimPolicy: Unsupported value: "Keep": supported values: "Delete", "Recycle", "Retain"',
  );
  t.is(
    volumeAnswer({ volumeMode: 'File' }),
    'spec.volumeMode: Unsupported value: "File": supported values: "Block", "Filesystem"',
  );
  t.regex(volumeAnswer({ storageClassName: 'A' }), /^spec\.storageClassName: Invalid value: "A": a lowercase RFC 1123/);
  t.is(
    volumeAnswer({ nodeAffinity: {} }),
    'spec.nodeAffinity.required: Required value: must specify required node constraints',
  );
  t.is(
    volumeAnswer({ nodeAffinity: { required: { nodeSelectorTerms: [] } } }),
    'spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term',
  );
  t.is(
    volumeAnswer({ hostPath: undefined, local: { path: '/l' } }),
    'spec.nodeAffinity: Required value: Local volume requires node affinity',
  );
  t.is(
    volumeAnswer({ hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' }),
    "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
  );
});

test('a volume may be set aside for a claim, but its source, mode and affinity stay', (t) => {
  const stored = createdBy(persistentVolumeKind, { spec: VOLUME });
  const change = (spec: object): string =>
    answerOf(() =>
      updatedBy(persistentVolumeKind, stored, (volume) => ({ ...volume, spec: { ...volume.spec, ...spec } })),
    );
  t.is(change({ claimRef: { name: 'c', namespace: 'd' } }), 'accepted');
  t.is(
    change({ hostPath: { path: '/y', type: '' } }),
    'PersistentVolume "x" is invalid: spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n' +
      '@@ -2,7 +2,7 @@\n  "GCEPersistentDisk": null,\n  "AWSElasticBlockStore": null,\n  "HostPath": {\n' +
      '-  "Path": "/x",\n+  "Path": "/y",\n   "Type": ""\n  },\n  "Glusterfs": null,\n',
  );
  t.is(
    change({ volumeMode: 'Block' }),
    'PersistentVolume "x" is invalid: volumeMode: Invalid value: "Block": field is immutable',
  );
});

test('a claim is pending, and protected', (t) => {
  const { metadata, spec, status } = createdBy(persistentVolumeClaimKind, { spec: CLAIM, status: { phase: 'Bound' } });
  t.deepEqual(metadata.finalizers, ['kubernetes.io/pvc-protection']);
  t.deepEqual(spec, { ...CLAIM, volumeMode: 'Filesystem' });
  t.deepEqual(status, { phase: 'Pending' });
});

test('a claim says how it is mounted and how large it is', (t) => {
  t.is(claimAnswer({}), 'accepted');
  t.is(claimAnswer({ accessModes: [] }), 'spec.accessModes: Required value: at least 1 access mode is required');
  t.is(claimAnswer({ resources: {} }), 'spec.resources[storage]: Required value');
  t.is(
    claimAnswer({ resources: { requests: { storage: '0' } } }),
    'spec.resources[storage]: Invalid value: "0": must be greater than zero',
  );
  t.is(
    claimAnswer({ volumeMode: 'x' }),
    'spec.volumeMode: Unsupported value: "x": supported values: "Block", "Filesystem"',
  );
});

test('a claim gets its volume and class once, and nothing else changes', (t) => {
  const refusal =
    'PersistentVolumeClaim "x" is invalid: spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n';
  const stored = createdBy(persistentVolumeClaimKind, { spec: CLAIM });
  const change = (spec: object, from = stored): string =>
    answerOf(() =>
      updatedBy(persistentVolumeClaimKind, from, (claim) => ({ ...claim, spec: { ...claim.spec, ...spec } })),
    );
  t.is(change({ volumeName: 'v', storageClassName: 's' }), 'accepted');
  t.is(
    change({ accessModes: ['ReadOnlyMany'] }),
    `${refusal}@@ -1,6 +1,6 @@
 {
  "AccessModes": [
-  "ReadWriteOnce"
+  "ReadOnlyMany"
  ],
  "Selector": null,
  "Resources": {
`,
  );
  t.is(
    change({ resources: { requests: { storage: '2Gi' } } }),
    `${refusal}@@ -6,7 +6,7 @@
  "Resources": {
   "Limits": null,
   "Requests": {
-   "storage": "1Gi"
+   "storage": "2Gi"
   }
  },
  "VolumeName": "",
`,
  );
  const bound: typeof stored = {
    ...stored,
    spec: { ...stored.spec, volumeName: 'v', storageClassName: 's' },
    status: { phase: 'Bound', capacity: { storage: '1Gi' } },
  };
  t.is(
    change({ volumeName: 'w' }, bound),
    `${refusal}@@ -9,7 +9,7 @@
    "storage": "1Gi"
   }
  },
- "VolumeName": "v",
+ "VolumeName": "w",
  "StorageClassName": "s",
  "VolumeMode": "Filesystem",
  "DataSource": null,
`,
  );
  const several = {
    storageClassName: 't',
    accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
    selector: { matchLabels: { a: 'b' } },
  };
  t.true(change(several, bound).startsWith(`${refusal}@@ -1,8 +1,13 @@\n`));
  t.regex(change(several, bound), /\n\+ {2}"matchLabels": \{\n\+ {3}"a": "b"\n/);
  t.is(change({ volumeAttributesClassName: 'fast' }, bound), 'accepted');
  t.true(
    change({ volumeMode: 'Block' }, bound).endsWith(
      '"VolumeAttributesClassName": null\n, volumeMode: Invalid value: "Block": field is immutable]',
    ),
  );
  t.is(change({ resources: { requests: { storage: '2Gi' } } }, bound), 'accepted');
  t.is(
    change({ resources: { requests: { storage: '512Mi' } } }, bound),
    'PersistentVolumeClaim "x" is invalid: spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
  );
  // A claim without a volume has been granted nothing yet.
  t.false(change({ resources: { requests: { storage: '512Mi' } } }).includes('status.capacity'));
});

test('a class deletes volumes and binds at once unless it says otherwise', (t) => {
  const stored = createdBy(storageClassKind, { provisioner: 'x/y' });
  t.like(stored, { provisioner: 'x/y', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
  t.is(answer(storageClassKind, {}), 'StorageClass.storage.k8s.io "x" is invalid: provisioner: Required value');
  t.is(
    answer(storageClassKind, { provisioner: 'x/y', volumeBindingMode: 'Never', reclaimPolicy: 'Recycle' }),
    'StorageClass.storage.k8s.io "x" is invalid: [reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain", volumeBindingMode: Unsupported value: "Never": supported values: "Immediate", "WaitForFirstConsumer"]',
  );
  t.is(
    answer(storageClassKind, {
      provisioner: 'x/y',
      allowedTopologies: [
        {
          matchLabelExpressions: [
            { key: 'z', values: [] },
            { key: 'z', values: ['a', 'a'] },
          ],
        },
      ],
    }),
    'StorageClass.storage.k8s.io "x" is invalid: [allowedTopologies[0].matchLabelExpressions[0].values: Required value, allowedTopologies[0].matchLabelExpressions[1].values[1]: Duplicate value: "a", allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "z"]',
  );
  t.is(
    answerOf(() =>
      updatedBy(storageClassKind, stored, (each) => ({
        ...each,
        provisioner: 'z',
        volumeBindingMode: 'WaitForFirstConsumer',
      })),
    ),
    'StorageClass.storage.k8s.io "x" is invalid: [provisioner: Forbidden: updates to provisioner are forbidden., volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable]',
  );
});

test('CSINode, CSIDriver and CSIStorageCapacity › are checked as upstream checks them', (t) => {
  t.is(
    answer(csiNodeKind, {
      spec: {
        drivers: [
          { name: 'd', nodeID: 'n' },
          { name: 'd', allocatable: { count: -1 } },
        ],
      },
    }),
    'CSINode.storage.k8s.io "x" is invalid: [spec.drivers[1].nodeID: Required value, spec.drivers[1].allocatable.count: Invalid value: -1: must be greater than or equal to 0, spec.drivers[1].name: Duplicate value: "d"]',
  );
  t.deepEqual(createdBy(csiDriverKind, { spec: { attachRequired: false } }).spec, {
    attachRequired: false,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    volumeLifecycleModes: ['Persistent'],
    requiresRepublish: false,
    seLinuxMount: false,
  });
  t.is(
    answer(csiStorageCapacityKind, { storageClassName: 's', capacity: '-1' }),
    'CSIStorageCapacity.storage.k8s.io "x" is invalid: capacity: Invalid value: "-1": must be greater than or equal to 0',
  );
});

test('an attachment is of one volume to one node, and stays so', (t) => {
  const spec = { attacher: 'd', nodeName: 'n', source: { persistentVolumeName: 'v' } };
  const stored = createdBy(volumeAttachmentKind, { spec });
  t.deepEqual(stored.status, { attached: false });
  t.is(
    answer(volumeAttachmentKind, { spec: { source: {} } }),
    `VolumeAttachment.storage.k8s.io "x" is invalid: [spec.attacher: Required value, spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName, spec.nodeName: Invalid value: "": ${SUBDOMAIN}, spec.attacher: Invalid value: "": ${SUBDOMAIN}]`,
  );
  t.is(
    answerOf(() => updatedBy(volumeAttachmentKind, stored, (each) => ({ ...each, spec: { ...spec, nodeName: 'm' } }))),
    'VolumeAttachment.storage.k8s.io "x" is invalid: spec: Invalid value: {"Attacher":"d","Source":{"PersistentVolumeName":"v","InlineVolumeSpec":null},"NodeName":"m"}: field is immutable',
  );
});

test('storage kinds are known by these names', (t) => {
  const kinds = [
    persistentVolumeKind,
    persistentVolumeClaimKind,
    storageClassKind,
    csiNodeKind,
    csiDriverKind,
    csiStorageCapacityKind,
    volumeAttachmentKind,
  ];
  t.deepEqual(
    kinds.map(({ group, plural, singular, shortNames, isNamespaced }) =>
      [group, plural, singular, ...shortNames, isNamespaced ? 'namespaced' : 'cluster'].join(' '),
    ),
    [
      ' persistentvolumes persistentvolume pv cluster',
      ' persistentvolumeclaims persistentvolumeclaim pvc namespaced',
      'storage.k8s.io storageclasses storageclass sc cluster',
      'storage.k8s.io csinodes csinode cluster',
      'storage.k8s.io csidrivers csidriver cluster',
      'storage.k8s.io csistoragecapacities csistoragecapacity namespaced',
      'storage.k8s.io volumeattachments volumeattachment cluster',
    ],
  );
});
