/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const COORDINATION_V1_TYPES = `
Lease apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:LeaseSpec:2:o
LeaseSpec holderIdentity:*s:1:o leaseDurationSeconds:*i:2:o acquireTime:*u:3:o renewTime:*u:4:o leaseTransitions:*i:5:o strategy:*@CoordinatedLeaseStrategy:6:o preferredHolder:*s:7:o
`;
