/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const AUTHORIZATION_V1_TYPES = `
FieldSelectorAttributes rawSelector:s:1:o requirements:[]meta/v1.FieldSelectorRequirement:2:o;a
LabelSelectorAttributes rawSelector:s:1:o requirements:[]meta/v1.LabelSelectorRequirement:2:o;a
LocalSubjectAccessReview apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:SubjectAccessReviewSpec:2 status:SubjectAccessReviewStatus:3:o
NonResourceAttributes path:s:1:o verb:s:2:o
NonResourceRule verbs:[]s:1:a nonResourceURLs:[]s:2:o;a
ResourceAttributes namespace:s:1:o verb:s:2:o group:s:3:o version:s:4:o resource:s:5:o subresource:s:6:o name:s:7:o fieldSelector:*FieldSelectorAttributes:8:o labelSelector:*LabelSelectorAttributes:9:o
ResourceRule verbs:[]s:1:a apiGroups:[]s:2:o;a resources:[]s:3:o;a resourceNames:[]s:4:o;a
SelfSubjectAccessReview apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:SelfSubjectAccessReviewSpec:2 status:SubjectAccessReviewStatus:3:o
SelfSubjectAccessReviewSpec resourceAttributes:*ResourceAttributes:1:o nonResourceAttributes:*NonResourceAttributes:2:o
SelfSubjectRulesReview apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:SelfSubjectRulesReviewSpec:2 status:SubjectRulesReviewStatus:3:o
SelfSubjectRulesReviewSpec namespace:s:1:o
SubjectAccessReview apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:SubjectAccessReviewSpec:2 status:SubjectAccessReviewStatus:3:o
SubjectAccessReviewSpec resourceAttributes:*ResourceAttributes:1:o nonResourceAttributes:*NonResourceAttributes:2:o user:s:3:o groups:[]s:4:o;a extra:{}[]s:5:o uid:s:6:o
SubjectAccessReviewStatus allowed:b:1 denied:b:4:o reason:s:2:o evaluationError:s:3:o
SubjectRulesReviewStatus resourceRules:[]ResourceRule:1:a nonResourceRules:[]NonResourceRule:2:a incomplete:b:3 evaluationError:s:4:o
`;
