/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const BATCH_V1_TYPES = `
CronJob apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:CronJobSpec:2:o status:CronJobStatus:3:o
CronJobSpec schedule:s:1 timeZone:*s:8:o startingDeadlineSeconds:*l:2:o concurrencyPolicy:@ConcurrencyPolicy:3:o suspend:*b:4:o jobTemplate:JobTemplateSpec:5 successfulJobsHistoryLimit:*i:6:o failedJobsHistoryLimit:*i:7:o
CronJobStatus active:[]core/v1.ObjectReference:1:o;a lastScheduleTime:*t:4:o lastSuccessfulTime:*t:5:o
Job apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:JobSpec:2:o status:JobStatus:3:o
JobCondition type:@JobConditionType:1 status:@ConditionStatus:2 lastProbeTime:t:3:o lastTransitionTime:t:4:o reason:s:5:o message:s:6:o
JobSpec parallelism:*i:1:o completions:*i:2:o activeDeadlineSeconds:*l:3:o podFailurePolicy:*PodFailurePolicy:11:o successPolicy:*SuccessPolicy:16:o backoffLimit:*i:7:o backoffLimitPerIndex:*i:12:o maxFailedIndexes:*i:13:o selector:*meta/v1.LabelSelector:4:o manualSelector:*b:5:o template:core/v1.PodTemplateSpec:6 ttlSecondsAfterFinished:*i:8:o completionMode:*@CompletionMode:9:o suspend:*b:10:o podReplacementPolicy:*@PodReplacementPolicy:14:o managedBy:*s:15:o
JobStatus conditions:[]JobCondition:1:o;m=type;a startTime:*t:2:o completionTime:*t:3:o active:i:4:o succeeded:i:5:o failed:i:6:o terminating:*i:11:o completedIndexes:s:7:o failedIndexes:*s:10:o uncountedTerminatedPods:*UncountedTerminatedPods:8:o ready:*i:9:o
JobTemplateSpec metadata:meta/v1.ObjectMeta:1:o spec:JobSpec:2:o
PodFailurePolicy rules:[]PodFailurePolicyRule:1:a
PodFailurePolicyOnExitCodesRequirement containerName:*s:1:o operator:@PodFailurePolicyOnExitCodesOperator:2 values:[]i:3:s
PodFailurePolicyOnPodConditionsPattern type:@PodConditionType:1 status:@ConditionStatus:2
PodFailurePolicyRule action:@PodFailurePolicyAction:1 onExitCodes:*PodFailurePolicyOnExitCodesRequirement:2:o onPodConditions:[]PodFailurePolicyOnPodConditionsPattern:3:o;a
SuccessPolicy rules:[]SuccessPolicyRule:1:a
SuccessPolicyRule succeededIndexes:*s:1:o succeededCount:*i:2:o
UncountedTerminatedPods succeeded:[]@types.UID:1:o;s failed:[]@types.UID:2:o;s
`;
