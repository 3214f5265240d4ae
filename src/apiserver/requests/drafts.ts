/** What a client sends becomes an object of its kind: decoded, defaulted, named. */
import { decodeDraft, unknownPathText } from '../../api/decoding/decode.js';
import type { Draft, Kind, KindMap } from '../../api/objects/objects.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';
import { isCustomKind } from '../../api/custom/custom-kind.js';
import type { FieldManager } from '../store/server-types.js';
import type { Shelf } from '../store/store.js';
import { generatedName, initialGeneration, newMetadata } from './metadata.js';

/**
 * A draft in its own version, with what its kind defaults.
 *
 * @param manager - what the server has applied keeps its nulls; a custom resource that it leaves as it was is not
 *   defaulted anew
 */
export function decodedDraft<K extends Kind>(
  resource: ResourceKind<K>,
  draft: Draft,
  {
    stored,
    manager: { applied, isNothingApplied = false } = {},
    warn,
  }: {
    readonly stored: KindMap[K] | undefined;
    readonly manager: Pick<FieldManager, 'applied' | 'isNothingApplied'> | undefined;
    readonly warn: ((warning: string) => void) | undefined;
  },
): Draft {
  if (isNothingApplied && isCustomKind(resource)) return draft;
  const decoded =
    resource.decode === undefined
      ? decodeDraft(resource, draft, warn, resource.storedAs === 'Pod' ? undefined : stored)
      : resource.decode(draft, warn && ((path) => warn(unknownPathText(path))), applied !== undefined);
  return resource.applyDefaults(decoded);
}

/** Where names, uids and times come from. */
interface Sources {
  readonly nameSuffix: () => string;
  readonly uid: () => string;
  readonly present: () => string;
}

/** The draft as an object of its kind, with the metadata that the server sets. */
export function namedObject<K extends Kind>(
  { resource, table }: Shelf<K>,
  draft: Draft,
  { nameSuffix, uid, present }: Sources,
): KindMap[K] {
  const { kind, group, version, isNamespaced } = resource;
  const meta = draft.metadata ?? {};
  const namespace = isNamespaced ? meta.namespace || 'default' : undefined;
  const isFree = (name: string): boolean => table.get(namespace, name) === undefined;
  const metadata = newMetadata(meta, {
    name: meta.name || generatedName(meta.generateName, nameSuffix, isFree),
    namespace,
    uid: uid(),
    creationTimestamp: present(),
    generation: initialGeneration(resource.generation, meta),
  });
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return { apiVersion, kind, ...draft, metadata } as unknown as KindMap[K];
}
