/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const SCHEDULING_V1_TYPES = `
PriorityClass apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o value:i:2 globalDefault:b:3:o description:s:4:o preemptionPolicy:*@PreemptionPolicy:5:o
`;
