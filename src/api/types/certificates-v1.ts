/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const CERTIFICATES_V1_TYPES = `
CertificateSigningRequest apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:CertificateSigningRequestSpec:2 status:CertificateSigningRequestStatus:3:o
CertificateSigningRequestCondition type:@RequestConditionType:1 status:@ConditionStatus:6 reason:s:2:o message:s:3:o lastUpdateTime:t:4:o lastTransitionTime:t:5:o
CertificateSigningRequestSpec request:y:1:a signerName:s:7 expirationSeconds:*i:8:o usages:[]@KeyUsage:5:o;a username:s:2:o uid:s:3:o groups:[]s:4:o;a extra:{}[]s:6:o
CertificateSigningRequestStatus conditions:[]CertificateSigningRequestCondition:1:o;l=type certificate:y:2:o;a
`;
