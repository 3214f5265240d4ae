/**
 * What v1.34 has and serves only where it is told to (`--runtime-config`): versions that are off, and the kinds that
 * no other version has. A server that does not serve a kind does not keep it either.
 */
import type { Kind } from '../objects/objects.js';
import { kindRegistry } from './registry.js';

/** By version: its kinds. */
const OPTIONAL: ReadonlyMap<string, readonly Kind[]> = new Map([
  ['admissionregistration.k8s.io/v1alpha1', ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding']],
  ['admissionregistration.k8s.io/v1beta1', ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding']],
]);

/** The versions that are off unless they are turned on. */
export const OPTIONAL_VERSIONS: readonly string[] = [...OPTIONAL.keys()];

/** Names of the kinds that every server keeps. */
export const USUAL_KINDS: readonly Kind[] = (Object.keys(kindRegistry) as Kind[]).filter(
  (kind) => !isOptionalKind(kind),
);

/** Whether a server keeps a kind only where a version of it is turned on. */
export function isOptionalKind(kind: string): boolean {
  return [...OPTIONAL.values()].some((kinds) => (kinds as readonly string[]).includes(kind));
}

/** Whether a version is off unless it is turned on. */
export function isOptionalVersion(group: string, version: string): boolean {
  return OPTIONAL.has(`${group}/${version}`);
}

/** The kinds that these versions bring. */
export function kindsIn(versions: Iterable<string>): readonly Kind[] {
  return [...new Set([...versions].flatMap((version) => OPTIONAL.get(version) ?? []))];
}
