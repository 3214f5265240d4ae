/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const APIREGISTRATION_V1_TYPES = `
APIService apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:APIServiceSpec:2:o status:APIServiceStatus:3:o
APIServiceCondition type:@APIServiceConditionType:1 status:@ConditionStatus:2 lastTransitionTime:t:3:o reason:s:4:o message:s:5:o
APIServiceSpec service:*ServiceReference:1:o group:s:2:o version:s:3:o insecureSkipTLSVerify:b:4:o caBundle:y:5:o;a groupPriorityMinimum:i:7 versionPriority:i:8
APIServiceStatus conditions:[]APIServiceCondition:1:o;m=type;l=type
ServiceReference namespace:s:1:o name:s:2:o port:*i:3:o
`;
