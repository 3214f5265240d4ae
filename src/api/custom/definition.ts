/** Definitions of custom resources: their parts, and what is defaulted in them (apiextensions.k8s.io/v1, v1.34). */
import type { PlainObject } from '../objects/plain-kinds.js';
import type { Draft } from '../objects/objects.js';
import { isFields, type JsonSchema } from './json-schema.js';

/** Holds a definition until the last object of its kind is gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** The names of a kind. */
export interface DefinedNames {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A column that `kubectl get` shows. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** Where a kind keeps what the subresource scale shows. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** A version of a kind. */
export interface DefinedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema };
  readonly subresources?: { readonly status?: object; readonly scale?: ScalePaths };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** What defines a kind. */
export interface DefinitionSpec {
  readonly group: string;
  readonly names: DefinedNames;
  readonly scope: string;
  readonly versions: readonly DefinedVersion[];
  readonly conversion?: { readonly strategy?: string; readonly webhook?: object };
  readonly preserveUnknownFields?: boolean;
}

/** A condition of a definition. */
export interface DefinitionCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly lastTransitionTime?: string;
  readonly reason: string;
  readonly message: string;
}

/** How far a definition has come. */
export interface DefinitionStatus {
  readonly conditions?: readonly DefinitionCondition[] | null;
  readonly acceptedNames?: DefinedNames;
  readonly storedVersions?: readonly string[];
}

/** A definition as it is stored, or on its way there: what its validation asks for may be missing. */
export interface Definition {
  readonly metadata: PlainObject['metadata'];
  readonly spec: DefinitionSpec;
  readonly status: DefinitionStatus;
}

/** Of a definition that says nothing of versions. */
export const NO_VERSIONS: readonly DefinedVersion[] = [];
const NO_SPEC: DefinitionSpec = { group: '', names: { plural: '', kind: '' }, scope: '', versions: NO_VERSIONS };

/** The parts of a definition; those that are missing are empty. */
export function definitionOf({ metadata, spec, status }: PlainObject): Definition {
  const own = { ...NO_SPEC, ...spec };
  const names = { ...NO_SPEC.names, ...own.names };
  const isWhole = own.versions.every(({ name }) => typeof name === 'string');
  const versions = isWhole ? own.versions : own.versions.map((version) => ({ ...version, name: version.name ?? '' }));
  return { metadata, spec: { ...own, names, versions }, status: status ?? {} };
}

/** Whether a condition of a definition is true. */
export function isCondition({ conditions }: DefinitionStatus, type: string): boolean {
  return conditions?.some((each) => each.type === type && each.status === 'True') === true;
}

/** The version in which objects are stored. */
export function storageVersion({ versions }: DefinitionSpec): DefinedVersion | undefined {
  return versions.find(({ storage }) => storage);
}

/** Names that follow from others, and the conversion that does nothing. */
export function defaultedDefinition(draft: Draft): Draft {
  const { spec } = draft;
  if (!isFields(spec)) return draft;
  const names = isFields(spec['names']) ? spec['names'] : {};
  const { kind } = names;
  const isNamed = typeof kind === 'string' && kind !== '';
  const filled = {
    ...names,
    singular: names['singular'] || (isNamed ? kind.toLowerCase() : names['singular']),
    listKind: names['listKind'] || (isNamed ? `${kind}List` : names['listKind']),
  };
  const conversion = isFields(spec['conversion']) ? withPort(spec['conversion']) : { strategy: 'None' };
  return { ...draft, spec: { ...spec, names: filled, conversion } };
}

/** The webhook of a service is at its port for HTTPS unless it says another one. */
function withPort(conversion: Readonly<Record<string, unknown>>): object {
  const { webhook } = conversion;
  const { clientConfig } = isFields(webhook) ? webhook : {};
  const { service } = isFields(clientConfig) ? clientConfig : {};
  if (!isFields(service) || (service['port'] ?? undefined) !== undefined) return conversion;
  const named = { ...(clientConfig as object), service: { ...service, port: 443 } };
  return { ...conversion, webhook: { ...(webhook as object), clientConfig: named } };
}

/** A new definition has the versions in which objects are stored from now on, and a finalizer. */
export function preparedDefinition(object: PlainObject): PlainObject {
  const { name } = storageVersion(definitionOf(object).spec) ?? {};
  const status: DefinitionStatus = {
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: name === undefined ? [] : [name],
  };
  return { ...object, status };
}

/** A definition whose storage version is another one remembers both. */
export function changedDefinition(next: PlainObject, previous: PlainObject): PlainObject {
  const { name } = storageVersion(definitionOf(next).spec) ?? {};
  const { status } = definitionOf(previous);
  const { storedVersions = [] } = status;
  if (name === undefined || storedVersions.includes(name)) return next;
  return { ...next, status: { ...status, storedVersions: [...storedVersions, name] } };
}
