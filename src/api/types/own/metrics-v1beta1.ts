/** The kinds of metrics.k8s.io/v1beta1 (staging/src/k8s.io/metrics, v1.34), in the form that type-facts.ts reads. */
export const METRICS_V1BETA1_TYPES = `
ContainerMetrics name:s:1 usage:{}q:2
NodeMetrics apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o timestamp:t:2 window:s:3 usage:{}q:4
PodMetrics apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o timestamp:t:2 window:s:3 containers:[]ContainerMetrics:4
`;
