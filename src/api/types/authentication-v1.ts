/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const AUTHENTICATION_V1_TYPES = `
BoundObjectReference kind:s:1:o apiVersion:s:2:o name:s:3:o uid:@types.UID:4:o
SelfSubjectReview apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o status:SelfSubjectReviewStatus:2:o
SelfSubjectReviewStatus userInfo:UserInfo:1:o
TokenRequest apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:TokenRequestSpec:2 status:TokenRequestStatus:3:o
TokenRequestSpec audiences:[]s:1:a expirationSeconds:*l:4:? boundObjectRef:*BoundObjectReference:3:?
TokenRequestStatus token:s:1 expirationTimestamp:t:2
TokenReview apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:TokenReviewSpec:2 status:TokenReviewStatus:3:o
TokenReviewSpec token:s:1:o audiences:[]s:2:o;a
TokenReviewStatus authenticated:b:1:o user:UserInfo:2:o audiences:[]s:4:o;a error:s:3:o
UserInfo username:s:1:o uid:s:2:o groups:[]s:3:o;a extra:{}[]s:4:o
`;
