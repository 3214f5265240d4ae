/**
 * Schemas of OpenAPI documents, out of the facts about types. Descriptions are short ones of our own
 * (`descriptions.ts`). Mirrors what k8s.io/kube-openapi makes of the types of v1.34.
 */
import {
  schemaDefault,
  structFact,
  typeKeyOf,
  zeroOf,
  type FieldFact,
  type TypeRef,
} from '../../api/types/type-facts.js';
import { customSchema, customSchemaName } from '../custom/custom-openapi.js';
import type { ServedResource } from '../served-resources.js';
import { describedField, describedType } from './descriptions.js';
import { enumeration } from './enumerations.js';

export type Json = Readonly<Record<string, unknown>>;
/** The version of OpenAPI. */
export type Form = 'v2' | 'v3';
/** Where schemas are. */
const REFERENCES: Readonly<Record<Form, string>> = { v2: '#/definitions/', v3: '#/components/schemas/' };

/** The schemas that a document refers to. */
export class Schemas {
  readonly #form: Form;
  readonly #made = new Map<string, Json>();

  constructor(form: Form) {
    this.#form = form;
  }

  referenceOf(named: { readonly group: string; readonly version: string; readonly kind: string }): Json {
    const key = typeKeyOf(named);
    if (structFact(key) === undefined) return { type: 'object' };
    const reference = this.reference(key);
    const name = schemaName(key);
    const schema = this.#made.get(name);
    if (schema !== undefined && schema[KIND_MARKS] === undefined) {
      const { group, version, kind } = named;
      this.#made.set(name, { ...schema, [KIND_MARKS]: [{ group, kind, version }] });
    }
    return reference;
  }

