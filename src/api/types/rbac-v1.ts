/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const RBAC_V1_TYPES = `
AggregationRule clusterRoleSelectors:[]meta/v1.LabelSelector:1:o;a
ClusterRole apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o rules:[]PolicyRule:2:?;a aggregationRule:*AggregationRule:3:o
ClusterRoleBinding apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o subjects:[]Subject:2:o;a roleRef:RoleRef:3
PolicyRule verbs:[]s:1:a apiGroups:[]s:2:o;a resources:[]s:3:o;a resourceNames:[]s:4:o;a nonResourceURLs:[]s:5:o;a
Role apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o rules:[]PolicyRule:2:?;a
RoleBinding apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o subjects:[]Subject:2:o;a roleRef:RoleRef:3
RoleRef~ apiGroup:s:1 kind:s:2 name:s:3
Subject~ kind:s:1 apiGroup:s:2:o name:s:3 namespace:s:4:o
`;
