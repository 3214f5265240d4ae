/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const FLOWCONTROL_V1_TYPES = `
ExemptPriorityLevelConfiguration nominalConcurrencyShares:*i:1:o lendablePercent:*i:2:o
FlowDistinguisherMethod type:@FlowDistinguisherMethodType:1
FlowSchema apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:FlowSchemaSpec:2:o status:FlowSchemaStatus:3:o
FlowSchemaCondition type:@FlowSchemaConditionType:1:o status:@ConditionStatus:2:o lastTransitionTime:t:3:o reason:s:4:o message:s:5:o
FlowSchemaSpec priorityLevelConfiguration:PriorityLevelConfigurationReference:1 matchingPrecedence:i:2:? distinguisherMethod:*FlowDistinguisherMethod:3:o rules:[]PolicyRulesWithSubjects:4:o;a
FlowSchemaStatus conditions:[]FlowSchemaCondition:1:o;m=type;l=type
GroupSubject name:s:1
LimitResponse type:@LimitResponseType:1 queuing:*QueuingConfiguration:2:o
LimitedPriorityLevelConfiguration nominalConcurrencyShares:*i:1:? limitResponse:LimitResponse:2:o lendablePercent:*i:3:o borrowingLimitPercent:*i:4:o
NonResourcePolicyRule verbs:[]s:1:s nonResourceURLs:[]s:6:s
PolicyRulesWithSubjects subjects:[]Subject:1:a resourceRules:[]ResourcePolicyRule:2:o;a nonResourceRules:[]NonResourcePolicyRule:3:o;a
PriorityLevelConfiguration apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:PriorityLevelConfigurationSpec:2:o status:PriorityLevelConfigurationStatus:3:o
PriorityLevelConfigurationCondition type:@PriorityLevelConfigurationConditionType:1:o status:@ConditionStatus:2:o lastTransitionTime:t:3:o reason:s:4:o message:s:5:o
PriorityLevelConfigurationReference name:s:1
PriorityLevelConfigurationSpec type:@PriorityLevelEnablement:1 limited:*LimitedPriorityLevelConfiguration:2:o exempt:*ExemptPriorityLevelConfiguration:3:o
PriorityLevelConfigurationStatus conditions:[]PriorityLevelConfigurationCondition:1:o;m=type;l=type
QueuingConfiguration queues:i:1:? handSize:i:2:? queueLengthLimit:i:3:?
ResourcePolicyRule verbs:[]s:1:s apiGroups:[]s:2:s resources:[]s:3:s clusterScope:b:4:o namespaces:[]s:5:?;s
ServiceAccountSubject namespace:s:1 name:s:2
Subject kind:@SubjectKind:1 user:*UserSubject:2:o group:*GroupSubject:3:o serviceAccount:*ServiceAccountSubject:4:o
UserSubject name:s:1
`;
