/** Roles and bindings as they are stored (api/rbac/v1, v1.34). */
import type { KubeObject } from '../objects/kube-object.js';
import type { LabelSelector } from '../objects/objects.js';

/** What a role allows. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** What a role is bound to: a user, a group or a service account. */
export interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

/** A cluster role, or a role. */
export interface Role extends KubeObject {
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}
