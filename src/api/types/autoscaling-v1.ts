/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const AUTOSCALING_V1_TYPES = `
CrossVersionObjectReference~ kind:s:1 name:s:2 apiVersion:s:3:o
HorizontalPodAutoscaler apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:HorizontalPodAutoscalerSpec:2:o status:HorizontalPodAutoscalerStatus:3:o
HorizontalPodAutoscalerSpec scaleTargetRef:CrossVersionObjectReference:1 minReplicas:*i:2:o maxReplicas:i:3 targetCPUUtilizationPercentage:*i:4:o
HorizontalPodAutoscalerStatus observedGeneration:*l:1:o lastScaleTime:*t:2:o currentReplicas:i:3 desiredReplicas:i:4 currentCPUUtilizationPercentage:*i:5:o
Scale apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:ScaleSpec:2:o status:ScaleStatus:3:o
ScaleSpec replicas:i:1:o;d=0
ScaleStatus replicas:i:1 selector:s:2:o
`;
