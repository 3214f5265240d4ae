/**
 * The kinds of admissionregistration.k8s.io that v1.34 has as betas and alphas (staging/src/k8s.io/api), in the form
 * that type-facts.ts reads.
 */
export const ADMISSIONREGISTRATION_V1BETA1_TYPES = `
ApplyConfiguration expression:s:1:o
JSONPatch expression:s:1:o
MatchCondition name:s:1 expression:s:2
MatchResources~ namespaceSelector:*meta/v1.LabelSelector:1:o objectSelector:*meta/v1.LabelSelector:2:o resourceRules:[]NamedRuleWithOperations:3:o;a excludeResourceRules:[]NamedRuleWithOperations:4:o;a matchPolicy:*@MatchPolicyType:7:o
MutatingAdmissionPolicy apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:MutatingAdmissionPolicySpec:2:o
MutatingAdmissionPolicyBinding apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:MutatingAdmissionPolicyBindingSpec:2:o
MutatingAdmissionPolicyBindingSpec policyName:s:1:o paramRef:*ParamRef:2:o matchResources:*MatchResources:3:o
MutatingAdmissionPolicySpec paramKind:*ParamKind:1:o matchConstraints:*MatchResources:2:o variables:[]Variable:3:o;a mutations:[]Mutation:4:o;a failurePolicy:*@FailurePolicyType:5:o matchConditions:[]MatchCondition:6:o;m=name;l=name reinvocationPolicy:@ReinvocationPolicyType:7:o
Mutation patchType:@PatchType:2 applyConfiguration:*ApplyConfiguration:3:o jsonPatch:*JSONPatch:4:o
NamedRuleWithOperations~ resourceNames:[]s:1:o;a operations:[]@OperationType:2.1:o;a apiGroups:[]s:2.2.1:o;a apiVersions:[]s:2.2.2:o;a resources:[]s:2.2.3:o;a scope:*@ScopeType:2.2.4:o
ParamKind~ apiVersion:s:1:o kind:s:2:o
ParamRef~ name:s:1:o namespace:s:2:o selector:*meta/v1.LabelSelector:3:o parameterNotFoundAction:*@ParameterNotFoundActionType:4:o
Variable~ name:s:1 expression:s:2
`;

/** As in the beta, but that a variable is owned by its fields. */
export const ADMISSIONREGISTRATION_V1ALPHA1_TYPES = ADMISSIONREGISTRATION_V1BETA1_TYPES.replace(
  'Variable~',
  'Variable',
);
