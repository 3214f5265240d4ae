/**
 * The types of the fields of every kind and of all that they hold, as decode.ts checks them (facts of the struct tags
 * of v1.34.2, complete: a name that is missing is an unknown field): one entry a type, its fields as `name:type`,
 * longer entries indented. Types: `s` string, `b` bool, `i` int32, `l` int64, `q` quantity, `x` number or text, `S`
 * map of texts, `B` map of base64, `Q` map of quantities, `@Name` a text of Go's type v1.Name, `[]T` list of T, `*`
 * anything (raw JSON upstream, too), else the name of another entry.
 */
export const FIELD_TYPES = `
Pod apiVersion:* kind:* metadata:ObjectMeta spec:PodSpec status:PodStatus
Node apiVersion:* kind:* metadata:ObjectMeta spec:NodeSpec status:NodeStatus
Namespace apiVersion:* kind:* metadata:ObjectMeta spec:NamespaceSpec status:NamespaceStatus
Service apiVersion:* kind:* metadata:ObjectMeta spec:ServiceSpec status:ServiceStatus
Event action:s apiVersion:* count:i eventTime:s firstTimestamp:s involvedObject:ObjectReference kind:*
  lastTimestamp:s message:s metadata:ObjectMeta reason:s related:ObjectReference reportingComponent:s
  reportingInstance:s series:EventSeries source:EventSource type:s
EndpointSlice addressType:@AddressType apiVersion:* endpoints:[]Endpoint kind:* metadata:ObjectMeta
  ports:[]EndpointPort
Endpoints apiVersion:* kind:* metadata:ObjectMeta subsets:[]EndpointSubset
EndpointSubset addresses:[]EndpointAddress notReadyAddresses:[]EndpointAddress ports:[]EndpointPort
EndpointAddress hostname:s ip:s nodeName:s targetRef:ObjectReference
Lease apiVersion:* kind:* metadata:ObjectMeta spec:LeaseSpec
PriorityClass apiVersion:* description:s globalDefault:b kind:* metadata:ObjectMeta
  preemptionPolicy:@PreemptionPolicy value:i
ReplicaSet apiVersion:* kind:* metadata:ObjectMeta spec:ReplicaSetSpec status:ReplicaSetStatus
Deployment apiVersion:* kind:* metadata:ObjectMeta spec:DeploymentSpec status:DeploymentStatus
StatefulSet apiVersion:* kind:* metadata:ObjectMeta spec:StatefulSetSpec status:StatefulSetStatus
StatefulSetSpec minReadySeconds:i ordinals:StatefulSetOrdinals
  persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy
  podManagementPolicy:@PodManagementPolicyType replicas:i revisionHistoryLimit:i selector:LabelSelector
  serviceName:s template:PodTemplateSpec updateStrategy:StatefulSetUpdateStrategy
  volumeClaimTemplates:[]PersistentVolumeClaim
ControllerRevision apiVersion:* data:* kind:* metadata:ObjectMeta revision:l
DaemonSet apiVersion:* kind:* metadata:ObjectMeta spec:DaemonSetSpec status:DaemonSetStatus
DaemonSetSpec minReadySeconds:i revisionHistoryLimit:i selector:LabelSelector template:PodTemplateSpec
  updateStrategy:DaemonSetUpdateStrategy
DaemonSetUpdateStrategy rollingUpdate:RollingUpdateDaemonSet type:@DaemonSetUpdateStrategyType
RollingUpdateDaemonSet maxSurge:x maxUnavailable:x
ReplicationController apiVersion:* kind:* metadata:ObjectMeta spec:ReplicationControllerSpec
  status:ReplicationControllerStatus
ReplicationControllerSpec minReadySeconds:i replicas:i selector:S template:PodTemplateSpec
Job apiVersion:* kind:* metadata:ObjectMeta spec:JobSpec status:JobStatus
CronJob apiVersion:* kind:* metadata:ObjectMeta spec:CronJobSpec status:CronJobStatus
CronJobSpec concurrencyPolicy:@ConcurrencyPolicy failedJobsHistoryLimit:i jobTemplate:JobTemplateSpec schedule:s
  startingDeadlineSeconds:l successfulJobsHistoryLimit:i suspend:b timeZone:s
JobSpec activeDeadlineSeconds:l backoffLimit:i backoffLimitPerIndex:i completionMode:@CompletionMode completions:i
  managedBy:s manualSelector:b maxFailedIndexes:i parallelism:i podFailurePolicy:PodFailurePolicy
  podReplacementPolicy:@PodReplacementPolicy selector:LabelSelector successPolicy:SuccessPolicy suspend:b
  template:PodTemplateSpec ttlSecondsAfterFinished:i
JobTemplateSpec metadata:ObjectMeta spec:JobSpec
PodFailurePolicy rules:[]PodFailurePolicyRule
PodFailurePolicyRule action:@PodFailurePolicyAction onExitCodes:PodFailurePolicyOnExitCodesRequirement
  onPodConditions:[]PodFailurePolicyOnPodConditionsPattern
PodFailurePolicyOnExitCodesRequirement containerName:s operator:@PodFailurePolicyOnExitCodesOperator values:[]i
PodFailurePolicyOnPodConditionsPattern status:@ConditionStatus type:@PodConditionType
SuccessPolicy rules:[]SuccessPolicyRule
SuccessPolicyRule succeededCount:i succeededIndexes:s
PodDisruptionBudget apiVersion:* kind:* metadata:ObjectMeta spec:PodDisruptionBudgetSpec
  status:PodDisruptionBudgetStatus
PodDisruptionBudgetSpec maxUnavailable:x minAvailable:x selector:LabelSelector
  unhealthyPodEvictionPolicy:@UnhealthyPodEvictionPolicyType
PersistentVolume apiVersion:* kind:* metadata:ObjectMeta spec:PersistentVolumeSpec status:PersistentVolumeStatus
PersistentVolumeClaim apiVersion:* kind:* metadata:ObjectMeta spec:PersistentVolumeClaimSpec
  status:PersistentVolumeClaimStatus
StorageClass allowVolumeExpansion:b allowedTopologies:[]TopologySelectorTerm apiVersion:* kind:* metadata:ObjectMeta
  mountOptions:[]s parameters:S provisioner:s reclaimPolicy:@PersistentVolumeReclaimPolicy
  volumeBindingMode:@VolumeBindingMode
CSINode apiVersion:* kind:* metadata:ObjectMeta spec:CSINodeSpec
CSIDriver apiVersion:* kind:* metadata:ObjectMeta spec:CSIDriverSpec
CSIStorageCapacity apiVersion:* capacity:q kind:* maximumVolumeSize:q metadata:ObjectMeta nodeTopology:LabelSelector
  storageClassName:s
VolumeAttachment apiVersion:* kind:* metadata:ObjectMeta spec:VolumeAttachmentSpec status:VolumeAttachmentStatus
ConfigMap apiVersion:* binaryData:B data:S immutable:b kind:* metadata:ObjectMeta
Secret apiVersion:* data:B immutable:b kind:* metadata:ObjectMeta stringData:S type:@SecretType
ServiceAccount apiVersion:* automountServiceAccountToken:b imagePullSecrets:[]LocalObjectReference kind:*
  metadata:ObjectMeta secrets:[]ObjectReference
RuntimeClass apiVersion:* handler:s kind:* metadata:ObjectMeta overhead:Overhead scheduling:Scheduling
Overhead podFixed:Q
Scheduling nodeSelector:S tolerations:[]Toleration
Affinity nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
AppArmorProfile localhostProfile:s type:@AppArmorProfileType
Capabilities add:[]s drop:[]s
ClientIPConfig timeoutSeconds:i
ConfigMapEnvSource name:s optional:b
ConfigMapKeySelector key:s name:s optional:b
ConfigMapProjection items:[]KeyToPath name:s optional:b
ConfigMapVolumeSource defaultMode:i items:[]KeyToPath name:s optional:b
Container args:[]s command:[]s env:[]EnvVar envFrom:[]EnvFromSource image:s imagePullPolicy:@PullPolicy
  lifecycle:Lifecycle livenessProbe:Probe name:s ports:[]ContainerPort readinessProbe:Probe
  resizePolicy:[]ContainerResizePolicy resources:ResourceRequirements restartPolicy:@ContainerRestartPolicy
  restartPolicyRules:[]ContainerRestartRule securityContext:SecurityContext startupProbe:Probe stdin:b stdinOnce:b
  terminationMessagePath:s terminationMessagePolicy:@TerminationMessagePolicy tty:b volumeDevices:[]VolumeDevice
  volumeMounts:[]VolumeMount workingDir:s
ContainerPort containerPort:i hostIP:s hostPort:i name:s protocol:@Protocol
ContainerResizePolicy resourceName:@ResourceName restartPolicy:@ResourceResizeRestartPolicy
DeploymentSpec minReadySeconds:i paused:b progressDeadlineSeconds:i replicas:i revisionHistoryLimit:i
  selector:LabelSelector strategy:DeploymentStrategy template:PodTemplateSpec
DeploymentStrategy rollingUpdate:RollingUpdateDeployment type:@DeploymentStrategyType
DownwardAPIProjection items:[]DownwardAPIVolumeFile
DownwardAPIVolumeFile fieldRef:ObjectFieldSelector mode:i path:s resourceFieldRef:ResourceFieldSelector
DownwardAPIVolumeSource defaultMode:i items:[]DownwardAPIVolumeFile
EmptyDirVolumeSource medium:@StorageMedium sizeLimit:q
Endpoint addresses:[]s conditions:EndpointConditions deprecatedTopology:S hints:EndpointHints hostname:s nodeName:s
  targetRef:ObjectReference zone:s
EndpointConditions ready:b serving:b terminating:b
EndpointHints forNodes:[]ForNode forZones:[]ForZone
EndpointPort appProtocol:s name:s port:i protocol:@Protocol
EnvFromSource configMapRef:ConfigMapEnvSource prefix:s secretRef:SecretEnvSource
EnvVar name:s value:s valueFrom:EnvVarSource
EnvVarSource configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector fileKeyRef:FileKeySelector
  resourceFieldRef:ResourceFieldSelector secretKeyRef:SecretKeySelector
EphemeralContainer args:[]s command:[]s env:[]EnvVar envFrom:[]EnvFromSource image:s imagePullPolicy:@PullPolicy
  lifecycle:Lifecycle livenessProbe:Probe name:s ports:[]ContainerPort readinessProbe:Probe
  resizePolicy:[]ContainerResizePolicy resources:ResourceRequirements restartPolicy:@ContainerRestartPolicy
  restartPolicyRules:[]ContainerRestartRule securityContext:SecurityContext startupProbe:Probe stdin:b stdinOnce:b
  targetContainerName:s terminationMessagePath:s terminationMessagePolicy:@TerminationMessagePolicy tty:b
  volumeDevices:[]VolumeDevice volumeMounts:[]VolumeMount workingDir:s
EventSeries count:i lastObservedTime:s
EventSource component:s host:s
ExecAction command:[]s
ForNode name:s
ForZone name:s
GRPCAction port:i service:s
HTTPGetAction host:s httpHeaders:[]HTTPHeader path:s port:x scheme:@URIScheme
HTTPHeader name:s value:s
HostAlias hostnames:[]s ip:s
HostPathVolumeSource path:s type:@HostPathType
KeyToPath key:s mode:i path:s
LabelSelector matchExpressions:[]LabelSelectorRequirement matchLabels:S
LabelSelectorRequirement key:s operator:@LabelSelectorOperator values:[]s
LeaseSpec acquireTime:s holderIdentity:s leaseDurationSeconds:i leaseTransitions:i preferredHolder:s renewTime:s
  strategy:@CoordinatedLeaseStrategy
Lifecycle postStart:LifecycleHandler preStop:LifecycleHandler stopSignal:@Signal
LifecycleHandler exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction
LocalObjectReference name:s
NamespaceSpec finalizers:[]s
NodeAffinity preferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm
  requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
NodeSelector nodeSelectorTerms:[]NodeSelectorTerm
NodeSelectorRequirement key:s operator:@NodeSelectorOperator values:[]s
NodeSelectorTerm matchExpressions:[]NodeSelectorRequirement matchFields:[]NodeSelectorRequirement
NodeSpec configSource:NodeConfigSource externalID:s podCIDR:s podCIDRs:[]s providerID:s taints:[]Taint
  unschedulable:b
NodeStatus addresses:[]NodeAddress allocatable:Q capacity:Q conditions:[]NodeCondition config:NodeConfigStatus
  daemonEndpoints:NodeDaemonEndpoints features:NodeFeatures images:[]ContainerImage nodeInfo:NodeSystemInfo
  phase:@NodePhase runtimeHandlers:[]NodeRuntimeHandler volumesAttached:[]AttachedVolume
  volumesInUse:[]@UniqueVolumeName
ObjectFieldSelector apiVersion:s fieldPath:s
ObjectMeta annotations:S creationTimestamp:s deletionGracePeriodSeconds:l deletionTimestamp:s finalizers:[]s
  generateName:s generation:l labels:S managedFields:[]* name:s namespace:s ownerReferences:[]OwnerReference
  resourceVersion:s selfLink:s uid:@UID
ObjectReference apiVersion:s fieldPath:s kind:s name:s namespace:s resourceVersion:s uid:@UID
OwnerReference apiVersion:s blockOwnerDeletion:b controller:b kind:s name:s uid:@UID
PersistentVolumeClaimVolumeSource claimName:s readOnly:b
PodAffinity preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
  requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
PodAffinityTerm labelSelector:LabelSelector matchLabelKeys:[]s mismatchLabelKeys:[]s namespaceSelector:LabelSelector
  namespaces:[]s topologyKey:s
PodAntiAffinity preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
  requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
PodOS name:@OSName
PodReadinessGate conditionType:@PodConditionType
PodResourceClaim name:s resourceClaimName:s resourceClaimTemplateName:s
PodSchedulingGate name:s
PodSecurityContext appArmorProfile:AppArmorProfile fsGroup:l fsGroupChangePolicy:@PodFSGroupChangePolicy
  runAsGroup:l runAsNonRoot:b runAsUser:l seLinuxChangePolicy:@PodSELinuxChangePolicy seLinuxOptions:SELinuxOptions
  seccompProfile:SeccompProfile supplementalGroups:[]l supplementalGroupsPolicy:@SupplementalGroupsPolicy
  sysctls:[]Sysctl windowsOptions:WindowsSecurityContextOptions
PodSpec activeDeadlineSeconds:l affinity:Affinity automountServiceAccountToken:b containers:[]Container
  dnsConfig:PodDNSConfig dnsPolicy:@DNSPolicy enableServiceLinks:b ephemeralContainers:[]EphemeralContainer
  hostAliases:[]HostAlias hostIPC:b hostNetwork:b hostPID:b hostUsers:b hostname:s hostnameOverride:s
  imagePullSecrets:[]LocalObjectReference initContainers:[]Container nodeName:s nodeSelector:S os:PodOS overhead:Q
  preemptionPolicy:@PreemptionPolicy priority:i priorityClassName:s readinessGates:[]PodReadinessGate
  resourceClaims:[]PodResourceClaim resources:ResourceRequirements restartPolicy:@RestartPolicy runtimeClassName:s
  schedulerName:s schedulingGates:[]PodSchedulingGate securityContext:PodSecurityContext serviceAccount:s
  serviceAccountName:s setHostnameAsFQDN:b shareProcessNamespace:b subdomain:s terminationGracePeriodSeconds:l
  tolerations:[]Toleration topologySpreadConstraints:[]TopologySpreadConstraint volumes:[]Volume
PodTemplateSpec metadata:ObjectMeta spec:PodSpec
PreferredSchedulingTerm preference:NodeSelectorTerm weight:i
Probe exec:ExecAction failureThreshold:i grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds:i periodSeconds:i
  successThreshold:i tcpSocket:TCPSocketAction terminationGracePeriodSeconds:l timeoutSeconds:i
ProjectedVolumeSource defaultMode:i sources:[]VolumeProjection
ReplicaSetSpec minReadySeconds:i replicas:i selector:LabelSelector template:PodTemplateSpec
ResourceClaim name:s request:s
ResourceFieldSelector containerName:s divisor:q resource:s
ResourceRequirements claims:[]ResourceClaim limits:Q requests:Q
RollingUpdateDeployment maxSurge:x maxUnavailable:x
SELinuxOptions level:s role:s type:s user:s
SeccompProfile localhostProfile:s type:@SeccompProfileType
SecretEnvSource name:s optional:b
SecretKeySelector key:s name:s optional:b
SecretProjection items:[]KeyToPath name:s optional:b
SecretVolumeSource defaultMode:i items:[]KeyToPath optional:b secretName:s
SecurityContext allowPrivilegeEscalation:b appArmorProfile:AppArmorProfile capabilities:Capabilities privileged:b
  procMount:@ProcMountType readOnlyRootFilesystem:b runAsGroup:l runAsNonRoot:b runAsUser:l
  seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile windowsOptions:WindowsSecurityContextOptions
ServiceAccountTokenProjection audience:s expirationSeconds:l path:s
ServicePort appProtocol:s name:s nodePort:i port:i protocol:@Protocol targetPort:x
ServiceSpec allocateLoadBalancerNodePorts:b clusterIP:s clusterIPs:[]s externalIPs:[]s externalName:s
  externalTrafficPolicy:@ServiceExternalTrafficPolicy healthCheckNodePort:i
  internalTrafficPolicy:@ServiceInternalTrafficPolicy ipFamilies:[]s ipFamilyPolicy:@IPFamilyPolicy
  loadBalancerClass:s loadBalancerIP:s loadBalancerSourceRanges:[]s ports:[]ServicePort publishNotReadyAddresses:b
  selector:S sessionAffinity:@ServiceAffinity sessionAffinityConfig:SessionAffinityConfig trafficDistribution:s
  type:@ServiceType
SessionAffinityConfig clientIP:ClientIPConfig
SleepAction seconds:l
Sysctl name:s value:s
TCPSocketAction host:s port:x
Taint effect:@TaintEffect key:s timeAdded:s value:s
Toleration effect:@TaintEffect key:s operator:@TolerationOperator tolerationSeconds:l value:s
TopologySpreadConstraint labelSelector:LabelSelector matchLabelKeys:[]s maxSkew:i minDomains:i
  nodeAffinityPolicy:@NodeInclusionPolicy nodeTaintsPolicy:@NodeInclusionPolicy topologyKey:s
  whenUnsatisfiable:@UnsatisfiableConstraintAction
Volume awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource
  azureFile:AzureFileVolumeSource cephfs:CephFSVolumeSource cinder:CinderVolumeSource
  configMap:ConfigMapVolumeSource csi:CSIVolumeSource downwardAPI:DownwardAPIVolumeSource
  emptyDir:EmptyDirVolumeSource ephemeral:EphemeralVolumeSource fc:FCVolumeSource flexVolume:FlexVolumeSource
  flocker:FlockerVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource gitRepo:GitRepoVolumeSource
  glusterfs:GlusterfsVolumeSource hostPath:HostPathVolumeSource image:ImageVolumeSource iscsi:ISCSIVolumeSource
  name:s nfs:NFSVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource
  photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource
  projected:ProjectedVolumeSource quobyte:QuobyteVolumeSource rbd:RBDVolumeSource scaleIO:ScaleIOVolumeSource
  secret:SecretVolumeSource storageos:StorageOSVolumeSource vsphereVolume:VsphereVirtualDiskVolumeSource
VolumeDevice devicePath:s name:s
VolumeMount mountPath:s mountPropagation:@MountPropagationMode name:s readOnly:b
  recursiveReadOnly:@RecursiveReadOnlyMode subPath:s subPathExpr:s
VolumeProjection clusterTrustBundle:ClusterTrustBundleProjection configMap:ConfigMapProjection
  downwardAPI:DownwardAPIProjection podCertificate:PodCertificateProjection secret:SecretProjection
  serviceAccountToken:ServiceAccountTokenProjection
WeightedPodAffinityTerm podAffinityTerm:PodAffinityTerm weight:i
AWSElasticBlockStoreVolumeSource fsType:s partition:i readOnly:b volumeID:s
AttachedVolume devicePath:s name:@UniqueVolumeName
AzureDiskVolumeSource cachingMode:@AzureDataDiskCachingMode diskName:s diskURI:s fsType:s kind:@AzureDataDiskKind
  readOnly:b
AzureFilePersistentVolumeSource readOnly:b secretName:s secretNamespace:s shareName:s
AzureFileVolumeSource readOnly:b secretName:s shareName:s
CSIDriverSpec attachRequired:b fsGroupPolicy:@FSGroupPolicy nodeAllocatableUpdatePeriodSeconds:l podInfoOnMount:b
  requiresRepublish:b seLinuxMount:b storageCapacity:b tokenRequests:[]TokenRequest
  volumeLifecycleModes:[]@VolumeLifecycleMode
CSINodeDriver allocatable:VolumeNodeResources name:s nodeID:s topologyKeys:[]s
CSINodeSpec drivers:[]CSINodeDriver
CSIPersistentVolumeSource controllerExpandSecretRef:SecretReference controllerPublishSecretRef:SecretReference
  driver:s fsType:s nodeExpandSecretRef:SecretReference nodePublishSecretRef:SecretReference
  nodeStageSecretRef:SecretReference readOnly:b volumeAttributes:S volumeHandle:s
CSIVolumeSource driver:s fsType:s nodePublishSecretRef:LocalObjectReference readOnly:b volumeAttributes:S
CephFSPersistentVolumeSource monitors:[]s path:s readOnly:b secretFile:s secretRef:SecretReference user:s
CephFSVolumeSource monitors:[]s path:s readOnly:b secretFile:s secretRef:LocalObjectReference user:s
CinderPersistentVolumeSource fsType:s readOnly:b secretRef:SecretReference volumeID:s
CinderVolumeSource fsType:s readOnly:b secretRef:LocalObjectReference volumeID:s
ClusterTrustBundleProjection labelSelector:LabelSelector name:s optional:b path:s signerName:s
Condition lastTransitionTime:s message:s observedGeneration:l reason:s status:@ConditionStatus type:s
ConfigMapNodeConfigSource kubeletConfigKey:s name:s namespace:s resourceVersion:s uid:@UID
ContainerExtendedResourceRequest containerName:s requestName:s resourceName:s
ContainerImage names:[]s sizeBytes:l
ContainerRestartRule action:@ContainerRestartRuleAction exitCodes:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator:@ContainerRestartRuleOnExitCodesOperator values:[]i
ContainerState running:ContainerStateRunning terminated:ContainerStateTerminated waiting:ContainerStateWaiting
ContainerStateRunning startedAt:s
ContainerStateTerminated containerID:s exitCode:i finishedAt:s message:s reason:s signal:i startedAt:s
ContainerStateWaiting message:s reason:s
ContainerStatus allocatedResources:Q allocatedResourcesStatus:[]ResourceStatus containerID:s image:s imageID:s
  lastState:ContainerState name:s ready:b resources:ResourceRequirements restartCount:i started:b
  state:ContainerState stopSignal:@Signal user:ContainerUser volumeMounts:[]VolumeMountStatus
ContainerUser linux:LinuxContainerUser
CronJobStatus active:[]ObjectReference lastScheduleTime:s lastSuccessfulTime:s
DaemonEndpoint Port:i
DaemonSetCondition lastTransitionTime:s message:s reason:s status:@ConditionStatus type:@DaemonSetConditionType
DaemonSetStatus collisionCount:i conditions:[]DaemonSetCondition currentNumberScheduled:i desiredNumberScheduled:i
  numberAvailable:i numberMisscheduled:i numberReady:i numberUnavailable:i observedGeneration:l
  updatedNumberScheduled:i
DeploymentCondition lastTransitionTime:s lastUpdateTime:s message:s reason:s status:@ConditionStatus
  type:@DeploymentConditionType
DeploymentStatus availableReplicas:i collisionCount:i conditions:[]DeploymentCondition observedGeneration:l
  readyReplicas:i replicas:i terminatingReplicas:i unavailableReplicas:i updatedReplicas:i
EphemeralVolumeSource volumeClaimTemplate:PersistentVolumeClaimTemplate
FCVolumeSource fsType:s lun:i readOnly:b targetWWNs:[]s wwids:[]s
FileKeySelector key:s optional:b path:s volumeName:s
FlexPersistentVolumeSource driver:s fsType:s options:S readOnly:b secretRef:SecretReference
FlexVolumeSource driver:s fsType:s options:S readOnly:b secretRef:LocalObjectReference
FlockerVolumeSource datasetName:s datasetUUID:s
GCEPersistentDiskVolumeSource fsType:s partition:i pdName:s readOnly:b
GitRepoVolumeSource directory:s repository:s revision:s
GlusterfsPersistentVolumeSource endpoints:s endpointsNamespace:s path:s readOnly:b
GlusterfsVolumeSource endpoints:s path:s readOnly:b
HostIP ip:s
ISCSIPersistentVolumeSource chapAuthDiscovery:b chapAuthSession:b fsType:s initiatorName:s iqn:s iscsiInterface:s
  lun:i portals:[]s readOnly:b secretRef:SecretReference targetPortal:s
ISCSIVolumeSource chapAuthDiscovery:b chapAuthSession:b fsType:s initiatorName:s iqn:s iscsiInterface:s lun:i
  portals:[]s readOnly:b secretRef:LocalObjectReference targetPortal:s
ImageVolumeSource pullPolicy:@PullPolicy reference:s
JobCondition lastProbeTime:s lastTransitionTime:s message:s reason:s status:@ConditionStatus type:@JobConditionType
JobStatus active:i completedIndexes:s completionTime:s conditions:[]JobCondition failed:i failedIndexes:s ready:i
  startTime:s succeeded:i terminating:i uncountedTerminatedPods:UncountedTerminatedPods
LinuxContainerUser gid:l supplementalGroups:[]l uid:l
LoadBalancerIngress hostname:s ip:s ipMode:@LoadBalancerIPMode ports:[]PortStatus
LoadBalancerStatus ingress:[]LoadBalancerIngress
LocalVolumeSource fsType:s path:s
ManagedFieldsEntry apiVersion:s fieldsType:s fieldsV1:* manager:s operation:@ManagedFieldsOperationType
  subresource:s time:s
ModifyVolumeStatus status:@PersistentVolumeClaimModifyVolumeStatus targetVolumeAttributesClassName:s
NFSVolumeSource path:s readOnly:b server:s
NamespaceCondition lastTransitionTime:s message:s reason:s status:@ConditionStatus type:@NamespaceConditionType
NamespaceStatus conditions:[]NamespaceCondition phase:@NamespacePhase
NodeAddress address:s type:@NodeAddressType
NodeCondition lastHeartbeatTime:s lastTransitionTime:s message:s reason:s status:@ConditionStatus
  type:@NodeConditionType
NodeConfigSource configMap:ConfigMapNodeConfigSource
NodeConfigStatus active:NodeConfigSource assigned:NodeConfigSource error:s lastKnownGood:NodeConfigSource
NodeDaemonEndpoints kubeletEndpoint:DaemonEndpoint
NodeFeatures supplementalGroupsPolicy:b
NodeRuntimeHandler features:NodeRuntimeHandlerFeatures name:s
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:b userNamespaces:b
NodeSwapStatus capacity:l
NodeSystemInfo architecture:s bootID:s containerRuntimeVersion:s kernelVersion:s kubeProxyVersion:s kubeletVersion:s
  machineID:s operatingSystem:s osImage:s swap:NodeSwapStatus systemUUID:s
PersistentVolumeClaimCondition lastProbeTime:s lastTransitionTime:s message:s reason:s status:@ConditionStatus
  type:@PersistentVolumeClaimConditionType
PersistentVolumeClaimSpec accessModes:[]@PersistentVolumeAccessMode dataSource:TypedLocalObjectReference
  dataSourceRef:TypedObjectReference resources:VolumeResourceRequirements selector:LabelSelector storageClassName:s
  volumeAttributesClassName:s volumeMode:@PersistentVolumeMode volumeName:s
PersistentVolumeClaimStatus accessModes:[]@PersistentVolumeAccessMode allocatedResourceStatuses:S
  allocatedResources:Q capacity:Q conditions:[]PersistentVolumeClaimCondition currentVolumeAttributesClassName:s
  modifyVolumeStatus:ModifyVolumeStatus phase:@PersistentVolumeClaimPhase
PersistentVolumeClaimTemplate metadata:ObjectMeta spec:PersistentVolumeClaimSpec
PersistentVolumeSpec accessModes:[]@PersistentVolumeAccessMode awsElasticBlockStore:AWSElasticBlockStoreVolumeSource
  azureDisk:AzureDiskVolumeSource azureFile:AzureFilePersistentVolumeSource capacity:Q
  cephfs:CephFSPersistentVolumeSource cinder:CinderPersistentVolumeSource claimRef:ObjectReference
  csi:CSIPersistentVolumeSource fc:FCVolumeSource flexVolume:FlexPersistentVolumeSource flocker:FlockerVolumeSource
  gcePersistentDisk:GCEPersistentDiskVolumeSource glusterfs:GlusterfsPersistentVolumeSource
  hostPath:HostPathVolumeSource iscsi:ISCSIPersistentVolumeSource local:LocalVolumeSource mountOptions:[]s
  nfs:NFSVolumeSource nodeAffinity:VolumeNodeAffinity persistentVolumeReclaimPolicy:@PersistentVolumeReclaimPolicy
  photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource
  quobyte:QuobyteVolumeSource rbd:RBDPersistentVolumeSource scaleIO:ScaleIOPersistentVolumeSource storageClassName:s
  storageos:StorageOSPersistentVolumeSource volumeAttributesClassName:s volumeMode:@PersistentVolumeMode
  vsphereVolume:VsphereVirtualDiskVolumeSource
PersistentVolumeStatus lastPhaseTransitionTime:s message:s phase:@PersistentVolumePhase reason:s
PhotonPersistentDiskVolumeSource fsType:s pdID:s
PodCertificateProjection certificateChainPath:s credentialBundlePath:s keyPath:s keyType:s maxExpirationSeconds:i
  signerName:s
PodCondition lastProbeTime:s lastTransitionTime:s message:s observedGeneration:l reason:s status:@ConditionStatus
  type:@PodConditionType
PodDNSConfig nameservers:[]s options:[]PodDNSConfigOption searches:[]s
PodDNSConfigOption name:s value:s
PodDisruptionBudgetStatus conditions:[]Condition currentHealthy:i desiredHealthy:i disruptedPods:S
  disruptionsAllowed:i expectedPods:i observedGeneration:l
PodExtendedResourceClaimStatus requestMappings:[]ContainerExtendedResourceRequest resourceClaimName:s
PodIP ip:s
PodResourceClaimStatus name:s resourceClaimName:s
PodStatus conditions:[]PodCondition containerStatuses:[]ContainerStatus ephemeralContainerStatuses:[]ContainerStatus
  extendedResourceClaimStatus:PodExtendedResourceClaimStatus hostIP:s hostIPs:[]HostIP
  initContainerStatuses:[]ContainerStatus message:s nominatedNodeName:s observedGeneration:l phase:@PodPhase podIP:s
  podIPs:[]PodIP qosClass:@PodQOSClass reason:s resize:@PodResizeStatus
  resourceClaimStatuses:[]PodResourceClaimStatus startTime:s
PortStatus error:s port:i protocol:@Protocol
PortworxVolumeSource fsType:s readOnly:b volumeID:s
QuobyteVolumeSource group:s readOnly:b registry:s tenant:s user:s volume:s
RBDPersistentVolumeSource fsType:s image:s keyring:s monitors:[]s pool:s readOnly:b secretRef:SecretReference user:s
RBDVolumeSource fsType:s image:s keyring:s monitors:[]s pool:s readOnly:b secretRef:LocalObjectReference user:s
ReplicaSetCondition lastTransitionTime:s message:s reason:s status:@ConditionStatus type:@ReplicaSetConditionType
ReplicaSetStatus availableReplicas:i conditions:[]ReplicaSetCondition fullyLabeledReplicas:i observedGeneration:l
  readyReplicas:i replicas:i terminatingReplicas:i
ReplicationControllerCondition lastTransitionTime:s message:s reason:s status:@ConditionStatus
  type:@ReplicationControllerConditionType
ReplicationControllerStatus availableReplicas:i conditions:[]ReplicationControllerCondition fullyLabeledReplicas:i
  observedGeneration:l readyReplicas:i replicas:i
ResourceHealth health:@ResourceHealthStatus resourceID:@ResourceID
ResourceStatus name:@ResourceName resources:[]ResourceHealth
RollingUpdateStatefulSetStrategy maxUnavailable:x partition:i
ScaleIOPersistentVolumeSource fsType:s gateway:s protectionDomain:s readOnly:b secretRef:SecretReference
  sslEnabled:b storageMode:s storagePool:s system:s volumeName:s
ScaleIOVolumeSource fsType:s gateway:s protectionDomain:s readOnly:b secretRef:LocalObjectReference sslEnabled:b
  storageMode:s storagePool:s system:s volumeName:s
SecretReference name:s namespace:s
ServiceStatus conditions:[]Condition loadBalancer:LoadBalancerStatus
StatefulSetCondition lastTransitionTime:s message:s reason:s status:@ConditionStatus type:@StatefulSetConditionType
StatefulSetOrdinals start:i
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:@PersistentVolumeClaimRetentionPolicyType
  whenScaled:@PersistentVolumeClaimRetentionPolicyType
StatefulSetStatus availableReplicas:i collisionCount:i conditions:[]StatefulSetCondition currentReplicas:i
  currentRevision:s observedGeneration:l readyReplicas:i replicas:i updateRevision:s updatedReplicas:i
StatefulSetUpdateStrategy rollingUpdate:RollingUpdateStatefulSetStrategy type:@StatefulSetUpdateStrategyType
StorageOSPersistentVolumeSource fsType:s readOnly:b secretRef:ObjectReference volumeName:s volumeNamespace:s
StorageOSVolumeSource fsType:s readOnly:b secretRef:LocalObjectReference volumeName:s volumeNamespace:s
TokenRequest audience:s expirationSeconds:l
TopologySelectorLabelRequirement key:s values:[]s
TopologySelectorTerm matchLabelExpressions:[]TopologySelectorLabelRequirement
TypedLocalObjectReference apiGroup:s kind:s name:s
TypedObjectReference apiGroup:s kind:s name:s namespace:s
UncountedTerminatedPods failed:[]@UID succeeded:[]@UID
VolumeAttachmentSource inlineVolumeSpec:PersistentVolumeSpec persistentVolumeName:s
VolumeAttachmentSpec attacher:s nodeName:s source:VolumeAttachmentSource
VolumeAttachmentStatus attachError:VolumeError attached:b attachmentMetadata:S detachError:VolumeError
VolumeError errorCode:i message:s time:s
VolumeMountStatus mountPath:s name:s readOnly:b recursiveReadOnly:@RecursiveReadOnlyMode
VolumeNodeAffinity required:NodeSelector
VolumeNodeResources count:i
VolumeResourceRequirements limits:Q requests:Q
VsphereVirtualDiskVolumeSource fsType:s storagePolicyID:s storagePolicyName:s volumePath:s
WindowsSecurityContextOptions gmsaCredentialSpec:s gmsaCredentialSpecName:s hostProcess:b runAsUserName:s
`;
