/** What v1.34 has and does not do unless it is told to, under the names of kube-apiserver's flags. */
import { OPTIONAL_VERSIONS } from '../api/kinds/optional-kinds.js';
import { FLAG, checkedOptions } from './option-checks.js';
import { OptionError } from './option-error.js';

/** Features that can be turned on; all others are as v1.34 has them by default. */
export interface FeatureGates {
  /** Policies that change objects. It needs their API, see {@link RuntimeConfig}. @defaultValue false */
  readonly MutatingAdmissionPolicy?: boolean;
}

/** Versions of APIs that can be turned on. */
export interface RuntimeConfig {
  /** MutatingAdmissionPolicy and MutatingAdmissionPolicyBinding. @defaultValue false */
  readonly 'admissionregistration.k8s.io/v1beta1'?: boolean;
  /** The same in an older version. @defaultValue false */
  readonly 'admissionregistration.k8s.io/v1alpha1'?: boolean;
}

/** As checked. */
export interface ResolvedFeatures {
  /** The versions that are turned on. */
  readonly versions: readonly string[];
  readonly hasMutatingPolicies: boolean;
}

const GATES = { MutatingAdmissionPolicy: FLAG };
const VERSIONS = Object.fromEntries(OPTIONAL_VERSIONS.map((version) => [version, FLAG]));
const POLICIES = 'admissionregistration.k8s.io/v1beta1';

/**
 * @param brought - what objects that a cluster is taken over with show to have been on
 * @throws OptionError
 */
export function featuresOf(
  gates: FeatureGates | undefined,
  config: RuntimeConfig | undefined,
  brought: ResolvedFeatures,
): ResolvedFeatures {
  const { MutatingAdmissionPolicy } = checkedOptions('featureGates.', gates ?? {}, GATES);
  const stated = checkedOptions('runtimeConfig.', config ?? {}, VERSIONS);
  const versions = OPTIONAL_VERSIONS.filter(
    (version) => stated[version as keyof RuntimeConfig] ?? brought.versions.includes(version),
  );
  const isServed = versions.includes(POLICIES);
  // A server that is to do without finds no policies, and takes no requests.
  if (MutatingAdmissionPolicy === true && !isServed) {
    throw new OptionError(
      'featureGates.MutatingAdmissionPolicy',
      `false unless runtimeConfig has ${POLICIES}: true`,
      true,
    );
  }
  return { versions, hasMutatingPolicies: MutatingAdmissionPolicy ?? (isServed && brought.hasMutatingPolicies) };
}
