/**
 * The types of the fields of every kind, as decode.ts checks them: one entry a type, its fields as
 * `name:type`, longer entries indented. Types: `s` string, `b` bool, `i` int32, `l` int64, `q` quantity,
 * `x` number or text, `S` map of texts, `B` map of base64, `Q` map of quantities, `@Name` a text of Go's type v1.Name,
 * `[]T` list of T, `*` anything (parts that nobody here looks into), else the name of another entry.
 */
export const FIELD_TYPES = `
Pod apiVersion:* kind:* metadata:ObjectMeta spec:PodSpec status:*
Node apiVersion:* kind:* metadata:ObjectMeta spec:NodeSpec status:NodeStatus
Namespace apiVersion:* kind:* metadata:ObjectMeta spec:NamespaceSpec status:*
Service apiVersion:* kind:* metadata:ObjectMeta spec:ServiceSpec status:*
Event action:s apiVersion:* count:i eventTime:s firstTimestamp:s involvedObject:ObjectReference kind:*
  lastTimestamp:s message:s metadata:ObjectMeta reason:s related:ObjectReference reportingComponent:s
  reportingInstance:s series:EventSeries source:EventSource type:s
EndpointSlice addressType:@AddressType apiVersion:* endpoints:[]Endpoint kind:* metadata:ObjectMeta ports:[]EndpointPort
Lease apiVersion:* kind:* metadata:ObjectMeta spec:LeaseSpec
PriorityClass apiVersion:* description:s globalDefault:b kind:* metadata:ObjectMeta
  preemptionPolicy:@PreemptionPolicy value:i
ReplicaSet apiVersion:* kind:* metadata:ObjectMeta spec:ReplicaSetSpec status:*
Deployment apiVersion:* kind:* metadata:ObjectMeta spec:DeploymentSpec status:*
StatefulSet apiVersion:* kind:* metadata:ObjectMeta spec:StatefulSetSpec status:*
StatefulSetSpec minReadySeconds:i ordinals:* persistentVolumeClaimRetentionPolicy:* podManagementPolicy:s
  replicas:i revisionHistoryLimit:i selector:LabelSelector serviceName:s template:PodTemplateSpec
  updateStrategy:* volumeClaimTemplates:*
ControllerRevision apiVersion:* data:* kind:* metadata:ObjectMeta revision:l
DaemonSet apiVersion:* kind:* metadata:ObjectMeta spec:DaemonSetSpec status:*
DaemonSetSpec minReadySeconds:i revisionHistoryLimit:i selector:LabelSelector template:PodTemplateSpec
  updateStrategy:DaemonSetUpdateStrategy
DaemonSetUpdateStrategy rollingUpdate:RollingUpdateDaemonSet type:@DaemonSetUpdateStrategyType
RollingUpdateDaemonSet maxSurge:x maxUnavailable:x
ReplicationController apiVersion:* kind:* metadata:ObjectMeta spec:ReplicationControllerSpec status:*
ReplicationControllerSpec minReadySeconds:i replicas:i selector:S template:PodTemplateSpec
Job apiVersion:* kind:* metadata:ObjectMeta spec:JobSpec status:*
CronJob apiVersion:* kind:* metadata:ObjectMeta spec:CronJobSpec status:*
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
PodDisruptionBudget apiVersion:* kind:* metadata:ObjectMeta spec:PodDisruptionBudgetSpec status:*
PodDisruptionBudgetSpec maxUnavailable:x minAvailable:x selector:LabelSelector unhealthyPodEvictionPolicy:s
PersistentVolume apiVersion:* kind:* metadata:ObjectMeta spec:* status:*
PersistentVolumeClaim apiVersion:* kind:* metadata:ObjectMeta spec:* status:*
StorageClass allowVolumeExpansion:b allowedTopologies:* apiVersion:* kind:* metadata:ObjectMeta mountOptions:[]s
  parameters:S provisioner:s reclaimPolicy:s volumeBindingMode:s
CSINode apiVersion:* kind:* metadata:ObjectMeta spec:*
CSIDriver apiVersion:* kind:* metadata:ObjectMeta spec:*
CSIStorageCapacity apiVersion:* capacity:q kind:* maximumVolumeSize:q metadata:ObjectMeta nodeTopology:LabelSelector
  storageClassName:s
VolumeAttachment apiVersion:* kind:* metadata:ObjectMeta spec:* status:*
ConfigMap apiVersion:* binaryData:B data:S immutable:b kind:* metadata:ObjectMeta
Secret apiVersion:* data:B immutable:b kind:* metadata:ObjectMeta stringData:S type:@SecretType
ServiceAccount apiVersion:* automountServiceAccountToken:b imagePullSecrets:[]LocalObjectReference kind:*
  metadata:ObjectMeta secrets:[]ObjectReference
Affinity nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
AppArmorProfile localhostProfile:s type:@AppArmorProfileType
Capabilities add:[]s drop:[]s
ClaimSource resourceClaimName:s resourceClaimTemplateName:s
ClientIPConfig timeoutSeconds:i
ConfigMapEnvSource name:s optional:b
ConfigMapKeySelector key:s name:s optional:b
ConfigMapProjection items:[]KeyToPath name:s optional:b
ConfigMapVolumeSource defaultMode:i items:[]KeyToPath name:s optional:b
Container args:[]s command:[]s env:[]EnvVar envFrom:[]EnvFromSource image:s imagePullPolicy:@PullPolicy
  lifecycle:Lifecycle livenessProbe:Probe name:s ports:[]ContainerPort readinessProbe:Probe
  resizePolicy:[]ContainerResizePolicy resources:ResourceRequirements restartPolicy:@ContainerRestartPolicy
  restartPolicyRules:* securityContext:SecurityContext startupProbe:Probe stdin:b stdinOnce:b
  terminationMessagePath:s terminationMessagePolicy:@TerminationMessagePolicy tty:b volumeDevices:[]VolumeDevice
  volumeMounts:[]VolumeMount workingDir:s
ContainerPort containerPort:i hostIP:s hostPort:i name:s protocol:@Protocol
ContainerResizePolicy resourceName:s restartPolicy:s
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
EnvVarSource configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector fileKeyRef:*
  resourceFieldRef:ResourceFieldSelector secretKeyRef:SecretKeySelector
EphemeralContainer args:[]s command:[]s env:[]EnvVar envFrom:[]EnvFromSource image:s imagePullPolicy:@PullPolicy
  lifecycle:Lifecycle livenessProbe:Probe name:s ports:[]ContainerPort readinessProbe:Probe
  resizePolicy:[]ContainerResizePolicy resources:ResourceRequirements restartPolicy:@ContainerRestartPolicy
  restartPolicyRules:* securityContext:SecurityContext startupProbe:Probe stdin:b stdinOnce:b
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
  strategy:s
Lifecycle postStart:LifecycleHandler preStop:LifecycleHandler stopSignal:s
LifecycleHandler exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction
LocalObjectReference name:s
NamespaceSpec finalizers:[]s
NodeAffinity preferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm
  requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
NodeSelector nodeSelectorTerms:[]NodeSelectorTerm
NodeSelectorRequirement key:s operator:@NodeSelectorOperator values:[]s
NodeSelectorTerm matchExpressions:[]NodeSelectorRequirement matchFields:[]NodeSelectorRequirement
NodeSpec configSource:* externalID:s podCIDR:s podCIDRs:[]s providerID:s taints:[]Taint unschedulable:b
NodeStatus addresses:* allocatable:Q capacity:Q conditions:* config:* daemonEndpoints:* features:* images:*
  nodeInfo:* phase:* runtimeHandlers:* volumesAttached:* volumesInUse:*
ObjectFieldSelector apiVersion:s fieldPath:s
ObjectMeta annotations:S creationTimestamp:s deletionGracePeriodSeconds:l deletionTimestamp:s finalizers:[]s
  generateName:s generation:l labels:S managedFields:[]* name:s namespace:s ownerReferences:[]OwnerReference
  resourceVersion:s selfLink:s uid:@UID
ObjectReference apiVersion:s fieldPath:s kind:s name:s namespace:s resourceVersion:s uid:@UID
OwnerReference apiVersion:s blockOwnerDeletion:b controller:b kind:s name:s uid:@UID
PersistentVolumeClaimVolumeSource claimName:s readOnly:b
PodAffinity preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
  requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
PodAffinityTerm labelSelector:LabelSelector matchLabelKeys:[]s mismatchLabelKeys:[]s
  namespaceSelector:LabelSelector namespaces:[]s topologyKey:s
PodAntiAffinity preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
  requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
PodOS name:@OSName
PodReadinessGate conditionType:@PodConditionType
PodResourceClaim name:s resourceClaimName:s resourceClaimTemplateName:s source:ClaimSource
PodSchedulingGate name:s
PodSecurityContext appArmorProfile:AppArmorProfile fsGroup:l fsGroupChangePolicy:@PodFSGroupChangePolicy
  runAsGroup:l runAsNonRoot:b runAsUser:l seLinuxChangePolicy:s seLinuxOptions:SELinuxOptions
  seccompProfile:SeccompProfile supplementalGroups:[]l supplementalGroupsPolicy:s sysctls:[]Sysctl
  windowsOptions:*
PodSpec activeDeadlineSeconds:l affinity:Affinity automountServiceAccountToken:b containers:[]Container
  dnsConfig:* dnsPolicy:@DNSPolicy enableServiceLinks:b ephemeralContainers:[]EphemeralContainer
  hostAliases:[]HostAlias hostIPC:b hostNetwork:b hostPID:b hostUsers:b hostname:s hostnameOverride:s
  imagePullSecrets:[]LocalObjectReference initContainers:[]Container nodeName:s nodeSelector:S os:PodOS
  overhead:Q preemptionPolicy:@PreemptionPolicy priority:i priorityClassName:s readinessGates:[]PodReadinessGate
  resourceClaims:[]PodResourceClaim resources:ResourceRequirements restartPolicy:@RestartPolicy
  runtimeClassName:s schedulerName:s schedulingGates:[]PodSchedulingGate securityContext:PodSecurityContext
  serviceAccount:s serviceAccountName:s setHostnameAsFQDN:b shareProcessNamespace:b subdomain:s
  terminationGracePeriodSeconds:l tolerations:[]Toleration topologySpreadConstraints:[]TopologySpreadConstraint
  volumes:[]Volume
PodTemplateSpec metadata:ObjectMeta spec:PodSpec
PreferredSchedulingTerm preference:NodeSelectorTerm weight:i
Probe exec:ExecAction failureThreshold:i grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds:i
  periodSeconds:i successThreshold:i tcpSocket:TCPSocketAction terminationGracePeriodSeconds:l timeoutSeconds:i
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
SecurityContext allowPrivilegeEscalation:b appArmorProfile:AppArmorProfile capabilities:Capabilities
  privileged:b procMount:@ProcMountType readOnlyRootFilesystem:b runAsGroup:l runAsNonRoot:b runAsUser:l
  seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile windowsOptions:*
ServiceAccountTokenProjection audience:s expirationSeconds:l path:s
ServicePort appProtocol:s name:s nodePort:i port:i protocol:@Protocol targetPort:x
ServiceSpec allocateLoadBalancerNodePorts:b clusterIP:s clusterIPs:[]s externalIPs:[]s externalName:s
  externalTrafficPolicy:@ServiceExternalTrafficPolicy healthCheckNodePort:i
  internalTrafficPolicy:@ServiceInternalTrafficPolicy ipFamilies:[]s ipFamilyPolicy:@IPFamilyPolicy
  loadBalancerClass:s loadBalancerIP:s loadBalancerSourceRanges:[]s ports:[]ServicePort
  publishNotReadyAddresses:b selector:S sessionAffinity:@ServiceAffinity
  sessionAffinityConfig:SessionAffinityConfig trafficDistribution:s type:@ServiceType
SessionAffinityConfig clientIP:ClientIPConfig
SleepAction seconds:l
Sysctl name:s value:s
TCPSocketAction host:s port:x
Taint effect:@TaintEffect key:s timeAdded:s value:s
Toleration effect:@TaintEffect key:s operator:@TolerationOperator tolerationSeconds:l value:s
TopologySpreadConstraint labelSelector:LabelSelector matchLabelKeys:[]s maxSkew:i minDomains:i
  nodeAffinityPolicy:@NodeInclusionPolicy nodeTaintsPolicy:@NodeInclusionPolicy topologyKey:s
  whenUnsatisfiable:@UnsatisfiableConstraintAction
Volume awsElasticBlockStore:* azureDisk:* azureFile:* cephfs:* cinder:* configMap:ConfigMapVolumeSource csi:*
  downwardAPI:DownwardAPIVolumeSource emptyDir:EmptyDirVolumeSource ephemeral:* fc:* flexVolume:* flocker:*
  gcePersistentDisk:* gitRepo:* glusterfs:* hostPath:HostPathVolumeSource image:* iscsi:* name:s nfs:*
  persistentVolumeClaim:PersistentVolumeClaimVolumeSource photonPersistentDisk:* portworxVolume:*
  projected:ProjectedVolumeSource quobyte:* rbd:* scaleIO:* secret:SecretVolumeSource storageos:*
  vsphereVolume:*
VolumeDevice devicePath:s name:s
VolumeMount mountPath:s mountPropagation:@MountPropagationMode name:s readOnly:b recursiveReadOnly:s subPath:s
  subPathExpr:s
VolumeProjection clusterTrustBundle:* configMap:ConfigMapProjection downwardAPI:DownwardAPIProjection
  podCertificate:* secret:SecretProjection serviceAccountToken:ServiceAccountTokenProjection
WeightedPodAffinityTerm podAffinityTerm:PodAffinityTerm weight:i
`;
