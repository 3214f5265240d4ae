/**
 * The Go structures that a pod template is made of, with their fields in order (k8s.io/api/core/v1 and
 * k8s.io/apimachinery, v1.34): names of API fields tell neither Go's order nor the fields that are left out
 * when they are empty, and both are part of what upstream hashes. Facts only; go-struct.ts reads the notation.
 */
import { COMMON_STRUCTS } from './common-structs.js';
import { readStructs, type GoStructs } from './go-struct.js';

/** By name of the structure; types without a package are of a package called v1. */
export const TEMPLATE_STRUCTS: GoStructs = new Map([
  ...COMMON_STRUCTS,
  ...readStructs(`
LabelSelector { MatchLabels:map[string]string MatchExpressions:[]LabelSelectorRequirement }
LabelSelectorRequirement { Key:string Operator:LabelSelectorOperator Values:[]string }
ObjectMeta { Name:string GenerateName:string Namespace:string SelfLink:string UID:types.UID ResourceVersion:string
  Generation:int64 CreationTimestamp:Time DeletionTimestamp:*Time DeletionGracePeriodSeconds:*int64
  Labels:map[string]string Annotations:map[string]string OwnerReferences:[]OwnerReference Finalizers:[]string
  ManagedFields:[]ManagedFieldsEntry }
OwnerReference { APIVersion:string Kind:string Name:string UID:types.UID Controller:*bool BlockOwnerDeletion:*bool }
PersistentVolumeClaimTemplate { ObjectMeta=metadata:ObjectMeta Spec:PersistentVolumeClaimSpec }
PodSecurityContext { SELinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*int64
  RunAsGroup:*int64 RunAsNonRoot:*bool SupplementalGroups:[]int64 SupplementalGroupsPolicy:*SupplementalGroupsPolicy
  FSGroup:*int64 Sysctls:[]Sysctl FSGroupChangePolicy:*PodFSGroupChangePolicy SeccompProfile:*SeccompProfile
  AppArmorProfile:*AppArmorProfile SELinuxChangePolicy:*PodSELinuxChangePolicy }
PodSpec { Volumes:[]Volume InitContainers:[]Container Containers:[]Container
  EphemeralContainers:[]EphemeralContainer RestartPolicy:RestartPolicy TerminationGracePeriodSeconds:*int64
  ActiveDeadlineSeconds:*int64 DNSPolicy:DNSPolicy NodeSelector:map[string]string ServiceAccountName:string
  DeprecatedServiceAccount=serviceAccount:string AutomountServiceAccountToken:*bool NodeName:string HostNetwork:bool
  HostPID:bool HostIPC:bool ShareProcessNamespace:*bool SecurityContext:*PodSecurityContext
  ImagePullSecrets:[]LocalObjectReference Hostname:string Subdomain:string Affinity:*Affinity SchedulerName:string
  Tolerations:[]Toleration HostAliases:[]HostAlias PriorityClassName:string Priority:*int32 DNSConfig:*PodDNSConfig
  ReadinessGates:[]PodReadinessGate RuntimeClassName:*string EnableServiceLinks:*bool
  PreemptionPolicy:*PreemptionPolicy Overhead:ResourceList TopologySpreadConstraints:[]TopologySpreadConstraint
  SetHostnameAsFQDN:*bool OS:*PodOS HostUsers:*bool SchedulingGates:[]PodSchedulingGate
  ResourceClaims:[]PodResourceClaim Resources:*ResourceRequirements HostnameOverride:*string }
PodTemplateSpec { ObjectMeta=metadata:ObjectMeta Spec:PodSpec }
ServiceAccountTokenProjection { Audience:string ExpirationSeconds:*int64 Path:string }
VolumeSource { HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource
  GCEPersistentDisk:*GCEPersistentDiskVolumeSource AWSElasticBlockStore:*AWSElasticBlockStoreVolumeSource
  GitRepo:*GitRepoVolumeSource Secret:*SecretVolumeSource NFS:*NFSVolumeSource ISCSI:*ISCSIVolumeSource
  Glusterfs:*GlusterfsVolumeSource PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD:*RBDVolumeSource
  FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource CephFS=cephfs:*CephFSVolumeSource
  Flocker:*FlockerVolumeSource DownwardAPI:*DownwardAPIVolumeSource FC:*FCVolumeSource
  AzureFile:*AzureFileVolumeSource ConfigMap:*ConfigMapVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource
  Quobyte:*QuobyteVolumeSource AzureDisk:*AzureDiskVolumeSource
  PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource Projected:*ProjectedVolumeSource
  PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOVolumeSource StorageOS=storageos:*StorageOSVolumeSource
  CSI:*CSIVolumeSource Ephemeral:*EphemeralVolumeSource Image:*ImageVolumeSource }
`),
]);
