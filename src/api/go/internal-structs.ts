/**
 * The Go structures with which the API server validates objects (pkg/apis/core, apps, batch, policy and storage,
 * v1.34), as far as its refusals print values of them. They have no tags: JSON calls their fields as Go does, and
 * leaves none out. Facts only; go-struct.ts reads the notation; JSON names in it are those of the v1 API.
 */
import { COMMON_STRUCTS } from './common-structs.js';
import { readStructs, type GoStructs } from './go-struct.js';
import { VOLUME_STRUCTS } from './volume-structs.js';

/** By name of the structure. */
export const INTERNAL_STRUCTS: GoStructs = new Map([
  ...COMMON_STRUCTS,
  ...VOLUME_STRUCTS,
  ...readStructs(`
CSINodeDriver { Name:string NodeID:string TopologyKeys:[]string Allocatable:*VolumeNodeResources }
VolumeNodeResources { Count:*int32 }
ParentReference { Group:string Resource:string Namespace:string Name:string }
EventSource { Component:string Host:string }
ObjectReference { Kind:string Namespace:string Name:string UID:string APIVersion:string ResourceVersion:string FieldPath:string }
DaemonSetUpdateStrategy { Type:DaemonSetUpdateStrategyType RollingUpdate:*RollingUpdateDaemonSet }
AllocationResult { Devices:DeviceAllocationResult NodeSelector:*NodeSelector AllocationTimestamp:*Time }
CELDeviceSelector { Expression:string }
DeviceAllocationConfiguration { Source:string Requests:[]string +DeviceConfiguration }
DeviceAllocationResult { Results:[]DeviceRequestAllocationResult Config:[]DeviceAllocationConfiguration }
DeviceClaim { Requests:[]DeviceRequest Constraints:[]DeviceConstraint Config:[]DeviceClaimConfiguration }
DeviceClaimConfiguration { Requests:[]string +DeviceConfiguration }
DeviceConfiguration { Opaque:*OpaqueDeviceConfiguration }
DeviceConstraint { Requests:[]string MatchAttribute:*string DistinctAttribute:*string }
DeviceRequest { Name:string Exactly:*ExactDeviceRequest FirstAvailable:[]DeviceSubRequest }
DeviceRequestAllocationResult { Request:string Driver:string Pool:string Device:string AdminAccess:*bool
  Tolerations:[]DeviceToleration BindingConditions:[]string BindingFailureConditions:[]string ShareID:*string
  ConsumedCapacity:map[string]string }
DeviceSelector { CEL:*CELDeviceSelector }
DeviceSubRequest { Name:string DeviceClassName:string Selectors:[]DeviceSelector AllocationMode:string Count:int64
  Tolerations:[]DeviceToleration Capacity:*CapacityRequirements }
DeviceToleration { Key:string Operator:string Value:string Effect:string TolerationSeconds:*int64 }
ExactDeviceRequest { DeviceClassName:string Selectors:[]DeviceSelector AllocationMode:string Count:int64
  AdminAccess:*bool Tolerations:[]DeviceToleration Capacity:*CapacityRequirements }
OpaqueDeviceConfiguration { Driver:string Parameters:RawExtension }
ResourceClaimSpec { Devices:DeviceClaim }
ResourceClaimTemplateSpec { +ObjectMeta Spec:ResourceClaimSpec }
DeploymentStrategy { Type:DeploymentStrategyType RollingUpdate:*RollingUpdateDeployment }
FlowDistinguisherMethod { Type:FlowDistinguisherMethodType }
NonResourceAttributes { Path:string Verb:string }
HostIP { IP:string }
NodeAddress { Type:NodeAddressType Address:string }
PersistentVolumeClaimTemplate { +ObjectMeta Spec:PersistentVolumeClaimSpec }
PodDisruptionBudgetSpec { MinAvailable:*intstr.IntOrString Selector:*LabelSelector
  MaxUnavailable:*intstr.IntOrString UnhealthyPodEvictionPolicy:*UnhealthyPodEvictionPolicyType }
PodIP { IP:string }
PodFailurePolicy { Rules:[]PodFailurePolicyRule }
PodFailurePolicyOnExitCodesRequirement { ContainerName:*string Operator:PodFailurePolicyOnExitCodesOperator
  Values:[]int32 }
PodFailurePolicyOnPodConditionsPattern { Type:PodConditionType Status:ConditionStatus }
PodFailurePolicyRule { Action:PodFailurePolicyAction OnExitCodes:*PodFailurePolicyOnExitCodesRequirement
  OnPodConditions:[]PodFailurePolicyOnPodConditionsPattern }
PodSecurityContext { HostNetwork:bool HostPID:bool HostIPC:bool ShareProcessNamespace:*bool HostUsers:*bool
  SELinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*int64 RunAsGroup:*int64
  RunAsNonRoot:*bool SupplementalGroups:[]int64 SupplementalGroupsPolicy:*SupplementalGroupsPolicy FSGroup:*int64
  FSGroupChangePolicy:*PodFSGroupChangePolicy Sysctls:[]Sysctl SeccompProfile:*SeccompProfile
  AppArmorProfile:*AppArmorProfile SELinuxChangePolicy:*PodSELinuxChangePolicy }
PodSpec { Volumes:[]Volume InitContainers:[]Container Containers:[]Container
  EphemeralContainers:[]EphemeralContainer RestartPolicy:RestartPolicy TerminationGracePeriodSeconds:*int64
  ActiveDeadlineSeconds:*int64 DNSPolicy:DNSPolicy NodeSelector:map[string]string ServiceAccountName:string
  AutomountServiceAccountToken:*bool NodeName:string SecurityContext:*PodSecurityContext
  ImagePullSecrets:[]LocalObjectReference Hostname:string Subdomain:string SetHostnameAsFQDN:*bool
  Affinity:*Affinity SchedulerName:string Tolerations:[]Toleration HostAliases:[]HostAlias PriorityClassName:string
  Priority:*int32 PreemptionPolicy:*PreemptionPolicy DNSConfig:*PodDNSConfig ReadinessGates:[]PodReadinessGate
  RuntimeClassName:*string Overhead:ResourceList EnableServiceLinks:*bool
  TopologySpreadConstraints:[]TopologySpreadConstraint OS:*PodOS SchedulingGates:[]PodSchedulingGate
  ResourceClaims:[]PodResourceClaim Resources:*ResourceRequirements HostnameOverride:*string }
PodTemplateSpec { +ObjectMeta Spec:PodSpec }
RoleRef { APIGroup:string Kind:string Name:string }
RollingUpdateDaemonSet { MaxUnavailable:intstr.IntOrString MaxSurge:intstr.IntOrString }
RollingUpdateDeployment { MaxUnavailable:intstr.IntOrString MaxSurge:intstr.IntOrString }
RollingUpdateStatefulSetStrategy { Partition:int32 MaxUnavailable:*intstr.IntOrString }
ScopeSelector { MatchExpressions:[]ScopedResourceSelectorRequirement }
ScopedResourceSelectorRequirement { ScopeName:ResourceQuotaScope Operator:ScopeSelectorOperator Values:[]string }
ServiceAccountTokenProjection { Audience:string ExpirationSeconds:int64 Path:string }
ServicePort { Name:string Protocol:Protocol AppProtocol:*string Port:int32 TargetPort:intstr.IntOrString
  NodePort:int32 }
StatefulSetUpdateStrategy { Type:StatefulSetUpdateStrategyType RollingUpdate:*RollingUpdateStatefulSetStrategy }
SuccessPolicy { Rules:[]SuccessPolicyRule }
SuccessPolicyRule { SucceededIndexes:*string SucceededCount:*int32 }
Taint { Key:string Value:string Effect:TaintEffect TimeAdded:*Time }
UncountedTerminatedPods { Succeeded:[]types.UID Failed:[]types.UID }
VolumeAttachmentSource { PersistentVolumeName:*string InlineVolumeSpec:*PersistentVolumeSpec }
VolumeAttachmentSpec { Attacher:string Source:VolumeAttachmentSource NodeName:string }
VolumeNodeAffinity { Required:*NodeSelector }
VolumeSource { HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource
  GCEPersistentDisk:*GCEPersistentDiskVolumeSource AWSElasticBlockStore:*AWSElasticBlockStoreVolumeSource
  GitRepo:*GitRepoVolumeSource Secret:*SecretVolumeSource NFS:*NFSVolumeSource ISCSI:*ISCSIVolumeSource
  Glusterfs:*GlusterfsVolumeSource PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD:*RBDVolumeSource
  Quobyte:*QuobyteVolumeSource FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource
  CephFS=cephfs:*CephFSVolumeSource Flocker:*FlockerVolumeSource DownwardAPI:*DownwardAPIVolumeSource
  FC:*FCVolumeSource AzureFile:*AzureFileVolumeSource ConfigMap:*ConfigMapVolumeSource
  VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource
  PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource Projected:*ProjectedVolumeSource
  PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOVolumeSource StorageOS=storageos:*StorageOSVolumeSource
  CSI:*CSIVolumeSource Ephemeral:*EphemeralVolumeSource Image:*ImageVolumeSource }
`),
]);

/** Structures of k8s.io/apimachinery, which are the same inside and outside of the server: their tags name fields, and leave out those that may be empty (`?`). */
export const SHARED_STRUCTS = readStructs(`
LabelSelector { MatchLabels?:map[string]string MatchExpressions?:[]LabelSelectorRequirement }
LabelSelectorRequirement { Key:string Operator:LabelSelectorOperator Values?:[]string }
ObjectMeta { Name?:string GenerateName?:string Namespace?:string SelfLink?:string UID?:types.UID ResourceVersion?:string
  Generation?:int64 CreationTimestamp?:Time DeletionTimestamp?:*Time DeletionGracePeriodSeconds?:*int64
  Labels?:map[string]string Annotations?:map[string]string OwnerReferences?:[]OwnerReference Finalizers?:[]string
  ManagedFields?:[]ManagedFieldsEntry }
ManagedFieldsEntry { Manager?:string Operation?:ManagedFieldsOperationType APIVersion=apiVersion?:string Time?:*Time
  FieldsType?:string FieldsV1=fieldsV1?:*FieldsV1 Subresource?:string }
OwnerReference { APIVersion=apiVersion:string Kind:string Name:string UID:types.UID Controller?:*bool
  BlockOwnerDeletion?:*bool }
`);