  /** Of a kind whose schema a definition has. */
  customReference(resource: ServedResource): Json {
    const name = customSchemaName(resource);
    if (!this.#made.has(name)) {
      this.#made.set(name, customSchema(resource, this.#form, this.#commonProperties()));
    }
    return { $ref: REFERENCES[this.#form] + name };
  }

  /** Of the list of a resource's objects. @param items - the schema of one */
  listReference(resource: ServedResource, items: Json): Json {
    const { group, version, kind, custom } = resource;
    const name = `${custom === undefined ? schemaName(typeKeyOf(resource)) : customSchemaName(resource)}List`;
    const isPlain = this.#form === 'v3' && custom === undefined;
    const metadata = this.reference('meta/v1.ListMeta');
    if (!this.#made.has(name)) {
      this.#made.set(name, {
        description: `Objects of kind ${kind}.`,
        required: ['items'],
        type: 'object',
        properties: {
          apiVersion: describedText('apiVersion'),
          items: {
            ...described(describedField('', 'items')),
            type: 'array',
            items: isPlain ? { allOf: [items], default: {} } : items,
          },
          kind: describedText('kind'),
          metadata: {
            description: LIST_METADATA,
            ...(this.#form === 'v2' ? metadata : { allOf: [metadata], ...(isPlain ? { default: {} } : {}) }),
          },
        },
        [KIND_MARKS]: [{ group, kind: `${kind}List`, version }],
      });
    }
    return { $ref: REFERENCES[this.#form] + name };
  }

  /** Of a type that is no Go struct of an API group. */
  ofMachinery(type: MachineryName): Json {
    const { name, schema } = MACHINERY_TYPES[type];
    if (!this.#made.has(name))
      this.#made.set(
        name,
        schema(this.#form, (needed) => this.ofMachinery(needed)),
      );
    return { $ref: REFERENCES[this.#form] + name };
  }

  #commonProperties(): Json {
    const metadata = this.reference('meta/v1.ObjectMeta');
    return {
      apiVersion: describedText('apiVersion'),
      kind: describedText('kind'),
      metadata: {
        ...described(describedField('', 'metadata')),
        ...(this.#form === 'v2' ? metadata : { allOf: [metadata] }),
      },
    };
  }

  reference(key: string): Json {
    const special = SPECIAL_TYPES[key];
    if (special !== undefined) return this.ofMachinery(special);
    const name = schemaName(key);
    if (!this.#made.has(name)) {
      this.#made.set(name, {});
      this.#made.set(name, this.#schemaOf(key));
    }
    return { $ref: REFERENCES[this.#form] + name };
  }

  all(): Json {
    return Object.fromEntries([...this.#made].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #schemaOf(key: string): Json {
    const fact = structFact(key);
    if (fact === undefined) return { type: 'object' };
    const fields = [...fact.fields.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    const kind = META_KINDS.has(key) ? key.slice(key.indexOf('.') + 1) : undefined;
    return {
      ...described(describedType(key)),
      ...(required.length === 0 ? {} : { required }),
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, this.#fieldSchema(field, key)])),
      ...(kind === undefined ? {} : { [KIND_MARKS]: [{ group: '', kind, version: 'v1' }] }),
      ...(fact.isAtomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    };
  }

  #fieldSchema(field: FieldFact, owner: string): Json {
    const { patch, listKeys, isSet, isAtomic, name } = field;
    const raw = RAW_FIELDS[`${owner}.${name}`];
    const type = raw === undefined ? this.#fieldType(field, owner) : this.#rawSchema(raw, field.type);
    const isList = type['type'] === 'array' || type['format'] === 'byte';
    const strategies = [...(patch.merges ? ['merge'] : []), ...(patch.retainsKeys ? ['retainKeys'] : [])];
    const fallback = schemaDefault(field);
    const marks = {
      ...described(describedField(owner, name)),
      ...(fallback === undefined || this.#form === 'v2' ? {} : { default: fallback }),
      ...(listKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': listKeys, 'x-kubernetes-list-type': 'map' }),
      ...(isSet ? { 'x-kubernetes-list-type': 'set' } : {}),
      ...(isAtomic ? { [isList ? 'x-kubernetes-list-type' : 'x-kubernetes-map-type']: 'atomic' } : {}),
      ...(patch.key === undefined ? {} : { 'x-kubernetes-patch-merge-key': patch.key }),
      ...(strategies.length === 0 ? {} : { 'x-kubernetes-patch-strategy': strategies.join(',') }),
    };
    if (type['$ref'] === undefined || this.#form === 'v2') return { ...type, ...marks };
    return { allOf: [type], ...marks };
  }

  #fieldType({ type, name }: FieldFact, owner: string): Json {
    return withWords(this.#typeSchema(type), enumeration(owner, name));
  }

  #rawSchema(raw: MachineryName, type: TypeRef): Json {
    const reference = this.ofMachinery(raw);
    return type.form === 'list' ? { type: 'array', items: reference } : reference;
  }

  #typeSchema(type: TypeRef): Json {
    if (type.form === 'struct') return this.reference(type.key);
    if (type.form === 'scalar') return this.#scalarSchema(type.code);
    if (type.form === 'pointer') return this.#typeSchema(type.of);
    const items = this.#elementSchema(type.of);
    return type.form === 'list' ? { type: 'array', items } : { type: 'object', additionalProperties: items };
  }

  /** Elements of lists and values of maps are never left out. */
  #elementSchema(type: TypeRef): Json {
    const schema = this.#typeSchema(type);
    const fallback = zeroOf(type);
    if (this.#form === 'v2' || fallback === undefined) return schema;
    return schema['$ref'] === undefined ? { ...schema, default: fallback } : { allOf: [schema], default: fallback };
  }

  /** Types of apimachinery are schemas of their own. */
  #scalarSchema(code: string): Json {
    const named = NAMED_SCALARS[code];
    if (named === undefined) return SCALARS[code] ?? { type: 'object' };
    const [name, schema] = named;
    this.#made.set(name, schema[this.#form]);
    return { $ref: REFERENCES[this.#form] + name };
  }
}

function described(description: string | undefined): Json {
  return description === undefined ? {} : { description };
}

/** A field that is of all kinds. */
function describedText(name: string): Json {
  return { ...described(describedField('', name)), type: 'string' };
}

/** A text, or each text of a list or map, that may only be one of some words. */
function withWords(type: Json, words: readonly string[] | undefined): Json {
  if (words === undefined) return type;
  for (const part of ['items', 'additionalProperties']) {
    const each = type[part];
    if (each !== undefined) return { ...type, [part]: { ...(each as Json), enum: words } };
  }
  return { ...type, enum: words };
}

const SCALARS: Readonly<Partial<Record<string, Json>>> = {
  s: { type: 'string' },
  b: { type: 'boolean' },
  i: { type: 'integer', format: 'int32' },
  l: { type: 'integer', format: 'int64' },
  d: { type: 'number', format: 'double' },
  y: { type: 'string', format: 'byte' },
  r: { type: 'object' },
};
const MACHINERY = 'io.k8s.apimachinery.pkg';
const NUMBER_OR_TEXT = { oneOf: [{ type: 'integer' }, { type: 'string' }] };
const TIME = { type: 'string', format: 'date-time' };
const NAMED_SCALARS: Readonly<Partial<Record<string, readonly [name: string, schema: Readonly<Record<Form, Json>>]>>> =
  {
    q: [
      `${MACHINERY}.api.resource.Quantity`,
      { v2: { type: 'string' }, v3: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
    ],
    t: [`${MACHINERY}.apis.meta.v1.Time`, { v2: TIME, v3: TIME }],
    u: [`${MACHINERY}.apis.meta.v1.MicroTime`, { v2: TIME, v3: TIME }],
    x: [
      `${MACHINERY}.util.intstr.IntOrString`,
      { v2: { type: 'string', format: 'int-or-string' }, v3: { format: 'int-or-string', ...NUMBER_OR_TEXT } },
    ],
  };

const KIND_MARKS = 'x-kubernetes-group-version-kind';
/** Kinds that are of every group. */
const META_KINDS: ReadonlySet<string> = new Set(
  ['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'DeleteOptions', 'Status'].map(
    (kind) => `meta/v1.${kind}`,
  ),
);
const LIST_METADATA = 'The version of the list, and where the rest of it is found.';

interface MachineryType {
  readonly name: string;
  readonly schema: (form: Form, reference: (type: 'RawExtension') => Json) => Json;
}

/** The name of a schema that is of no struct among the facts. */
type MachineryName = keyof typeof MACHINERY_TYPES;

const DEFINITIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

function anything(name: string, description: string): MachineryType {
  return { name, schema: () => ({ description, type: 'object' }) };
}

function word(form: Form, isRequired: boolean): Json {
  return form === 'v3' && isRequired ? { type: 'string', default: '' } : { type: 'string' };
}

const VERSION_WORDS = [
  'major',
  'minor',
  'gitVersion',
  'gitCommit',
  'gitTreeState',
  'buildDate',
  'goVersion',
  'compiler',
  'platform',
];
const MORE_VERSION_WORDS = ['emulationMajor', 'emulationMinor', 'minCompatibilityMajor', 'minCompatibilityMinor'];

/** Types of apimachinery and others that the facts about structs do not hold. */
const MACHINERY_TYPES = {
  Patch: anything(`${MACHINERY}.apis.meta.v1.Patch`, 'A change, in the form that the content type says.'),
  FieldsV1: anything(`${MACHINERY}.apis.meta.v1.FieldsV1`, 'Fields, as a tree of their names.'),
  RawExtension: anything(`${MACHINERY}.runtime.RawExtension`, 'An object of any kind.'),
  JSON: { name: `${DEFINITIONS}.JSON`, schema: () => ({ description: 'Any value.' }) },
  StatusSubresource: anything(`${DEFINITIONS}.CustomResourceSubresourceStatus`, 'That status is written by itself.'),
  JSONSchemaPropsOrArray: {
    name: `${DEFINITIONS}.JSONSchemaPropsOrArray`,
    schema: () => ({ description: 'A schema, or a list.' }),
  },
  JSONSchemaPropsOrBool: {
    name: `${DEFINITIONS}.JSONSchemaPropsOrBool`,
    schema: () => ({ description: 'A schema, or whether.' }),
  },
  JSONSchemaPropsOrStringArray: {
    name: `${DEFINITIONS}.JSONSchemaPropsOrStringArray`,
    schema: () => ({ description: 'A schema, or a list of words.' }),
  },
  WatchEvent: {
    name: `${MACHINERY}.apis.meta.v1.WatchEvent`,
    schema: (form, reference) => ({
      description: 'A change that a watch tells.',
      required: ['type', 'object'],
      type: 'object',
      properties: {
        object: {
          description: 'The object as it is after the change.',
          ...(form === 'v2' ? reference('RawExtension') : { allOf: [reference('RawExtension')] }),
        },
        type: { description: 'ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.', ...word(form, true) },
      },
      [KIND_MARKS]: [{ group: '', kind: 'WatchEvent', version: 'v1' }],
    }),
  },
  Version: {
    name: `${MACHINERY}.version.Info`,
    schema: (form) => ({
      description: 'What program the server is.',
      required: VERSION_WORDS,
      type: 'object',
      properties: Object.fromEntries(
        [...VERSION_WORDS, ...MORE_VERSION_WORDS]
          .toSorted()
          .map((name) => [name, word(form, VERSION_WORDS.includes(name))]),
      ),
    }),
  },
} as const satisfies Readonly<Record<string, MachineryType>>;

/** Types that are written as something else than their fields. */
const SPECIAL_TYPES: Readonly<Partial<Record<string, MachineryName>>> = {
  'apiextensions/v1.JSONSchemaPropsOrArray': 'JSONSchemaPropsOrArray',
  'apiextensions/v1.JSONSchemaPropsOrBool': 'JSONSchemaPropsOrBool',
  'apiextensions/v1.JSONSchemaPropsOrStringArray': 'JSONSchemaPropsOrStringArray',
};

/** Fields whose types the facts do not name. */
const RAW_FIELDS: Readonly<Partial<Record<string, MachineryName>>> = {
  'meta/v1.ManagedFieldsEntry.fieldsV1': 'FieldsV1',
  'apps/v1.ControllerRevision.data': 'RawExtension',
  'resource/v1.AllocatedDeviceStatus.data': 'RawExtension',
  'resource/v1.OpaqueDeviceConfiguration.parameters': 'RawExtension',
  'apiextensions/v1.CustomResourceSubresources.status': 'StatusSubresource',
  'apiextensions/v1.JSONSchemaProps.default': 'JSON',
  'apiextensions/v1.JSONSchemaProps.enum': 'JSON',
  'apiextensions/v1.JSONSchemaProps.example': 'JSON',
};

/** `io.k8s.api.core.v1.Pod`. */
function schemaName(key: string): string {
  const [place, name] = [key.slice(0, key.lastIndexOf('.')), key.slice(key.lastIndexOf('.') + 1)];
  const [group = '', version = ''] = place.split('/');
  const root = ROOTS[group] ?? `io.k8s.api.${group}`;
  return `${root}.${version}.${name}`;
}
const ROOTS: Readonly<Partial<Record<string, string>>> = {
  meta: `${MACHINERY}.apis.meta`,
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  apiregistration: 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
};
