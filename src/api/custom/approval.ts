/** Groups of Kubernetes' own community, whose definitions say who approved of them (apiextensions-apiserver's apihelpers, v1.34). */
import { quoted } from '../go/go-json.js';
import type { Definition, DefinitionCondition } from './definition.js';

/** The annotation by which they say it. */
export const APPROVAL = 'api-approved.kubernetes.io';
const PROTECTED = /(?:^|\.)(?:k8s|kubernetes)\.io$/;
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';

/** What is said of an approval; `reason` as the condition of a definition has it. */
export interface Approval {
  readonly isApproved: boolean;
  readonly reason: 'MissingAnnotation' | 'UnapprovedAnnotation' | 'ApprovedAnnotation' | 'InvalidAnnotation';
  readonly message: string;
}

/** The approval of a definition; undefined for a group that needs none. */
export function approvalOf({ metadata, spec }: Pick<Definition, 'metadata' | 'spec'>): Approval | undefined {
  if (!PROTECTED.test(spec.group)) return undefined;
  const annotation = metadata.annotations?.[APPROVAL] ?? '';
  const must = `protected groups must have approval annotation "${APPROVAL}"`;
  if (annotation === '') return { isApproved: false, reason: 'MissingAnnotation', message: `${must}, ${SEE}` };
  if (annotation.startsWith('unapproved')) {
    return { isApproved: false, reason: 'UnapprovedAnnotation', message: `not approved: ${quoted(annotation)}` };
  }
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]/.test(annotation)) {
    return { isApproved: true, reason: 'ApprovedAnnotation', message: `approved in ${annotation}` };
  }
  const form = 'with either a URL or a reason starting with "unapproved"';
  return { isApproved: false, reason: 'InvalidAnnotation', message: `${must} ${form}, ${SEE}` };
}

/** What the status of a definition says of its approval. */
export function approvalCondition(definition: Definition): DefinitionCondition | undefined {
  const approval = approvalOf(definition);
  if (approval === undefined) return undefined;
  const { isApproved, reason, message } = approval;
  return { type: 'KubernetesAPIApprovalPolicyConformant', status: isApproved ? 'True' : 'False', reason, message };
}
