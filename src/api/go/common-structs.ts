/**
 * The Go structures of pods that look the same in the v1 API (k8s.io/api/core/v1) and in the API server's own types
 * (pkg/apis/core, v1.34), with their fields in order. Facts only; go-struct.ts reads the notation.
 */
import { readStructs } from './go-struct.js';

/** By name of the structure. */
export const COMMON_STRUCTS = readStructs(`
AWSElasticBlockStoreVolumeSource { VolumeID:string FSType:string Partition:int32 ReadOnly:bool }
Affinity { NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity }
AppArmorProfile { Type:AppArmorProfileType LocalhostProfile:*string }
AzureDiskVolumeSource { DiskName:string DataDiskURI=diskURI:string CachingMode:*AzureDataDiskCachingMode
  FSType:*string ReadOnly:*bool Kind:*AzureDataDiskKind }
AzureFileVolumeSource { SecretName:string ShareName:string ReadOnly:bool }
CSIVolumeSource { Driver:string ReadOnly:*bool FSType:*string VolumeAttributes:map[string]string
  NodePublishSecretRef:*LocalObjectReference }
Capabilities { Add:[]Capability Drop:[]Capability }
CephFSVolumeSource { Monitors:[]string Path:string User:string SecretFile:string SecretRef:*LocalObjectReference
  ReadOnly:bool }
CinderVolumeSource { VolumeID:string FSType:string ReadOnly:bool SecretRef:*LocalObjectReference }
ClusterTrustBundleProjection { Name:*string SignerName:*string LabelSelector:*LabelSelector Optional:*bool
  Path:string }
ConfigMapEnvSource { +LocalObjectReference Optional:*bool }
ConfigMapKeySelector { +LocalObjectReference Key:string Optional:*bool }
ConfigMapProjection { +LocalObjectReference Items:[]KeyToPath Optional:*bool }
ConfigMapVolumeSource { +LocalObjectReference Items:[]KeyToPath DefaultMode:*int32 Optional:*bool }
Container { Name:string Image:string Command:[]string Args:[]string WorkingDir:string Ports:[]ContainerPort
  EnvFrom:[]EnvFromSource Env:[]EnvVar Resources:ResourceRequirements ResizePolicy:[]ContainerResizePolicy
  RestartPolicy:*ContainerRestartPolicy RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount
  VolumeDevices:[]VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle
  TerminationMessagePath:string TerminationMessagePolicy:TerminationMessagePolicy ImagePullPolicy:PullPolicy
  SecurityContext:*SecurityContext Stdin:bool StdinOnce:bool TTY:bool }
ContainerPort { Name:string HostPort:int32 ContainerPort:int32 Protocol:Protocol HostIP:string }
ContainerResizePolicy { ResourceName:ResourceName RestartPolicy:ResourceResizeRestartPolicy }
ContainerRestartRule { Action:ContainerRestartRuleAction ExitCodes:*ContainerRestartRuleOnExitCodes }
ContainerRestartRuleOnExitCodes { Operator:ContainerRestartRuleOnExitCodesOperator Values:[]int32 }
DownwardAPIProjection { Items:[]DownwardAPIVolumeFile }
DownwardAPIVolumeFile { Path:string FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector
  Mode:*int32 }
DownwardAPIVolumeSource { Items:[]DownwardAPIVolumeFile DefaultMode:*int32 }
EmptyDirVolumeSource { Medium:StorageMedium SizeLimit:*resource.Quantity }
EnvFromSource { Prefix:string ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource }
EnvVar { Name:string Value:string ValueFrom:*EnvVarSource }
EnvVarSource { FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector
  ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector FileKeyRef:*FileKeySelector }
EphemeralContainer { +EphemeralContainerCommon TargetContainerName:string }
EphemeralContainerCommon { Name:string Image:string Command:[]string Args:[]string WorkingDir:string
  Ports:[]ContainerPort EnvFrom:[]EnvFromSource Env:[]EnvVar Resources:ResourceRequirements
  ResizePolicy:[]ContainerResizePolicy RestartPolicy:*ContainerRestartPolicy
  RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount VolumeDevices:[]VolumeDevice
  LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:string
  TerminationMessagePolicy:TerminationMessagePolicy ImagePullPolicy:PullPolicy SecurityContext:*SecurityContext
  Stdin:bool StdinOnce:bool TTY:bool }
EphemeralVolumeSource { VolumeClaimTemplate:*PersistentVolumeClaimTemplate }
ExecAction { Command:[]string }
FCVolumeSource { TargetWWNs:[]string Lun:*int32 FSType:string ReadOnly:bool WWIDs=wwids:[]string }
FileKeySelector { VolumeName:string Path:string Key:string Optional:*bool }
FlexVolumeSource { Driver:string FSType:string SecretRef:*LocalObjectReference ReadOnly:bool
  Options:map[string]string }
FlockerVolumeSource { DatasetName:string DatasetUUID:string }
GCEPersistentDiskVolumeSource { PDName:string FSType:string Partition:int32 ReadOnly:bool }
GRPCAction { Port:int32 Service:*string }
GitRepoVolumeSource { Repository:string Revision:string Directory:string }
GlusterfsVolumeSource { EndpointsName=endpoints:string Path:string ReadOnly:bool }
HTTPGetAction { Path:string Port:intstr.IntOrString Host:string Scheme:URIScheme HTTPHeaders:[]HTTPHeader }
HTTPHeader { Name:string Value:string }
HostAlias { IP:string Hostnames:[]string }
HostPathVolumeSource { Path:string Type:*HostPathType }
ISCSIVolumeSource { TargetPortal:string IQN:string Lun:int32 ISCSIInterface:string FSType:string ReadOnly:bool
  Portals:[]string DiscoveryCHAPAuth=chapAuthDiscovery:bool SessionCHAPAuth=chapAuthSession:bool
  SecretRef:*LocalObjectReference InitiatorName:*string }
ImageVolumeSource { Reference:string PullPolicy:PullPolicy }
KeyToPath { Key:string Path:string Mode:*int32 }
Lifecycle { PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:*Signal }
LifecycleHandler { Exec:*ExecAction HTTPGet:*HTTPGetAction TCPSocket:*TCPSocketAction Sleep:*SleepAction }
LocalObjectReference { Name:string }
NFSVolumeSource { Server:string Path:string ReadOnly:bool }
NodeAffinity { RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector
  PreferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm }
NodeSelector { NodeSelectorTerms:[]NodeSelectorTerm }
NodeSelectorRequirement { Key:string Operator:NodeSelectorOperator Values:[]string }
NodeSelectorTerm { MatchExpressions:[]NodeSelectorRequirement MatchFields:[]NodeSelectorRequirement }
ObjectFieldSelector { APIVersion:string FieldPath:string }
PersistentVolumeClaimSpec { AccessModes:[]PersistentVolumeAccessMode Selector:*LabelSelector
  Resources:VolumeResourceRequirements VolumeName:string StorageClassName:*string VolumeMode:*PersistentVolumeMode
  DataSource:*TypedLocalObjectReference DataSourceRef:*TypedObjectReference VolumeAttributesClassName:*string }
PersistentVolumeClaimVolumeSource { ClaimName:string ReadOnly:bool }
PhotonPersistentDiskVolumeSource { PdID:string FSType:string }
PodAffinity { RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
  PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm }
PodAffinityTerm { LabelSelector:*LabelSelector Namespaces:[]string TopologyKey:string
  NamespaceSelector:*LabelSelector MatchLabelKeys:[]string MismatchLabelKeys:[]string }
PodAntiAffinity { RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
  PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm }
PodCertificateProjection { SignerName:string KeyType:string MaxExpirationSeconds:*int32 CredentialBundlePath:string
  KeyPath:string CertificateChainPath:string }
PodDNSConfig { Nameservers:[]string Searches:[]string Options:[]PodDNSConfigOption }
PodDNSConfigOption { Name:string Value:*string }
PodOS { Name:OSName }
PodReadinessGate { ConditionType:PodConditionType }
PodResourceClaim { Name:string ResourceClaimName:*string ResourceClaimTemplateName:*string }
PodSchedulingGate { Name:string }
PortworxVolumeSource { VolumeID:string FSType:string ReadOnly:bool }
PreferredSchedulingTerm { Weight:int32 Preference:NodeSelectorTerm }
Probe { +ProbeHandler InitialDelaySeconds:int32 TimeoutSeconds:int32 PeriodSeconds:int32 SuccessThreshold:int32
  FailureThreshold:int32 TerminationGracePeriodSeconds:*int64 }
ProbeHandler { Exec:*ExecAction HTTPGet:*HTTPGetAction TCPSocket:*TCPSocketAction GRPC:*GRPCAction }
ProjectedVolumeSource { Sources:[]VolumeProjection DefaultMode:*int32 }
QuobyteVolumeSource { Registry:string Volume:string ReadOnly:bool User:string Group:string Tenant:string }
RBDVolumeSource { CephMonitors=monitors:[]string RBDImage=image:string FSType:string RBDPool=pool:string
  RadosUser=user:string Keyring:string SecretRef:*LocalObjectReference ReadOnly:bool }
ResourceClaim { Name:string Request:string }
ResourceFieldSelector { ContainerName:string Resource:string Divisor:resource.Quantity }
ResourceRequirements { Limits:ResourceList Requests:ResourceList Claims:[]ResourceClaim }
SELinuxOptions { User:string Role:string Type:string Level:string }
ScaleIOVolumeSource { Gateway:string System:string SecretRef:*LocalObjectReference SSLEnabled:bool
  ProtectionDomain:string StoragePool:string StorageMode:string VolumeName:string FSType:string ReadOnly:bool }
SeccompProfile { Type:SeccompProfileType LocalhostProfile:*string }
SecretEnvSource { +LocalObjectReference Optional:*bool }
SecretKeySelector { +LocalObjectReference Key:string Optional:*bool }
SecretProjection { +LocalObjectReference Items:[]KeyToPath Optional:*bool }
SecretVolumeSource { SecretName:string Items:[]KeyToPath DefaultMode:*int32 Optional:*bool }
SecurityContext { Capabilities:*Capabilities Privileged:*bool SELinuxOptions:*SELinuxOptions
  WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*int64 RunAsGroup:*int64 RunAsNonRoot:*bool
  ReadOnlyRootFilesystem:*bool AllowPrivilegeEscalation:*bool ProcMount:*ProcMountType
  SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile }
SleepAction { Seconds:int64 }
StorageOSVolumeSource { VolumeName:string VolumeNamespace:string FSType:string ReadOnly:bool
  SecretRef:*LocalObjectReference }
Sysctl { Name:string Value:string }
TCPSocketAction { Port:intstr.IntOrString Host:string }
Toleration { Key:string Operator:TolerationOperator Value:string Effect:TaintEffect TolerationSeconds:*int64 }
TopologySpreadConstraint { MaxSkew:int32 TopologyKey:string WhenUnsatisfiable:UnsatisfiableConstraintAction
  LabelSelector:*LabelSelector MinDomains:*int32 NodeAffinityPolicy:*NodeInclusionPolicy
  NodeTaintsPolicy:*NodeInclusionPolicy MatchLabelKeys:[]string }
TypedLocalObjectReference { APIGroup:*string Kind:string Name:string }
TypedObjectReference { APIGroup:*string Kind:string Name:string Namespace:*string }
Volume { Name:string +VolumeSource }
VolumeDevice { Name:string DevicePath:string }
VolumeMount { Name:string ReadOnly:bool RecursiveReadOnly:*RecursiveReadOnlyMode MountPath:string SubPath:string
  MountPropagation:*MountPropagationMode SubPathExpr:string }
VolumeProjection { Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection
  ServiceAccountToken:*ServiceAccountTokenProjection ClusterTrustBundle:*ClusterTrustBundleProjection
  PodCertificate:*PodCertificateProjection }
VolumeResourceRequirements { Limits:ResourceList Requests:ResourceList }
VsphereVirtualDiskVolumeSource { VolumePath:string FSType:string StoragePolicyName:string StoragePolicyID:string }
WeightedPodAffinityTerm { Weight:int32 PodAffinityTerm:PodAffinityTerm }
WindowsSecurityContextOptions { GMSACredentialSpecName:*string GMSACredentialSpec:*string RunAsUserName:*string
  HostProcess:*bool }
`);
