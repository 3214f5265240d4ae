/** Parts of configurations of admission as they are stored (admissionregistration.k8s.io, v1.34): defaults are filled in. */
import type { LabelSelector } from '../objects/objects.js';

/** Which requests a rule means. */
export interface OperationRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly scope?: string;
}

/** Which requests are meant. */
export interface RequestMatch {
  readonly resourceRules?: readonly OperationRule[];
  readonly excludeResourceRules?: readonly OperationRule[];
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchPolicy?: string;
}

/** An expression that has a name. */
export interface NamedExpression {
  readonly name?: string;
  readonly expression?: string;
}

/** What a policy asks of an object. */
export interface PolicyValidation {
  readonly expression?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

/** The spec of a ValidatingAdmissionPolicy. */
export interface ValidatingPolicySpec {
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string };
  readonly matchConstraints?: RequestMatch;
  readonly validations?: readonly PolicyValidation[];
  readonly failurePolicy?: string;
  readonly auditAnnotations?: readonly { readonly key?: string; readonly valueExpression?: string }[];
  readonly matchConditions?: readonly NamedExpression[];
  readonly variables?: readonly NamedExpression[];
}

/** Which objects are the parameters of a policy. */
export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction?: string;
}

/** The spec of a binding. */
export interface PolicyBindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: RequestMatch;
  readonly validationActions?: readonly string[];
}

/** A change that a policy makes. */
export interface PolicyMutation {
  readonly patchType?: string;
  readonly applyConfiguration?: { readonly expression?: string };
  readonly jsonPatch?: { readonly expression?: string };
}

/** The spec of a MutatingAdmissionPolicy. */
export interface MutatingPolicySpec extends Omit<ValidatingPolicySpec, 'validations' | 'auditAnnotations'> {
  readonly mutations?: readonly PolicyMutation[];
  readonly reinvocationPolicy?: string;
}

/** One webhook of a configuration. */
export interface StoredWebhook extends Omit<RequestMatch, 'resourceRules' | 'excludeResourceRules'> {
  readonly name: string;
  readonly clientConfig: {
    readonly url?: string;
    readonly service?: {
      readonly namespace: string;
      readonly name: string;
      readonly path?: string;
      readonly port?: number;
    };
    readonly caBundle?: string;
  };
  readonly rules?: readonly OperationRule[];
  readonly failurePolicy?: string;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: readonly NamedExpression[];
  readonly reinvocationPolicy?: string;
}
