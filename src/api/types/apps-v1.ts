/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const APPS_V1_TYPES = `
ControllerRevision apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o data:r:2:o revision:l:3
DaemonSet apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:DaemonSetSpec:2:o status:DaemonSetStatus:3:o
DaemonSetCondition type:@DaemonSetConditionType:1 status:@ConditionStatus:2 lastTransitionTime:t:3:o reason:s:4:o message:s:5:o
DaemonSetSpec selector:*meta/v1.LabelSelector:1 template:core/v1.PodTemplateSpec:2 updateStrategy:DaemonSetUpdateStrategy:3:o minReadySeconds:i:4:o revisionHistoryLimit:*i:6:o
DaemonSetStatus currentNumberScheduled:i:1 numberMisscheduled:i:2 desiredNumberScheduled:i:3 numberReady:i:4 observedGeneration:l:5:o updatedNumberScheduled:i:6:o numberAvailable:i:7:o numberUnavailable:i:8:o collisionCount:*i:9:o conditions:[]DaemonSetCondition:10:o;m=type;l=type
DaemonSetUpdateStrategy type:@DaemonSetUpdateStrategyType:1:o rollingUpdate:*RollingUpdateDaemonSet:2:o
Deployment apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:DeploymentSpec:2:o status:DeploymentStatus:3:o
DeploymentCondition type:@DeploymentConditionType:1 status:@ConditionStatus:2 lastUpdateTime:t:6:o lastTransitionTime:t:7:o reason:s:4:o message:s:5:o
DeploymentSpec replicas:*i:1:o selector:*meta/v1.LabelSelector:2 template:core/v1.PodTemplateSpec:3 strategy:DeploymentStrategy:4:o;k minReadySeconds:i:5:o revisionHistoryLimit:*i:6:o paused:b:7:o progressDeadlineSeconds:*i:9:o
DeploymentStatus observedGeneration:l:1:o replicas:i:2:o updatedReplicas:i:3:o readyReplicas:i:7:o availableReplicas:i:4:o unavailableReplicas:i:5:o terminatingReplicas:*i:9:o conditions:[]DeploymentCondition:6:o;m=type;l=type collisionCount:*i:8:o
DeploymentStrategy type:@DeploymentStrategyType:1:o rollingUpdate:*RollingUpdateDeployment:2:o
ReplicaSet apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:ReplicaSetSpec:2:o status:ReplicaSetStatus:3:o
ReplicaSetCondition type:@ReplicaSetConditionType:1 status:@ConditionStatus:2 lastTransitionTime:t:3:o reason:s:4:o message:s:5:o
ReplicaSetSpec replicas:*i:1:o minReadySeconds:i:4:o selector:*meta/v1.LabelSelector:2 template:core/v1.PodTemplateSpec:3:o
ReplicaSetStatus replicas:i:1 fullyLabeledReplicas:i:2:o readyReplicas:i:4:o availableReplicas:i:5:o terminatingReplicas:*i:7:o observedGeneration:l:3:o conditions:[]ReplicaSetCondition:6:o;m=type;l=type
RollingUpdateDaemonSet maxUnavailable:*x:1:o maxSurge:*x:2:o
RollingUpdateDeployment maxUnavailable:*x:1:o maxSurge:*x:2:o
RollingUpdateStatefulSetStrategy partition:*i:1:o maxUnavailable:*x:2:o
StatefulSet apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:StatefulSetSpec:2:o status:StatefulSetStatus:3:o
StatefulSetCondition type:@StatefulSetConditionType:1 status:@ConditionStatus:2 lastTransitionTime:t:3:o reason:s:4:o message:s:5:o
StatefulSetOrdinals start:i:1:?
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:@PersistentVolumeClaimRetentionPolicyType:1:o whenScaled:@PersistentVolumeClaimRetentionPolicyType:2:o
StatefulSetSpec replicas:*i:1:o selector:*meta/v1.LabelSelector:2 template:core/v1.PodTemplateSpec:3 volumeClaimTemplates:[]core/v1.PersistentVolumeClaim:4:o;a serviceName:s:5:? podManagementPolicy:@PodManagementPolicyType:6:o updateStrategy:StatefulSetUpdateStrategy:7:o revisionHistoryLimit:*i:8:o minReadySeconds:i:9:o persistentVolumeClaimRetentionPolicy:*StatefulSetPersistentVolumeClaimRetentionPolicy:10:o ordinals:*StatefulSetOrdinals:11:o
StatefulSetStatus observedGeneration:l:1:o replicas:i:2 readyReplicas:i:3:o currentReplicas:i:4:o updatedReplicas:i:5:o currentRevision:s:6:o updateRevision:s:7:o collisionCount:*i:9:o conditions:[]StatefulSetCondition:10:o;m=type;l=type availableReplicas:i:11:?
StatefulSetUpdateStrategy type:@StatefulSetUpdateStrategyType:1:o rollingUpdate:*RollingUpdateStatefulSetStrategy:2:o
`;
