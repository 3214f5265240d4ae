/** What is refused of the kinds on which nothing acts, by kind; a kind without an entry refuses nothing of its own. */
import type { PlainKind } from '../../objects/plain-kinds.js';
import { apiServiceRules } from './validation/api-service.js';
import { attributesClassRules } from './validation/attributes-class.js';
import { autoscalerRules } from './validation/autoscaling.js';
import { definitionRules } from './validation/definitions.js';
import { signingRequestRules } from './validation/certificates.js';
import { ingressClassRules, ingressRules } from './validation/ingress.js';
import { flowSchemaRules, priorityLevelRules } from './validation/flow-control.js';
import { limitRangeRules, quotaRules } from './validation/limits.js';
import { addressRules, networkPolicyRules, rangesRules } from './validation/networking.js';
import type { PlainRules } from './validation/plain-rules.js';
import { podTemplateRules } from './validation/pod-template.js';
import { clusterRoleBindingRules, clusterRoleRules, roleBindingRules, roleRules } from './validation/rbac.js';
import {
  mutatingBindingRules,
  mutatingPolicyRules,
  validatingBindingRules,
  validatingPolicyRules,
  webhookRules,
} from './validation/webhooks.js';

/** See the file header. */
export const PLAIN_VALIDATION: Readonly<Partial<Record<PlainKind, PlainRules>>> = {
  LimitRange: limitRangeRules,
  PodTemplate: podTemplateRules,
  ResourceQuota: quotaRules,
  HorizontalPodAutoscaler: autoscalerRules,
  CertificateSigningRequest: signingRequestRules,
  IngressClass: ingressClassRules,
  Ingress: ingressRules,
  IPAddress: addressRules,
  NetworkPolicy: networkPolicyRules,
  ServiceCIDR: rangesRules,
  ClusterRoleBinding: clusterRoleBindingRules,
  ClusterRole: clusterRoleRules,
  RoleBinding: roleBindingRules,
  Role: roleRules,
  VolumeAttributesClass: attributesClassRules,
  MutatingAdmissionPolicy: mutatingPolicyRules,
  MutatingAdmissionPolicyBinding: mutatingBindingRules,
  MutatingWebhookConfiguration: webhookRules,
  ValidatingWebhookConfiguration: webhookRules,
  ValidatingAdmissionPolicy: validatingPolicyRules,
  ValidatingAdmissionPolicyBinding: validatingBindingRules,
  CustomResourceDefinition: definitionRules,
  APIService: apiServiceRules,
  FlowSchema: flowSchemaRules,
  PriorityLevelConfiguration: priorityLevelRules,
};
