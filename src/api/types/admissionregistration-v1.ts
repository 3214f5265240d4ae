/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const ADMISSIONREGISTRATION_V1_TYPES = `
AuditAnnotation key:s:1 valueExpression:s:2
ExpressionWarning fieldRef:s:2 warning:s:3
MatchCondition name:s:1 expression:s:2
MatchResources~ namespaceSelector:*meta/v1.LabelSelector:1:o objectSelector:*meta/v1.LabelSelector:2:o resourceRules:[]NamedRuleWithOperations:3:o;a excludeResourceRules:[]NamedRuleWithOperations:4:o;a matchPolicy:*@MatchPolicyType:7:o
MutatingWebhook name:s:1 clientConfig:WebhookClientConfig:2 rules:[]RuleWithOperations:3:o;a failurePolicy:*@FailurePolicyType:4:o matchPolicy:*@MatchPolicyType:9:o namespaceSelector:*meta/v1.LabelSelector:5:o objectSelector:*meta/v1.LabelSelector:11:o sideEffects:*@SideEffectClass:6 timeoutSeconds:*i:7:o admissionReviewVersions:[]s:8:a reinvocationPolicy:*@ReinvocationPolicyType:10:o matchConditions:[]MatchCondition:12:o;m=name;l=name
MutatingWebhookConfiguration apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o webhooks:[]MutatingWebhook:2:o;m=name;l=name
NamedRuleWithOperations~ resourceNames:[]s:1:o;a operations:[]@OperationType:2.1:o;a apiGroups:[]s:2.2.1:o;a apiVersions:[]s:2.2.2:o;a resources:[]s:2.2.3:o;a scope:*@ScopeType:2.2.4:o
ParamKind~ apiVersion:s:1:o kind:s:2:o
ParamRef~ name:s:1:o namespace:s:2:o selector:*meta/v1.LabelSelector:3:o parameterNotFoundAction:*@ParameterNotFoundActionType:4:o
RuleWithOperations operations:[]@OperationType:1:o;a apiGroups:[]s:2.1:o;a apiVersions:[]s:2.2:o;a resources:[]s:2.3:o;a scope:*@ScopeType:2.4:o
ServiceReference namespace:s:1 name:s:2 path:*s:3:o port:*i:4:o
TypeChecking expressionWarnings:[]ExpressionWarning:1:o;a
ValidatingAdmissionPolicy apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:ValidatingAdmissionPolicySpec:2:o status:ValidatingAdmissionPolicyStatus:3:o
ValidatingAdmissionPolicyBinding apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:ValidatingAdmissionPolicyBindingSpec:2:o
ValidatingAdmissionPolicyBindingSpec policyName:s:1:o paramRef:*ParamRef:2:o matchResources:*MatchResources:3:o validationActions:[]@ValidationAction:4:o;s
ValidatingAdmissionPolicySpec paramKind:*ParamKind:1:o matchConstraints:*MatchResources:2:o validations:[]Validation:3:o;a failurePolicy:*@FailurePolicyType:4:o auditAnnotations:[]AuditAnnotation:5:o;a matchConditions:[]MatchCondition:6:o;m=name;l=name variables:[]Variable:7:o;m=name;l=name
ValidatingAdmissionPolicyStatus observedGeneration:l:1:o typeChecking:*TypeChecking:2:o conditions:[]meta/v1.Condition:3:o;l=type
ValidatingWebhook name:s:1 clientConfig:WebhookClientConfig:2 rules:[]RuleWithOperations:3:o;a failurePolicy:*@FailurePolicyType:4:o matchPolicy:*@MatchPolicyType:9:o namespaceSelector:*meta/v1.LabelSelector:5:o objectSelector:*meta/v1.LabelSelector:10:o sideEffects:*@SideEffectClass:6 timeoutSeconds:*i:7:o admissionReviewVersions:[]s:8:a matchConditions:[]MatchCondition:11:o;m=name;l=name
ValidatingWebhookConfiguration apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o webhooks:[]ValidatingWebhook:2:o;m=name;l=name
Validation expression:s:1 message:s:2:o reason:*@StatusReason:3:o messageExpression:s:4:o
Variable~ name:s:1 expression:s:2
WebhookClientConfig url:*s:3:o service:*ServiceReference:1:o caBundle:y:2:o
`;
