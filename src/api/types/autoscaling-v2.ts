/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const AUTOSCALING_V2_TYPES = `
ContainerResourceMetricSource name:@ResourceName:1 target:MetricTarget:2 container:s:3
ContainerResourceMetricStatus name:@ResourceName:1 current:MetricValueStatus:2 container:s:3
CrossVersionObjectReference kind:s:1 name:s:2 apiVersion:s:3:o
ExternalMetricSource metric:MetricIdentifier:1 target:MetricTarget:2
ExternalMetricStatus metric:MetricIdentifier:1 current:MetricValueStatus:2
HPAScalingPolicy type:@HPAScalingPolicyType:1 value:i:2 periodSeconds:i:3
HPAScalingRules stabilizationWindowSeconds:*i:3:o selectPolicy:*@ScalingPolicySelect:1:o policies:[]HPAScalingPolicy:2:o;a tolerance:*q:4:o
HorizontalPodAutoscaler apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:HorizontalPodAutoscalerSpec:2:o status:HorizontalPodAutoscalerStatus:3:o
HorizontalPodAutoscalerBehavior scaleUp:*HPAScalingRules:1:o scaleDown:*HPAScalingRules:2:o
HorizontalPodAutoscalerCondition type:@HorizontalPodAutoscalerConditionType:1 status:@ConditionStatus:2 lastTransitionTime:t:3:o reason:s:4:o message:s:5:o
HorizontalPodAutoscalerSpec scaleTargetRef:CrossVersionObjectReference:1 minReplicas:*i:2:o maxReplicas:i:3 metrics:[]MetricSpec:4:o;a behavior:*HorizontalPodAutoscalerBehavior:5:o
HorizontalPodAutoscalerStatus observedGeneration:*l:1:o lastScaleTime:*t:2:o currentReplicas:i:3:o desiredReplicas:i:4 currentMetrics:[]MetricStatus:5:?;a conditions:[]HorizontalPodAutoscalerCondition:6:o;m=type;l=type
MetricIdentifier name:s:1 selector:*meta/v1.LabelSelector:2:o
MetricSpec type:@MetricSourceType:1 object:*ObjectMetricSource:2:o pods:*PodsMetricSource:3:o resource:*ResourceMetricSource:4:o containerResource:*ContainerResourceMetricSource:7:o external:*ExternalMetricSource:5:o
MetricStatus type:@MetricSourceType:1 object:*ObjectMetricStatus:2:o pods:*PodsMetricStatus:3:o resource:*ResourceMetricStatus:4:o containerResource:*ContainerResourceMetricStatus:7:o external:*ExternalMetricStatus:5:o
MetricTarget type:@MetricTargetType:1 value:*q:2:o averageValue:*q:3:o averageUtilization:*i:4:o
MetricValueStatus value:*q:1:o averageValue:*q:2:o averageUtilization:*i:3:o
ObjectMetricSource describedObject:CrossVersionObjectReference:1 target:MetricTarget:2 metric:MetricIdentifier:3
ObjectMetricStatus metric:MetricIdentifier:1 current:MetricValueStatus:2 describedObject:CrossVersionObjectReference:3
PodsMetricSource metric:MetricIdentifier:1 target:MetricTarget:2
PodsMetricStatus metric:MetricIdentifier:1 current:MetricValueStatus:2
ResourceMetricSource name:@ResourceName:1 target:MetricTarget:2
ResourceMetricStatus name:@ResourceName:1 current:MetricValueStatus:2
`;
