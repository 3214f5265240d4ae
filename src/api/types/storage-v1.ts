/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const STORAGE_V1_TYPES = `
CSIDriver apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:CSIDriverSpec:2
CSIDriverSpec attachRequired:*b:1:o podInfoOnMount:*b:2:o volumeLifecycleModes:[]@VolumeLifecycleMode:3:o;s storageCapacity:*b:4:o fsGroupPolicy:*@FSGroupPolicy:5:o tokenRequests:[]TokenRequest:6:o;a requiresRepublish:*b:7:o seLinuxMount:*b:8:o nodeAllocatableUpdatePeriodSeconds:*l:9:o
CSINode apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:CSINodeSpec:2
CSINodeDriver name:s:1 nodeID:s:2 topologyKeys:[]s:3:?;a allocatable:*VolumeNodeResources:4:o
CSINodeSpec drivers:[]CSINodeDriver:1:m=name;l=name
CSIStorageCapacity apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o nodeTopology:*meta/v1.LabelSelector:2:o storageClassName:s:3 capacity:*q:4:o maximumVolumeSize:*q:5:o
StorageClass apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o provisioner:s:2 parameters:{}s:3:o reclaimPolicy:*@PersistentVolumeReclaimPolicy:4:o mountOptions:[]s:5:o;a allowVolumeExpansion:*b:6:o volumeBindingMode:*@VolumeBindingMode:7:o allowedTopologies:[]core/v1.TopologySelectorTerm:8:o;a
TokenRequest audience:s:1 expirationSeconds:*l:2:o
VolumeAttachment apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:VolumeAttachmentSpec:2 status:VolumeAttachmentStatus:3:o
VolumeAttachmentSource persistentVolumeName:*s:1:o inlineVolumeSpec:*core/v1.PersistentVolumeSpec:2:o
VolumeAttachmentSpec attacher:s:1 source:VolumeAttachmentSource:2 nodeName:s:3
VolumeAttachmentStatus attached:b:1 attachmentMetadata:{}s:2:o attachError:*VolumeError:3:o detachError:*VolumeError:4:o
VolumeAttributesClass apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o driverName:s:2 parameters:{}s:3:o
VolumeError time:t:1:o message:s:2:o errorCode:*i:3:o
VolumeNodeResources count:*i:1:o
`;
