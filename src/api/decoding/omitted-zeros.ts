/**
 * The fields that Go's encoding leaves out while they hold the zero value of their type (`false`, 0, an empty text,
 * list or map), so that the server never shows them: those that are `omitempty` and no pointer in the types of v1.34.
 * One entry a type of field-types.ts, longer ones indented. A pointer's zero is a value like any other, and stays.
 */
const OMITTED = `
Event action count message reason type
PriorityClass description globalDefault
StatefulSetSpec minReadySeconds podManagementPolicy
DaemonSetSpec minReadySeconds
DaemonSetUpdateStrategy type
ReplicationControllerSpec minReadySeconds selector
CronJobSpec concurrencyPolicy
PodFailurePolicyRule onPodConditions
StorageClass mountOptions parameters
ConfigMap binaryData data
Secret data stringData type
ServiceAccount imagePullSecrets secrets
Capabilities add drop
ConfigMapEnvSource name
ConfigMapKeySelector name
ConfigMapProjection items name
ConfigMapVolumeSource items name
Container args command env envFrom image imagePullPolicy ports resizePolicy stdin stdinOnce terminationMessagePath
  terminationMessagePolicy tty volumeDevices volumeMounts workingDir
ContainerPort hostIP hostPort name protocol
DeploymentSpec minReadySeconds paused
DeploymentStrategy type
DownwardAPIProjection items
DownwardAPIVolumeSource items
EmptyDirVolumeSource medium
Endpoint deprecatedTopology
EndpointAddress hostname
EndpointHints forNodes forZones
EndpointSubset addresses notReadyAddresses ports
Endpoints subsets
EnvFromSource prefix
EnvVar value
EphemeralContainer args command env envFrom image imagePullPolicy ports resizePolicy stdin stdinOnce
  targetContainerName terminationMessagePath terminationMessagePolicy tty volumeDevices volumeMounts workingDir
EventSeries count
EventSource component host
ExecAction command
HTTPGetAction host httpHeaders path scheme
HostAlias hostnames
LabelSelector matchExpressions matchLabels
LabelSelectorRequirement values
LocalObjectReference name
NamespaceSpec finalizers
NodeAffinity preferredDuringSchedulingIgnoredDuringExecution
NodeSelectorRequirement values
NodeSelectorTerm matchExpressions matchFields
NodeSpec externalID podCIDR podCIDRs providerID taints unschedulable
NodeStatus allocatable capacity
ObjectFieldSelector apiVersion
ObjectMeta annotations finalizers generateName generation labels managedFields name namespace ownerReferences
  resourceVersion selfLink uid
ObjectReference apiVersion fieldPath kind name namespace resourceVersion uid
PersistentVolumeClaimVolumeSource readOnly
PodAffinity preferredDuringSchedulingIgnoredDuringExecution requiredDuringSchedulingIgnoredDuringExecution
PodAffinityTerm matchLabelKeys mismatchLabelKeys namespaces
PodAntiAffinity preferredDuringSchedulingIgnoredDuringExecution requiredDuringSchedulingIgnoredDuringExecution
PodSecurityContext supplementalGroups sysctls
PodSpec dnsPolicy ephemeralContainers hostAliases hostIPC hostNetwork hostPID hostname imagePullSecrets
  initContainers nodeName nodeSelector overhead priorityClassName readinessGates resourceClaims restartPolicy
  schedulerName schedulingGates serviceAccount serviceAccountName subdomain tolerations topologySpreadConstraints
  volumes
Probe failureThreshold initialDelaySeconds periodSeconds successThreshold timeoutSeconds
ReplicaSetSpec minReadySeconds
ResourceClaim request
ResourceFieldSelector containerName
ResourceRequirements claims limits requests
SELinuxOptions level role type user
SecretEnvSource name
SecretKeySelector name
SecretProjection items name
SecretVolumeSource items secretName
ServiceAccountTokenProjection audience
ServicePort name nodePort protocol
ServiceSpec clusterIP clusterIPs externalIPs externalName externalTrafficPolicy healthCheckNodePort ipFamilies
  loadBalancerIP loadBalancerSourceRanges ports publishNotReadyAddresses selector sessionAffinity type
TCPSocketAction host
Taint value
Toleration effect key operator value
TopologySpreadConstraint matchLabelKeys
VolumeMount readOnly subPath subPathExpr
AWSElasticBlockStoreVolumeSource fsType partition readOnly
AzureFilePersistentVolumeSource readOnly
AzureFileVolumeSource readOnly
CSIDriverSpec tokenRequests volumeLifecycleModes
CSIPersistentVolumeSource fsType readOnly volumeAttributes
CSIVolumeSource volumeAttributes
CephFSPersistentVolumeSource path readOnly secretFile user
CephFSVolumeSource path readOnly secretFile user
CinderPersistentVolumeSource fsType readOnly
CinderVolumeSource fsType readOnly
ConfigMapNodeConfigSource resourceVersion uid
ContainerImage sizeBytes
ContainerRestartRule action
ContainerRestartRuleOnExitCodes operator values
FCVolumeSource fsType readOnly targetWWNs wwids
FlexPersistentVolumeSource fsType options readOnly
FlexVolumeSource fsType options readOnly
FlockerVolumeSource datasetName datasetUUID
GCEPersistentDiskVolumeSource fsType partition readOnly
GitRepoVolumeSource directory revision
GlusterfsPersistentVolumeSource readOnly
GlusterfsVolumeSource readOnly
ISCSIPersistentVolumeSource chapAuthDiscovery chapAuthSession fsType iscsiInterface portals readOnly
ISCSIVolumeSource chapAuthDiscovery chapAuthSession fsType iscsiInterface portals readOnly
ImageVolumeSource pullPolicy reference
LinuxContainerUser supplementalGroups
LoadBalancerIngress hostname ip ports
ManagedFieldsEntry apiVersion fieldsType manager operation subresource
NFSVolumeSource readOnly
PersistentVolumeClaimSpec accessModes volumeName
PersistentVolumeSpec accessModes mountOptions persistentVolumeReclaimPolicy storageClassName
PhotonPersistentDiskVolumeSource fsType
PodCertificateProjection certificateChainPath credentialBundlePath keyPath keyType signerName
PodDNSConfig nameservers options searches
PodDNSConfigOption name
PortworxVolumeSource fsType readOnly
QuobyteVolumeSource group readOnly tenant user
RBDPersistentVolumeSource fsType keyring pool readOnly user
RBDVolumeSource fsType keyring pool readOnly user
ResourceHealth health
ScaleIOPersistentVolumeSource fsType protectionDomain readOnly sslEnabled storageMode storagePool volumeName
ScaleIOVolumeSource fsType protectionDomain readOnly sslEnabled storageMode storagePool volumeName
SecretReference name namespace
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted whenScaled
StatefulSetUpdateStrategy type
StorageOSPersistentVolumeSource fsType readOnly volumeName volumeNamespace
StorageOSVolumeSource fsType readOnly volumeName volumeNamespace
TopologySelectorTerm matchLabelExpressions
VolumeError message
VsphereVirtualDiskVolumeSource fsType storagePolicyID storagePolicyName
`;

const omittedByType = new Map<string, ReadonlySet<string>>(
  OMITTED.trim()
    .split(/\n(?! )/)
    .map((entry) => {
      const [name = '', ...fields] = entry.split(/\s+/);
      return [name, new Set(fields)];
    }),
);

/** Whether a field of a type is left out while it is zero. */
export function isOmittedWhenZero(typeName: string, field: string): boolean {
  return omittedByType.get(typeName)?.has(field) === true;
}

/** Whether a decoded value is the zero of its type. */
export function isZero(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === false || value === 0 || value === '';
  if (Array.isArray(value)) return value.length === 0;
  return Object.keys(value).length === 0;
}
