/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const CORE_V1_TYPES = `
AWSElasticBlockStoreVolumeSource volumeID:s:1 fsType:s:2:o partition:i:3:o readOnly:b:4:o
Affinity nodeAffinity:*NodeAffinity:1:o podAffinity:*PodAffinity:2:o podAntiAffinity:*PodAntiAffinity:3:o
AppArmorProfile type:@AppArmorProfileType:1 localhostProfile:*s:2:o
AttachedVolume name:@UniqueVolumeName:1 devicePath:s:2
AzureDiskVolumeSource diskName:s:1 diskURI:s:2 cachingMode:*@AzureDataDiskCachingMode:3:o;d=ref(AzureDataDiskCachingReadWrite) fsType:*s:4:o;d="ext4" readOnly:*b:5:o;d=false kind:*@AzureDataDiskKind:6:o;d=ref(AzureSharedBlobDisk)
AzureFilePersistentVolumeSource secretName:s:1 shareName:s:2 readOnly:b:3:o secretNamespace:*s:4:?
AzureFileVolumeSource secretName:s:1 shareName:s:2 readOnly:b:3:o
Binding apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o target:ObjectReference:2
CSIPersistentVolumeSource driver:s:1 volumeHandle:s:2 readOnly:b:3:o fsType:s:4:o volumeAttributes:{}s:5:o controllerPublishSecretRef:*SecretReference:6:o nodeStageSecretRef:*SecretReference:7:o nodePublishSecretRef:*SecretReference:8:o controllerExpandSecretRef:*SecretReference:9:o nodeExpandSecretRef:*SecretReference:10:o
CSIVolumeSource driver:s:1 readOnly:*b:2:o fsType:*s:3:o volumeAttributes:{}s:4:o nodePublishSecretRef:*LocalObjectReference:5:o
Capabilities add:[]@Capability:1:o;a drop:[]@Capability:2:o;a
CephFSPersistentVolumeSource monitors:[]s:1:a path:s:2:o user:s:3:o secretFile:s:4:o secretRef:*SecretReference:5:o readOnly:b:6:o
CephFSVolumeSource monitors:[]s:1:a path:s:2:o user:s:3:o secretFile:s:4:o secretRef:*LocalObjectReference:5:o readOnly:b:6:o
CinderPersistentVolumeSource volumeID:s:1 fsType:s:2:o readOnly:b:3:o secretRef:*SecretReference:4:o
CinderVolumeSource volumeID:s:1 fsType:s:2:o readOnly:b:3:o secretRef:*LocalObjectReference:4:o
ClientIPConfig timeoutSeconds:*i:1:o
ClusterTrustBundleProjection name:*s:1:o signerName:*s:2:o labelSelector:*meta/v1.LabelSelector:3:o optional:*b:5:o path:s:4
ComponentCondition type:@ComponentConditionType:1 status:@ConditionStatus:2 message:s:3:o error:s:4:o
ComponentStatus apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o conditions:[]ComponentCondition:2:o;m=type;l=type
ConfigMap apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o immutable:*b:4:o data:{}s:2:o binaryData:{}y:3:o
ConfigMapEnvSource name:s:1.1:o;d="" optional:*b:2:o
ConfigMapKeySelector~ name:s:1.1:o;d="" key:s:2 optional:*b:3:o
ConfigMapNodeConfigSource namespace:s:1 name:s:2 uid:@types.UID:3:o resourceVersion:s:4:o kubeletConfigKey:s:5
ConfigMapProjection name:s:1.1:o;d="" items:[]KeyToPath:2:o;a optional:*b:4:o
ConfigMapVolumeSource name:s:1.1:o;d="" items:[]KeyToPath:2:o;a defaultMode:*i:3:o optional:*b:4:o
Container name:s:1 image:s:2:o command:[]s:3:o;a args:[]s:4:o;a workingDir:s:5:o ports:[]ContainerPort:6:o;m=containerPort;l=containerPort,protocol envFrom:[]EnvFromSource:19:o;a env:[]EnvVar:7:o;m=name;l=name resources:ResourceRequirements:8:o resizePolicy:[]ContainerResizePolicy:23:o;a restartPolicy:*@ContainerRestartPolicy:24:o restartPolicyRules:[]ContainerRestartRule:25:o;a volumeMounts:[]VolumeMount:9:o;m=mountPath;l=mountPath volumeDevices:[]VolumeDevice:21:o;m=devicePath;l=devicePath livenessProbe:*Probe:10:o readinessProbe:*Probe:11:o startupProbe:*Probe:22:o lifecycle:*Lifecycle:12:o terminationMessagePath:s:13:o terminationMessagePolicy:@TerminationMessagePolicy:20:o imagePullPolicy:@PullPolicy:14:o securityContext:*SecurityContext:15:o stdin:b:16:o stdinOnce:b:17:o tty:b:18:o
ContainerExtendedResourceRequest containerName:s:1 resourceName:s:2 requestName:s:3
ContainerImage names:[]s:1:?;a sizeBytes:l:2:o
ContainerPort name:s:1:o hostPort:i:2:o containerPort:i:3 protocol:@Protocol:4:o;d="TCP" hostIP:s:5:o
ContainerResizePolicy resourceName:@ResourceName:1 restartPolicy:@ResourceResizeRestartPolicy:2
ContainerRestartRule action:@ContainerRestartRuleAction:1:o;! exitCodes:*ContainerRestartRuleOnExitCodes:2:o
ContainerRestartRuleOnExitCodes operator:@ContainerRestartRuleOnExitCodesOperator:1:o;! values:[]i:2:o;s
ContainerState waiting:*ContainerStateWaiting:1:o running:*ContainerStateRunning:2:o terminated:*ContainerStateTerminated:3:o
ContainerStateRunning startedAt:t:1:o
ContainerStateTerminated exitCode:i:1 signal:i:2:o reason:s:3:o message:s:4:o startedAt:t:5:o finishedAt:t:6:o containerID:s:7:o
ContainerStateWaiting reason:s:1:o message:s:2:o
ContainerStatus name:s:1 state:ContainerState:2:o lastState:ContainerState:3:o ready:b:4 restartCount:i:5 image:s:6 imageID:s:7 containerID:s:8:o started:*b:9:o allocatedResources:{}q:10:o resources:*ResourceRequirements:11:o volumeMounts:[]VolumeMountStatus:12:o;m=mountPath;l=mountPath user:*ContainerUser:13:o allocatedResourcesStatus:[]ResourceStatus:14:o;m=name;l=name stopSignal:*@Signal:15:o
ContainerUser linux:*LinuxContainerUser:1:o
DaemonEndpoint Port:i:1
DownwardAPIProjection items:[]DownwardAPIVolumeFile:1:o;a
DownwardAPIVolumeFile path:s:1 fieldRef:*ObjectFieldSelector:2:o resourceFieldRef:*ResourceFieldSelector:3:o mode:*i:4:o
DownwardAPIVolumeSource items:[]DownwardAPIVolumeFile:1:o;a defaultMode:*i:2:o
EmptyDirVolumeSource medium:@StorageMedium:1:o sizeLimit:*q:2:o
EndpointAddress~ ip:s:1 hostname:s:3:o nodeName:*s:4:o targetRef:*ObjectReference:2:o
EndpointPort~ name:s:1:o port:i:2 protocol:@Protocol:3:o appProtocol:*s:4:o
EndpointSubset addresses:[]EndpointAddress:1:o;a notReadyAddresses:[]EndpointAddress:2:o;a ports:[]EndpointPort:3:o;a
Endpoints apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o subsets:[]EndpointSubset:2:o;a
EnvFromSource prefix:s:1:o configMapRef:*ConfigMapEnvSource:2:o secretRef:*SecretEnvSource:3:o
EnvVar name:s:1 value:s:2:o valueFrom:*EnvVarSource:3:o
EnvVarSource fieldRef:*ObjectFieldSelector:1:o resourceFieldRef:*ResourceFieldSelector:2:o configMapKeyRef:*ConfigMapKeySelector:3:o secretKeyRef:*SecretKeySelector:4:o fileKeyRef:*FileKeySelector:5:o
EphemeralContainer name:s:1.1 image:s:1.2:o command:[]s:1.3:o;a args:[]s:1.4:o;a workingDir:s:1.5:o ports:[]ContainerPort:1.6:o;m=containerPort;l=containerPort,protocol envFrom:[]EnvFromSource:1.19:o;a env:[]EnvVar:1.7:o;m=name;l=name resources:ResourceRequirements:1.8:o resizePolicy:[]ContainerResizePolicy:1.23:o;a restartPolicy:*@ContainerRestartPolicy:1.24:o restartPolicyRules:[]ContainerRestartRule:1.25:o;a volumeMounts:[]VolumeMount:1.9:o;m=mountPath;l=mountPath volumeDevices:[]VolumeDevice:1.21:o;m=devicePath;l=devicePath livenessProbe:*Probe:1.10:o readinessProbe:*Probe:1.11:o startupProbe:*Probe:1.22:o lifecycle:*Lifecycle:1.12:o terminationMessagePath:s:1.13:o terminationMessagePolicy:@TerminationMessagePolicy:1.20:o imagePullPolicy:@PullPolicy:1.14:o securityContext:*SecurityContext:1.15:o stdin:b:1.16:o stdinOnce:b:1.17:o tty:b:1.18:o targetContainerName:s:2:o
EphemeralVolumeSource volumeClaimTemplate:*PersistentVolumeClaimTemplate:1:o
Event apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1 involvedObject:ObjectReference:2 reason:s:3:o message:s:4:o source:EventSource:5:o firstTimestamp:t:6:o lastTimestamp:t:7:o count:i:8:o type:s:9:o eventTime:u:10:o series:*EventSeries:11:o action:s:12:o related:*ObjectReference:13:o reportingComponent:s:14:? reportingInstance:s:15:?
EventSeries count:i:1:o lastObservedTime:u:2:o
EventSource component:s:1:o host:s:2:o
ExecAction command:[]s:1:o;a
FCVolumeSource targetWWNs:[]s:1:o;a lun:*i:2:o fsType:s:3:o readOnly:b:4:o wwids:[]s:5:o;a
FileKeySelector~ volumeName:s:1 path:s:2 key:s:3 optional:*b:4:o;d=false
FlexPersistentVolumeSource driver:s:1 fsType:s:2:o secretRef:*SecretReference:3:o readOnly:b:4:o options:{}s:5:o
FlexVolumeSource driver:s:1 fsType:s:2:o secretRef:*LocalObjectReference:3:o readOnly:b:4:o options:{}s:5:o
FlockerVolumeSource datasetName:s:1:o datasetUUID:s:2:o
GCEPersistentDiskVolumeSource pdName:s:1 fsType:s:2:o partition:i:3:o readOnly:b:4:o
GRPCAction port:i:1 service:*s:2:?;d=""
GitRepoVolumeSource repository:s:1 revision:s:2:o directory:s:3:o
GlusterfsPersistentVolumeSource endpoints:s:1 path:s:2 readOnly:b:3:o endpointsNamespace:*s:4:o
GlusterfsVolumeSource endpoints:s:1 path:s:2 readOnly:b:3:o
HTTPGetAction path:s:1:o port:x:2 host:s:3:o scheme:@URIScheme:4:o httpHeaders:[]HTTPHeader:5:o;a
HTTPHeader name:s:1 value:s:2
HostAlias ip:s:1 hostnames:[]s:2:o;a
HostIP ip:s:1
HostPathVolumeSource path:s:1 type:*@HostPathType:2:o
ISCSIPersistentVolumeSource targetPortal:s:1 iqn:s:2 lun:i:3 iscsiInterface:s:4:o;d="default" fsType:s:5:o readOnly:b:6:o portals:[]s:7:o;a chapAuthDiscovery:b:8:o chapAuthSession:b:11:o secretRef:*SecretReference:10:o initiatorName:*s:12:o
ISCSIVolumeSource targetPortal:s:1 iqn:s:2 lun:i:3 iscsiInterface:s:4:o;d="default" fsType:s:5:o readOnly:b:6:o portals:[]s:7:o;a chapAuthDiscovery:b:8:o chapAuthSession:b:11:o secretRef:*LocalObjectReference:10:o initiatorName:*s:12:o
ImageVolumeSource reference:s:1:o pullPolicy:@PullPolicy:2:o
KeyToPath key:s:1 path:s:2 mode:*i:3:o
Lifecycle postStart:*LifecycleHandler:1:o preStop:*LifecycleHandler:2:o stopSignal:*@Signal:3:o
LifecycleHandler exec:*ExecAction:1:o httpGet:*HTTPGetAction:2:o tcpSocket:*TCPSocketAction:3:o sleep:*SleepAction:4:o
LimitRange apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:LimitRangeSpec:2:o
LimitRangeItem type:@LimitType:1 max:{}q:2:o min:{}q:3:o default:{}q:4:o defaultRequest:{}q:5:o maxLimitRequestRatio:{}q:6:o
LimitRangeSpec limits:[]LimitRangeItem:1:a
LinuxContainerUser uid:l:1 gid:l:2 supplementalGroups:[]l:3:o;a
LoadBalancerIngress ip:s:1:o hostname:s:2:o ipMode:*@LoadBalancerIPMode:3:o ports:[]PortStatus:4:o;a
LoadBalancerStatus ingress:[]LoadBalancerIngress:1:o;a
LocalObjectReference~ name:s:1:o;d=""
LocalVolumeSource path:s:1 fsType:*s:2:o
ModifyVolumeStatus targetVolumeAttributesClassName:s:1:o status:@PersistentVolumeClaimModifyVolumeStatus:2
NFSVolumeSource server:s:1 path:s:2 readOnly:b:3:o
Namespace apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:NamespaceSpec:2:o status:NamespaceStatus:3:o
NamespaceCondition type:@NamespaceConditionType:1 status:@ConditionStatus:2 lastTransitionTime:t:4:o reason:s:5:o message:s:6:o
NamespaceSpec finalizers:[]@FinalizerName:1:o;a
NamespaceStatus phase:@NamespacePhase:1:o conditions:[]NamespaceCondition:2:o;m=type;l=type
Node apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:NodeSpec:2:o status:NodeStatus:3:o
NodeAddress type:@NodeAddressType:1 address:s:2
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution:*NodeSelector:1:o preferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm:2:o;a
NodeCondition type:@NodeConditionType:1 status:@ConditionStatus:2 lastHeartbeatTime:t:3:o lastTransitionTime:t:4:o reason:s:5:o message:s:6:o
NodeConfigSource configMap:*ConfigMapNodeConfigSource:2:o
NodeConfigStatus assigned:*NodeConfigSource:1:o active:*NodeConfigSource:2:o lastKnownGood:*NodeConfigSource:3:o error:s:4:o
NodeDaemonEndpoints kubeletEndpoint:DaemonEndpoint:1:o
NodeFeatures supplementalGroupsPolicy:*b:1:o
NodeRuntimeHandler name:s:1:? features:*NodeRuntimeHandlerFeatures:2:o
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:*b:1:o userNamespaces:*b:2:o
NodeSelector~ nodeSelectorTerms:[]NodeSelectorTerm:1:a
NodeSelectorRequirement key:s:1 operator:@NodeSelectorOperator:2 values:[]s:3:o;a
NodeSelectorTerm~ matchExpressions:[]NodeSelectorRequirement:1:o;a matchFields:[]NodeSelectorRequirement:2:o;a
NodeSpec podCIDR:s:1:o podCIDRs:[]s:7:o;m;s providerID:s:3:o unschedulable:b:4:o taints:[]Taint:5:o;a configSource:*NodeConfigSource:6:o externalID:s:2:o
NodeStatus capacity:{}q:1:o allocatable:{}q:2:o phase:@NodePhase:3:o conditions:[]NodeCondition:4:o;m=type;l=type addresses:[]NodeAddress:5:o;m=type;l=type daemonEndpoints:NodeDaemonEndpoints:6:o nodeInfo:NodeSystemInfo:7:o images:[]ContainerImage:8:o;a volumesInUse:[]@UniqueVolumeName:9:o;a volumesAttached:[]AttachedVolume:10:o;a config:*NodeConfigStatus:11:o runtimeHandlers:[]NodeRuntimeHandler:12:o;a features:*NodeFeatures:13:o
NodeSwapStatus capacity:*l:1:o
NodeSystemInfo machineID:s:1 systemUUID:s:2 bootID:s:3 kernelVersion:s:4 osImage:s:5 containerRuntimeVersion:s:6 kubeletVersion:s:7 kubeProxyVersion:s:8 operatingSystem:s:9 architecture:s:10 swap:*NodeSwapStatus:11:o
ObjectFieldSelector~ apiVersion:s:1:o fieldPath:s:2
ObjectReference~ kind:s:1:o namespace:s:2:o name:s:3:o uid:@types.UID:4:o apiVersion:s:5:o resourceVersion:s:6:o fieldPath:s:7:o
PersistentVolume apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:PersistentVolumeSpec:2:o status:PersistentVolumeStatus:3:o
PersistentVolumeClaim apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:PersistentVolumeClaimSpec:2:o status:PersistentVolumeClaimStatus:3:o
PersistentVolumeClaimCondition type:@PersistentVolumeClaimConditionType:1 status:@ConditionStatus:2 lastProbeTime:t:3:o lastTransitionTime:t:4:o reason:s:5:o message:s:6:o
PersistentVolumeClaimSpec accessModes:[]@PersistentVolumeAccessMode:1:o;a selector:*meta/v1.LabelSelector:4:o resources:VolumeResourceRequirements:2:o volumeName:s:3:o storageClassName:*s:5:o volumeMode:*@PersistentVolumeMode:6:o dataSource:*TypedLocalObjectReference:7:o dataSourceRef:*TypedObjectReference:8:o volumeAttributesClassName:*s:9:o
PersistentVolumeClaimStatus phase:@PersistentVolumeClaimPhase:1:o accessModes:[]@PersistentVolumeAccessMode:2:o;a capacity:{}q:3:o conditions:[]PersistentVolumeClaimCondition:4:o;m=type;l=type allocatedResources:{}q:5:o allocatedResourceStatuses:{}@ClaimResourceStatus:7:o currentVolumeAttributesClassName:*s:8:o modifyVolumeStatus:*ModifyVolumeStatus:9:o
PersistentVolumeClaimTemplate metadata:meta/v1.ObjectMeta:1:o spec:PersistentVolumeClaimSpec:2
PersistentVolumeClaimVolumeSource claimName:s:1 readOnly:b:2:o
PersistentVolumeSpec capacity:{}q:1:o gcePersistentDisk:*GCEPersistentDiskVolumeSource:2.1:o awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource:2.2:o hostPath:*HostPathVolumeSource:2.3:o glusterfs:*GlusterfsPersistentVolumeSource:2.4:o nfs:*NFSVolumeSource:2.5:o rbd:*RBDPersistentVolumeSource:2.6:o iscsi:*ISCSIPersistentVolumeSource:2.7:o cinder:*CinderPersistentVolumeSource:2.8:o cephfs:*CephFSPersistentVolumeSource:2.9:o fc:*FCVolumeSource:2.10:o flocker:*FlockerVolumeSource:2.11:o flexVolume:*FlexPersistentVolumeSource:2.12:o azureFile:*AzureFilePersistentVolumeSource:2.13:o vsphereVolume:*VsphereVirtualDiskVolumeSource:2.14:o quobyte:*QuobyteVolumeSource:2.15:o azureDisk:*AzureDiskVolumeSource:2.16:o photonPersistentDisk:*PhotonPersistentDiskVolumeSource:2.17:o portworxVolume:*PortworxVolumeSource:2.18:o scaleIO:*ScaleIOPersistentVolumeSource:2.19:o local:*LocalVolumeSource:2.20:o storageos:*StorageOSPersistentVolumeSource:2.21:o csi:*CSIPersistentVolumeSource:2.22:o accessModes:[]@PersistentVolumeAccessMode:3:o;a claimRef:*ObjectReference:4:o;g persistentVolumeReclaimPolicy:@PersistentVolumeReclaimPolicy:5:o storageClassName:s:6:o mountOptions:[]s:7:o;a volumeMode:*@PersistentVolumeMode:8:o nodeAffinity:*VolumeNodeAffinity:9:o volumeAttributesClassName:*s:10:o
PersistentVolumeStatus phase:@PersistentVolumePhase:1:o message:s:2:o reason:s:3:o lastPhaseTransitionTime:*t:4:o
PhotonPersistentDiskVolumeSource pdID:s:1 fsType:s:2:o
Pod apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:PodSpec:2:o status:PodStatus:3:o
PodAffinity requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm:1:o;a preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm:2:o;a
PodAffinityTerm labelSelector:*meta/v1.LabelSelector:1:o namespaces:[]s:2:o;a topologyKey:s:3 namespaceSelector:*meta/v1.LabelSelector:4:o matchLabelKeys:[]s:5:o;a mismatchLabelKeys:[]s:6:o;a
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm:1:o;a preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm:2:o;a
PodCertificateProjection signerName:s:1:o;! keyType:s:2:o;! maxExpirationSeconds:*i:3:o credentialBundlePath:s:4:o keyPath:s:5:o certificateChainPath:s:6:o
PodCondition type:@PodConditionType:1 observedGeneration:l:7:o status:@ConditionStatus:2 lastProbeTime:t:3:o lastTransitionTime:t:4:o reason:s:5:o message:s:6:o
PodDNSConfig nameservers:[]s:1:o;a searches:[]s:2:o;a options:[]PodDNSConfigOption:3:o;a
PodDNSConfigOption name:s:1:o value:*s:2:o
PodExtendedResourceClaimStatus requestMappings:[]ContainerExtendedResourceRequest:1:a resourceClaimName:s:2
PodIP ip:s:1
PodOS name:@OSName:1
PodReadinessGate conditionType:@PodConditionType:1
PodResourceClaim name:s:1 resourceClaimName:*s:3:o resourceClaimTemplateName:*s:4:o
PodResourceClaimStatus name:s:1 resourceClaimName:*s:2:o
PodSchedulingGate name:s:1
PodSecurityContext seLinuxOptions:*SELinuxOptions:1:o windowsOptions:*WindowsSecurityContextOptions:8:o runAsUser:*l:2:o runAsGroup:*l:6:o runAsNonRoot:*b:3:o supplementalGroups:[]l:4:o;a supplementalGroupsPolicy:*@SupplementalGroupsPolicy:12:o fsGroup:*l:5:o sysctls:[]Sysctl:7:o;a fsGroupChangePolicy:*@PodFSGroupChangePolicy:9:o seccompProfile:*SeccompProfile:10:o appArmorProfile:*AppArmorProfile:11:o seLinuxChangePolicy:*@PodSELinuxChangePolicy:13:o
PodSpec volumes:[]Volume:1:o;m=name;k;l=name initContainers:[]Container:20:o;m=name;l=name containers:[]Container:2:m=name;l=name ephemeralContainers:[]EphemeralContainer:34:o;m=name;l=name restartPolicy:@RestartPolicy:3:o terminationGracePeriodSeconds:*l:4:o activeDeadlineSeconds:*l:5:o dnsPolicy:@DNSPolicy:6:o nodeSelector:{}s:7:o;a serviceAccountName:s:8:o serviceAccount:s:9:o automountServiceAccountToken:*b:21:o nodeName:s:10:o hostNetwork:b:11:o hostPID:b:12:o hostIPC:b:13:o shareProcessNamespace:*b:27:o securityContext:*PodSecurityContext:14:o imagePullSecrets:[]LocalObjectReference:15:o;m=name;l=name hostname:s:16:o subdomain:s:17:o affinity:*Affinity:18:o schedulerName:s:19:o tolerations:[]Toleration:22:o;a hostAliases:[]HostAlias:23:o;m=ip;l=ip priorityClassName:s:24:o priority:*i:25:o dnsConfig:*PodDNSConfig:26:o readinessGates:[]PodReadinessGate:28:o;a runtimeClassName:*s:29:o enableServiceLinks:*b:30:o preemptionPolicy:*@PreemptionPolicy:31:o overhead:{}q:32:o topologySpreadConstraints:[]TopologySpreadConstraint:33:o;m=topologyKey;l=topologyKey,whenUnsatisfiable setHostnameAsFQDN:*b:35:o os:*PodOS:36:o hostUsers:*b:37:o schedulingGates:[]PodSchedulingGate:38:o;m=name;l=name resourceClaims:[]PodResourceClaim:39:o;m=name;k;l=name resources:*ResourceRequirements:40:o hostnameOverride:*s:41:o
PodStatus observedGeneration:l:17:o phase:@PodPhase:1:o conditions:[]PodCondition:2:o;m=type;l=type message:s:3:o reason:s:4:o nominatedNodeName:s:11:o hostIP:s:5:o hostIPs:[]HostIP:16:o;m=ip;a podIP:s:6:o podIPs:[]PodIP:12:o;m=ip;l=ip startTime:*t:7:o initContainerStatuses:[]ContainerStatus:10:o;a containerStatuses:[]ContainerStatus:8:o;a qosClass:@PodQOSClass:9:o ephemeralContainerStatuses:[]ContainerStatus:13:o;a resize:@PodResizeStatus:14:o resourceClaimStatuses:[]PodResourceClaimStatus:15:o;m=name;k;l=name extendedResourceClaimStatus:*PodExtendedResourceClaimStatus:18:o
PodStatusResult apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o status:PodStatus:2:o
PodTemplate apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o template:PodTemplateSpec:2:o
PodTemplateSpec metadata:meta/v1.ObjectMeta:1:o spec:PodSpec:2:o
PortStatus port:i:1 protocol:@Protocol:2 error:*s:3:o
PortworxVolumeSource volumeID:s:1 fsType:s:2:o readOnly:b:3:o
PreferredSchedulingTerm weight:i:1 preference:NodeSelectorTerm:2
Probe exec:*ExecAction:1.1:o httpGet:*HTTPGetAction:1.2:o tcpSocket:*TCPSocketAction:1.3:o grpc:*GRPCAction:1.4:o initialDelaySeconds:i:2:o timeoutSeconds:i:3:o periodSeconds:i:4:o successThreshold:i:5:o failureThreshold:i:6:o terminationGracePeriodSeconds:*l:7:o
ProjectedVolumeSource sources:[]VolumeProjection:1:?;a defaultMode:*i:2:o
QuobyteVolumeSource registry:s:1 volume:s:2 readOnly:b:3:o user:s:4:o group:s:5:o tenant:s:6:o
RBDPersistentVolumeSource monitors:[]s:1:a image:s:2 fsType:s:3:o pool:s:4:o;d="rbd" user:s:5:o;d="admin" keyring:s:6:o;d="/etc/ceph/keyring" secretRef:*SecretReference:7:o readOnly:b:8:o
RBDVolumeSource monitors:[]s:1:a image:s:2 fsType:s:3:o pool:s:4:o;d="rbd" user:s:5:o;d="admin" keyring:s:6:o;d="/etc/ceph/keyring" secretRef:*LocalObjectReference:7:o readOnly:b:8:o
RangeAllocation apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o range:s:2 data:y:3
ReplicationController apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:ReplicationControllerSpec:2:o status:ReplicationControllerStatus:3:o
ReplicationControllerCondition type:@ReplicationControllerConditionType:1 status:@ConditionStatus:2 lastTransitionTime:t:3:o reason:s:4:o message:s:5:o
ReplicationControllerSpec replicas:*i:1:o;d=1 minReadySeconds:i:4:o;d=0 selector:{}s:2:o;a template:*PodTemplateSpec:3:o
ReplicationControllerStatus replicas:i:1 fullyLabeledReplicas:i:2:o readyReplicas:i:4:o availableReplicas:i:5:o observedGeneration:l:3:o conditions:[]ReplicationControllerCondition:6:o;m=type;l=type
ResourceClaim name:s:1 request:s:2:o
ResourceFieldSelector~ containerName:s:1:o resource:s:2 divisor:q:3:o
ResourceHealth resourceID:@ResourceID:1 health:@ResourceHealthStatus:2:o
ResourceQuota apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:ResourceQuotaSpec:2:o status:ResourceQuotaStatus:3:o
ResourceQuotaSpec hard:{}q:1:o scopes:[]@ResourceQuotaScope:2:o;a scopeSelector:*ScopeSelector:3:o
ResourceQuotaStatus hard:{}q:1:o used:{}q:2:o
ResourceRequirements limits:{}q:1:o requests:{}q:2:o claims:[]ResourceClaim:3:o;l=name
ResourceStatus name:@ResourceName:1 resources:[]ResourceHealth:2:o;l=resourceID
SELinuxOptions user:s:1:o role:s:2:o type:s:3:o level:s:4:o
ScaleIOPersistentVolumeSource gateway:s:1 system:s:2 secretRef:*SecretReference:3 sslEnabled:b:4:o protectionDomain:s:5:o storagePool:s:6:o storageMode:s:7:o;d="ThinProvisioned" volumeName:s:8:o fsType:s:9:o;d="xfs" readOnly:b:10:o
ScaleIOVolumeSource gateway:s:1 system:s:2 secretRef:*LocalObjectReference:3 sslEnabled:b:4:o protectionDomain:s:5:o storagePool:s:6:o storageMode:s:7:o;d="ThinProvisioned" volumeName:s:8:o fsType:s:9:o;d="xfs" readOnly:b:10:o
ScopeSelector~ matchExpressions:[]ScopedResourceSelectorRequirement:1:o;a
ScopedResourceSelectorRequirement scopeName:@ResourceQuotaScope:1 operator:@ScopeSelectorOperator:2 values:[]s:3:o;a
SeccompProfile type:@SeccompProfileType:1 localhostProfile:*s:2:o
Secret apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o immutable:*b:5:o data:{}y:2:o stringData:{}s:4:o type:@SecretType:3:o
SecretEnvSource name:s:1.1:o;d="" optional:*b:2:o
SecretKeySelector~ name:s:1.1:o;d="" key:s:2 optional:*b:3:o
SecretProjection name:s:1.1:o;d="" items:[]KeyToPath:2:o;a optional:*b:4:o
SecretReference~ name:s:1:o namespace:s:2:o
SecretVolumeSource secretName:s:1:o items:[]KeyToPath:2:o;a defaultMode:*i:3:o optional:*b:4:o
SecurityContext capabilities:*Capabilities:1:o privileged:*b:2:o seLinuxOptions:*SELinuxOptions:3:o windowsOptions:*WindowsSecurityContextOptions:10:o runAsUser:*l:4:o runAsGroup:*l:8:o runAsNonRoot:*b:5:o readOnlyRootFilesystem:*b:6:o allowPrivilegeEscalation:*b:7:o procMount:*@ProcMountType:9:o seccompProfile:*SeccompProfile:11:o appArmorProfile:*AppArmorProfile:12:o
Service apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:ServiceSpec:2:o status:ServiceStatus:3:o
ServiceAccount apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o secrets:[]ObjectReference:2:o;m=name;l=name imagePullSecrets:[]LocalObjectReference:3:o;a automountServiceAccountToken:*b:4:o
ServiceAccountTokenProjection audience:s:1:o expirationSeconds:*l:2:o path:s:3
ServicePort name:s:1:o protocol:@Protocol:2:o;d="TCP" appProtocol:*s:6:o port:i:3 targetPort:x:4:o nodePort:i:5:o
ServiceSpec ports:[]ServicePort:1:o;m=port;l=port,protocol selector:{}s:2:o;a clusterIP:s:3:o clusterIPs:[]s:18:o;a type:@ServiceType:4:o externalIPs:[]s:5:o;a sessionAffinity:@ServiceAffinity:7:o loadBalancerIP:s:8:o loadBalancerSourceRanges:[]s:9:o;a externalName:s:10:o externalTrafficPolicy:@ServiceExternalTrafficPolicy:11:o healthCheckNodePort:i:12:o publishNotReadyAddresses:b:13:o sessionAffinityConfig:*SessionAffinityConfig:14:o ipFamilies:[]@IPFamily:19:o;a ipFamilyPolicy:*@IPFamilyPolicy:17:o allocateLoadBalancerNodePorts:*b:20:o loadBalancerClass:*s:21:o internalTrafficPolicy:*@ServiceInternalTrafficPolicy:22:o trafficDistribution:*s:23:o
ServiceStatus loadBalancer:LoadBalancerStatus:1:o conditions:[]meta/v1.Condition:2:o;m=type;l=type
SessionAffinityConfig clientIP:*ClientIPConfig:1:o
SleepAction seconds:l:1
StorageOSPersistentVolumeSource volumeName:s:1:o volumeNamespace:s:2:o fsType:s:3:o readOnly:b:4:o secretRef:*ObjectReference:5:o
StorageOSVolumeSource volumeName:s:1:o volumeNamespace:s:2:o fsType:s:3:o readOnly:b:4:o secretRef:*LocalObjectReference:5:o
Sysctl name:s:1 value:s:2
TCPSocketAction port:x:1 host:s:2:o
Taint key:s:1 value:s:2:o effect:@TaintEffect:3 timeAdded:*t:4:o
Toleration key:s:1:o operator:@TolerationOperator:2:o value:s:3:o effect:@TaintEffect:4:o tolerationSeconds:*l:5:o
TopologySelectorLabelRequirement key:s:1 values:[]s:2:a
TopologySelectorTerm~ matchLabelExpressions:[]TopologySelectorLabelRequirement:1:o;a
TopologySpreadConstraint maxSkew:i:1 topologyKey:s:2 whenUnsatisfiable:@UnsatisfiableConstraintAction:3 labelSelector:*meta/v1.LabelSelector:4:o minDomains:*i:5:o nodeAffinityPolicy:*@NodeInclusionPolicy:6:o nodeTaintsPolicy:*@NodeInclusionPolicy:7:o matchLabelKeys:[]s:8:o;a
TypedLocalObjectReference~ apiGroup:*s:1:? kind:s:2 name:s:3
TypedObjectReference apiGroup:*s:1:? kind:s:2 name:s:3 namespace:*s:4:o
Volume name:s:1 hostPath:*HostPathVolumeSource:2.1:o emptyDir:*EmptyDirVolumeSource:2.2:o gcePersistentDisk:*GCEPersistentDiskVolumeSource:2.3:o awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource:2.4:o gitRepo:*GitRepoVolumeSource:2.5:o secret:*SecretVolumeSource:2.6:o nfs:*NFSVolumeSource:2.7:o iscsi:*ISCSIVolumeSource:2.8:o glusterfs:*GlusterfsVolumeSource:2.9:o persistentVolumeClaim:*PersistentVolumeClaimVolumeSource:2.10:o rbd:*RBDVolumeSource:2.11:o flexVolume:*FlexVolumeSource:2.12:o cinder:*CinderVolumeSource:2.13:o cephfs:*CephFSVolumeSource:2.14:o flocker:*FlockerVolumeSource:2.15:o downwardAPI:*DownwardAPIVolumeSource:2.16:o fc:*FCVolumeSource:2.17:o azureFile:*AzureFileVolumeSource:2.18:o configMap:*ConfigMapVolumeSource:2.19:o vsphereVolume:*VsphereVirtualDiskVolumeSource:2.20:o quobyte:*QuobyteVolumeSource:2.21:o azureDisk:*AzureDiskVolumeSource:2.22:o photonPersistentDisk:*PhotonPersistentDiskVolumeSource:2.23:o projected:*ProjectedVolumeSource:2.26:o portworxVolume:*PortworxVolumeSource:2.24:o scaleIO:*ScaleIOVolumeSource:2.25:o storageos:*StorageOSVolumeSource:2.27:o csi:*CSIVolumeSource:2.28:o ephemeral:*EphemeralVolumeSource:2.29:o image:*ImageVolumeSource:2.30:o
VolumeDevice name:s:1 devicePath:s:2
VolumeMount name:s:1 readOnly:b:2:o recursiveReadOnly:*@RecursiveReadOnlyMode:7:o mountPath:s:3 subPath:s:4:o mountPropagation:*@MountPropagationMode:5:o subPathExpr:s:6:o
VolumeMountStatus name:s:1 mountPath:s:2 readOnly:b:3:o recursiveReadOnly:*@RecursiveReadOnlyMode:4:o
VolumeNodeAffinity required:*NodeSelector:1:o
VolumeProjection secret:*SecretProjection:1:o downwardAPI:*DownwardAPIProjection:2:o configMap:*ConfigMapProjection:3:o serviceAccountToken:*ServiceAccountTokenProjection:4:o clusterTrustBundle:*ClusterTrustBundleProjection:5:o podCertificate:*PodCertificateProjection:6:o
VolumeResourceRequirements limits:{}q:1:o requests:{}q:2:o
VsphereVirtualDiskVolumeSource volumePath:s:1 fsType:s:2:o storagePolicyName:s:3:o storagePolicyID:s:4:o
WeightedPodAffinityTerm weight:i:1 podAffinityTerm:PodAffinityTerm:2
WindowsSecurityContextOptions gmsaCredentialSpecName:*s:1:o gmsaCredentialSpec:*s:2:o runAsUserName:*s:3:o hostProcess:*b:4:o
`;
