/** Formats of texts in the schemas of a definition that no value is held to (apiextensions-apiserver's validation/formats.go, v1.34). */
import { valuesSchema, type JsonSchema } from '../../api/custom/json-schema.js';
import { definitionOf } from '../../api/custom/definition.js';
import { isCheckedFormat } from '../../api/go/text-formats.js';
import type { PlainObject } from '../../api/objects/plain-kinds.js';

/** What is said of the formats of a definition; of an update, of those that it brings. */
export function formatWarnings(object: object, before?: object): readonly string[] {
  const old = new Set(before === undefined ? [] : strayFormats(before));
  const names = strayFormats(object).filter((format) => !old.has(format));
  return [...new Set(names)].map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function strayFormats(definition: object): readonly string[] {
  const { versions } = definitionOf(definition as PlainObject).spec;
  return versions.flatMap(({ schema }) => {
    const { openAPIV3Schema: own } = schema ?? {};
    return own === undefined ? [] : formatsIn(own);
  });
}

function formatsIn(schema: JsonSchema): readonly string[] {
  const { format = '', items, properties = {}, not, allOf = [], anyOf = [], oneOf = [] } = schema;
  const below = [...allOf, ...anyOf, ...oneOf, ...Object.values(properties)];
  for (const each of [items, not, valuesSchema(schema)]) if (each !== undefined) below.push(each);
  const isStray = format !== '' && schema.type === 'string' && !isCheckedFormat(format);
  return [...(isStray ? [format] : []), ...below.flatMap(formatsIn)];
}
