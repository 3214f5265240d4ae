/** DefaultIngressClass (plugin/pkg/admission/network/defaultingressclass, v1.34). */
import type { AnyObject } from '../../api/objects/objects.js';

const DEFAULT_MARK = 'ingressclass.kubernetes.io/is-default-class';
/** By which ingresses named their class before they had a field for it. */
const LEGACY_CLASS = 'kubernetes.io/ingress.class';

/** A new ingress that says nothing of a class gets the default one; of several the newest, then the first by name. */
export function withDefaultIngressClass(ingress: AnyObject, classes: Iterable<AnyObject>): AnyObject {
  const { spec = {} } = ingress as { readonly spec?: { readonly ingressClassName?: string } };
  if (spec.ingressClassName !== undefined || ingress.metadata.annotations?.[LEGACY_CLASS] !== undefined) return ingress;
  let found: AnyObject | undefined;
  for (const each of classes) {
    if (each.metadata.annotations?.[DEFAULT_MARK] !== 'true') continue;
    if (found === undefined || isBefore(each, found)) found = each;
  }
  if (found === undefined) return ingress;
  return { ...ingress, spec: { ...spec, ingressClassName: found.metadata.name } };
}

function isBefore({ metadata: a }: AnyObject, { metadata: b }: AnyObject): boolean {
  if (a.creationTimestamp === b.creationTimestamp) return a.name < b.name;
  return (a.creationTimestamp ?? '') > (b.creationTimestamp ?? '');
}
