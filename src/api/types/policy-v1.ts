/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const POLICY_V1_TYPES = `
Eviction apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o deleteOptions:*meta/v1.DeleteOptions:2:o
PodDisruptionBudget apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:PodDisruptionBudgetSpec:2:o status:PodDisruptionBudgetStatus:3:o
PodDisruptionBudgetSpec minAvailable:*x:1:o selector:*meta/v1.LabelSelector:2:o maxUnavailable:*x:3:o unhealthyPodEvictionPolicy:*@UnhealthyPodEvictionPolicyType:4:o
PodDisruptionBudgetStatus observedGeneration:l:1:o disruptedPods:{}t:2:o disruptionsAllowed:i:3 currentHealthy:i:4 desiredHealthy:i:5 expectedPods:i:6 conditions:[]meta/v1.Condition:7:o;m=type;l=type
`;
