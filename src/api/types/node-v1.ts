/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const NODE_V1_TYPES = `
Overhead podFixed:{}q:1:o
RuntimeClass apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o handler:s:2 overhead:*Overhead:3:o scheduling:*Scheduling:4:o
Scheduling nodeSelector:{}s:1:o;a tolerations:[]core/v1.Toleration:2:o;a
`;
