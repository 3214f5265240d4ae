/** Owners that a request states twice: the first entry counts (dedupOwnerReferencesAndAddWarning of the endpoints, v1.34). */
import { canonicalJson } from '../../api/values/canonical-json.js';
import type { Draft, OwnerReference } from '../../api/objects/objects.js';

const ADVICE =
  'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests';

/** The object with each reference once, and the warning of it; the object itself where none is there twice. */
export function withOwnersOnce(
  draft: Draft,
  when = '',
): { readonly draft: Draft; readonly warnings: readonly string[] } {
  const references = draft.metadata?.ownerReferences;
  if (references === undefined || references.length < 2) return { draft, warnings: [] };
  const met = new Set<string>();
  const repeated: string[] = [];
  const once: OwnerReference[] = [];
  for (const reference of references) {
    const key = canonicalJson(reference);
    if (met.has(key)) repeated.push(reference.uid);
    else once.push(reference);
    met.add(key);
  }
  if (repeated.length === 0) return { draft, warnings: [] };
  const text = `.metadata.ownerReferences contains duplicate entries${when}; ${ADVICE}`;
  return {
    draft: { ...draft, metadata: { ...draft.metadata, ownerReferences: once } },
    warnings: [`${text}; duplicate UID(s) observed: ${repeated.join(', ')}`],
  };
}
