/** What is turned on beyond what Kubernetes does by default, as kube-apiserver's flags of these names take it. */
import type { FeatureGates, RuntimeConfig } from '../../index.js';
import { UsageError } from './usage-error.js';

/** The two options. */
export interface FeatureFlags {
  readonly featureGates?: FeatureGates;
  readonly runtimeConfig?: RuntimeConfig;
}

const GATES = ['MutatingAdmissionPolicy'] as const satisfies readonly (keyof FeatureGates)[];
const POLICIES = 'admissionregistration.k8s.io/v1beta1';
const VERSIONS = [
  POLICIES,
  'admissionregistration.k8s.io/v1alpha1',
] as const satisfies readonly (keyof RuntimeConfig)[];

/** Reads `--feature-gates`. */
export function featureGatesFlag(text: string): FeatureGates {
  return settingsOf('--feature-gates', text, GATES);
}

/** Reads `--runtime-config`, where a version alone is one that is turned on. */
export function runtimeConfigFlag(text: string): RuntimeConfig {
  const stated = text
    .split(',')
    .map((each) => (each.includes('=') ? each : `${each}=true`))
    .join(',');
  return settingsOf('--runtime-config', stated, VERSIONS);
}

function settingsOf<Name extends string>(
  flag: string,
  text: string,
  names: readonly Name[],
): Readonly<Partial<Record<Name, boolean>>> {
  const entries = text.split(',').map((each): readonly [string, boolean] => {
    const [name, value, ...rest] = each.trim().split('=');
    const known = names.find((own) => own === name);
    if (known !== undefined && (value === 'true' || value === 'false') && rest.length === 0) {
      return [known, value === 'true'];
    }
    const form = names.map((own) => `${own}=true|false`).join(', ');
    throw new UsageError(`${flag} must be among ${form}, several with commas, got ${JSON.stringify(each)}`);
  });
  return Object.fromEntries(entries) as Partial<Record<Name, boolean>>;
}

/** The options of a cluster. @throws UsageError */
export function featuresIn({ featureGates, runtimeConfig }: FeatureFlags): FeatureFlags {
  if (featureGates?.MutatingAdmissionPolicy === true && runtimeConfig?.[POLICIES] !== true) {
    throw new UsageError(`--feature-gates MutatingAdmissionPolicy=true needs --runtime-config ${POLICIES}=true`);
  }
  return {
    ...(featureGates === undefined ? {} : { featureGates }),
    ...(runtimeConfig === undefined ? {} : { runtimeConfig }),
  };
}

/** The versions that are turned on. */
export function versionsIn({ runtimeConfig = {} }: FeatureFlags): readonly string[] {
  return VERSIONS.filter((version) => runtimeConfig[version] === true);
}
