/**
 * What a server serves: the built-in resources, and those of its definitions of custom resources, which come and go.
 * Mirrors apiextensions-apiserver's customresource_discovery_controller.go (v1.34).
 */
import type { CustomKind, CustomVersion } from '../../api/custom/custom-kind.js';
import { isConvertedByWebhook, keptSelector, shownIn } from '../../api/custom/custom-kind.js';
import { compareVersions } from './kube-aware-versions.js';
import type { Draft, Kind } from '../../api/objects/objects.js';
import type { ApiServer } from '../../apiserver/store/server-types.js';
import {
  BUILT_IN,
  resourcesIn,
  SCALE,
  servedBuiltIn,
  storageVersionHash,
  type Served,
  type ServedGroup,
  type ServedResource,
} from '../served-resources.js';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
/** Of a kind that is on its way out. */
const LAST_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch'];
const STATUS = { name: 'status', verbs: ['get', 'patch', 'update'] };

/** What was served last, and what it followed from. */
interface KnownServed {
  readonly kinds: readonly CustomKind[];
  readonly builtIn: Served;
  readonly served: Served;
}

const known = new WeakMap<ApiServer, KnownServed>();

/** What a server serves at present. @param builtIn - what it serves without any definition */
export function servedBy(server: ApiServer, builtIn = BUILT_IN): Served {
  const kinds = server.customKinds;
  if (kinds.length === 0) return builtIn;
  const before = known.get(server);
  if (before?.kinds === kinds && before.builtIn === builtIn) return before.served;
  const served = withKinds(builtIn, kinds);
  known.set(server, { kinds, builtIn, served });
  return served;
}

/** The same, for a server beside which a metrics server runs or does not. */
export function servedHere(server: ApiServer, hasMetricsServer: boolean): Served {
  return servedBy(server, servedBuiltIn(hasMetricsServer, server.optionalVersions));
}

function withKinds(builtIn: Served, kinds: readonly CustomKind[]): Served {
  const resources = kinds.flatMap((kind) => kind.custom.versions.map((version) => resourceOf(kind, version)));
  const byGroup = Map.groupBy(resources, ({ group }) => group);
  const names = [...byGroup.keys()].toSorted();
  const own = names.map((name): ServedGroup => {
    const inGroup = byGroup.get(name) ?? [];
    const versions = [...new Set(inGroup.map(({ version }) => version))].toSorted(compareVersions);
    return { name, versions: versions.map((version) => ({ version, resources: resourcesIn(inGroup, version) })) };
  });
  const byPath = new Map(resources.map((each) => [`${each.group}/${each.version}/${each.plural}`, each]));
  const groupVersions = new Set(resources.map(({ group, version }) => `${group}/${version}`));
  return {
    groups: [...builtIn.groups, ...own],
    resource: (group, version, plural) =>
      builtIn.resource(group, version, plural) ?? byPath.get(`${group}/${version}/${plural}`),
    hasGroupVersion: (group, version) =>
      builtIn.hasGroupVersion(group, version) || groupVersions.has(`${group}/${version}`),
  };
}

function resourceOf(kind: CustomKind, version: CustomVersion): ServedResource {
  const { group, plural, singular, shortNames, isNamespaced, custom } = kind;
  const { subresources } = version.defined;
  const isEnding = custom.definition.metadata.deletionTimestamp !== undefined;
  const isStored = version.name === custom.storage.name;
  return {
    group,
    version: version.name,
    plural,
    singular,
    kind: kind.kind,
    isNamespaced,
    shortNames,
    categories: custom.categories,
    verbs: isEnding ? LAST_VERBS : VERBS,
    subresources: [
      ...(subresources?.status === undefined ? [] : [STATUS]),
      ...(subresources?.scale === undefined ? [] : [SCALE]),
    ],
    stored: `${kind.kind}.${group}` as Kind,
    storageVersionHash: storageVersionHash(group, custom.storage.name, kind.kind),
    typeKey: version.typeKey,
    custom: { kind, version },
    ...(isStored && !isConvertedByWebhook(custom)
      ? {}
      : {
          form: {
            shown: (object: object) => shownIn(object, kind, version),
            kept: (draft: object) => draft as Draft,
            keptSelector: (selector: string) => keptSelector(selector, version),
          },
        }),
  };
}
