/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const META_V1_TYPES = `
APIGroup apiVersion:s:0:o kind:s:0:o name:s:1 versions:[]GroupVersionForDiscovery:2:a preferredVersion:GroupVersionForDiscovery:3:o serverAddressByClientCIDRs:[]ServerAddressByClientCIDR:4:o;a
APIGroupList apiVersion:s:0:o kind:s:0:o groups:[]APIGroup:1:a
APIResource name:s:1 singularName:s:6 namespaced:b:2 group:s:8:o version:s:9:o kind:s:3 verbs:[]s:4 shortNames:[]s:5:o;a categories:[]s:7:o;a storageVersionHash:s:10:o
APIResourceList apiVersion:s:0:o kind:s:0:o groupVersion:s:1 resources:[]APIResource:2:a
APIVersions apiVersion:s:0:o kind:s:0:o versions:[]s:1:a serverAddressByClientCIDRs:[]ServerAddressByClientCIDR:2:a
Condition type:s:1 status:@ConditionStatus:2 observedGeneration:l:3:o lastTransitionTime:t:4 reason:s:5 message:s:6
DeleteOptions apiVersion:s:0:o kind:s:0:o gracePeriodSeconds:*l:1:o preconditions:*Preconditions:2:o orphanDependents:*b:3:o propagationPolicy:*@DeletionPropagation:4:o dryRun:[]s:5:o;a ignoreStoreReadErrorWithClusterBreakingPotential:*b:6:o
FieldSelectorRequirement key:s:1 operator:@FieldSelectorOperator:2 values:[]s:3:o;a
GroupVersionForDiscovery groupVersion:s:1 version:s:2
LabelSelector~ matchLabels:{}s:1:o matchExpressions:[]LabelSelectorRequirement:2:o;a
LabelSelectorRequirement key:s:1 operator:@LabelSelectorOperator:2 values:[]s:3:o;a
ListMeta selfLink:s:1:o resourceVersion:s:2:o continue:s:3:o remainingItemCount:*l:4:o
ManagedFieldsEntry manager:s:1:o operation:@ManagedFieldsOperationType:2:o apiVersion:s:3:o time:*t:4:o fieldsType:s:6:o fieldsV1:*r:7:o subresource:s:8:o
ObjectMeta name:s:1:o generateName:s:2:o namespace:s:3:o selfLink:s:4:o uid:@types.UID:5:o resourceVersion:s:6:o generation:l:7:o creationTimestamp:t:8:o deletionTimestamp:*t:9:o deletionGracePeriodSeconds:*l:10:o labels:{}s:11:o annotations:{}s:12:o ownerReferences:[]OwnerReference:13:o;m=uid;l=uid finalizers:[]s:14:o;m;s managedFields:[]ManagedFieldsEntry:17:o;a
OwnerReference~ apiVersion:s:5 kind:s:1 name:s:3 uid:@types.UID:4 controller:*b:6:o blockOwnerDeletion:*b:7:o
Preconditions uid:*@types.UID:1:o resourceVersion:*s:2:o
ServerAddressByClientCIDR clientCIDR:s:1 serverAddress:s:2
Status apiVersion:s:0:o kind:s:0:o metadata:ListMeta:1:o status:s:2:o message:s:3:o reason:@StatusReason:4:o details:*StatusDetails:5:o;a code:i:6:o
StatusCause reason:@CauseType:1:o message:s:2:o field:s:3:o
StatusDetails name:s:1:o group:s:2:o kind:s:3:o uid:@types.UID:6:o causes:[]StatusCause:4:o;a retryAfterSeconds:i:5:o
`;
