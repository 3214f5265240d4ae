/** Validation of the claims of devices that a pod names, and of the use that its containers make of them (v1.34). */
import { duplicate, invalid, invalidEach, joinedErrors, notFound, required } from '../../errors/field-errors.js';
import { asGo } from '../../go/go-json.js';
import type { PodSpec } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { dns1123Label, dns1123Subdomain } from '../../values/names.js';

/** What a client may have written of a claim. */
interface NamedClaim {
  readonly name?: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

/** What a container says of a claim that it uses. */
interface ClaimUse {
  readonly name?: string;
  readonly request?: string;
}

const NO_ERRORS: readonly FieldError[] = Object.freeze([]);

/** The claims that a pod names. */
export function validateClaims(claims: readonly NamedClaim[], field: string): FieldError[] {
  const names = new Set<string>();
  return claims.flatMap((claim, index) => {
    const { name = '', resourceClaimName, resourceClaimTemplateName } = claim;
    const own = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(`${own}.name`));
    else if (names.has(name)) errors.push(duplicate(`${own}.name`, name));
    else errors.push(...invalidEach(`${own}.name`, name, dns1123Label(name)));
    names.add(name);
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      const text = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
      errors.push(invalid(own, asGo('PodResourceClaim', claim), text));
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      const text = 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
      errors.push(invalid(own, asGo('PodResourceClaim', claim), text));
    }
    for (const part of ['resourceClaimName', 'resourceClaimTemplateName'] as const) {
      const given = claim[part];
      if (given !== undefined) errors.push(...invalidEach(`${own}.${part}`, given, dns1123Subdomain(given)));
    }
    return errors;
  });
}

/** What containers use must be among the pod's claims. */
export function validateClaimsUsed(spec: PodSpec, field: string): readonly FieldError[] {
  const names = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  return joinedErrors(
    ...(['containers', 'initContainers'] as const).map((list) =>
      (spec[list] ?? []).flatMap(({ resources }, index) =>
        resources?.claims === undefined
          ? NO_ERRORS
          : validateUses(resources.claims, names, `${field}.${list}[${index}].resources.claims`),
      ),
    ),
  );
}

function validateUses(uses: readonly ClaimUse[], names: ReadonlySet<string>, field: string): FieldError[] {
  const seen = new Set<string>();
  return uses.flatMap(({ name = '', request = '' }, index) => {
    const own = `${field}[${index}]`;
    if (name === '') return [required(own)];
    const errors: FieldError[] = [];
    const key = request === '' ? name : `${name}/${request}`;
    if (seen.has(name) || seen.has(key)) errors.push(duplicate(own, seen.has(name) ? name : key));
    else if (request === '' && [...seen].some((other) => other.startsWith(`${name}/`)))
      errors.push(duplicate(own, name));
    if (request !== '') errors.push(...invalidEach(`${own}.request`, request, dns1123Label(request)));
    seen.add(key);
    if (names.has(name)) return errors;
    const known = names.size === 0 ? ' which is empty' : `: ${[...names].toSorted().join(', ')}`;
    const unknown = notFound(own, name);
    return [
      ...errors,
      { ...unknown, detail: `${unknown.detail}: must be one of the names in pod.spec.resourceClaims${known}` },
    ];
  });
}
