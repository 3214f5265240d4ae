/** Secrets (pkg/registry/core/secret, pkg/apis/core/v1/conversion.go and ValidateSecret, v1.34). */
import { base64Size, toBase64 } from '../../values/base64.js';
import type { Secret } from '../../objects/config-objects.js';
import { invalid, required, tooLong } from '../../errors/field-errors.js';
import type { Draft, StringMap } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { MAX_DATA_BYTES, validateDataKeys, validateImmutable } from './config-data.js';
import { describeKind } from '../rules/describe-kind.js';
import { filled } from '../rules/filling.js';

const OPAQUE = 'Opaque';
const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name';
const REDACTED = '<secret contents redacted>';

/** The description of secrets. */
export const secretKind = describeKind<'Secret'>({
  kind: 'Secret',
  plural: 'secrets',
  selectableFields: { type: ({ type }) => type ?? '' },
  applyDefaults: (draft) => withStringData(filled({ ...draft, type: draft['type'] || undefined }, { type: OPAQUE })),
  validate: (secret) => [...validateData(secret), ...validateType(secret)],
  validateChange: (next, previous) => [
    ...(next.type === previous.type ? [] : [invalid('type', next.type, 'field is immutable')]),
    ...validateImmutable(next, previous, ['data']),
  ],
});

/** Texts are written only: they become bytes beside those that are given as base64, and win over them. */
function withStringData({ stringData, ...draft }: Draft): Draft {
  if (stringData === undefined) return draft;
  const texts = Object.entries(stringData as StringMap).map(([key, text]) => [key, toBase64(text)]);
  return texts.length === 0
    ? draft
    : { ...draft, data: { ...(draft['data'] as StringMap), ...Object.fromEntries(texts) } };
}

function validateData({ data = {} }: Secret): FieldError[] {
  const errors = validateDataKeys(data, 'data');
  let sizeBytes = 0;
  for (const text of Object.values(data)) sizeBytes += base64Size(text);
  return sizeBytes > MAX_DATA_BYTES ? [...errors, tooLong('data', MAX_DATA_BYTES)] : errors;
}

/** Types of Kubernetes' own come with keys that must be there. */
function validateType({ type, data = {}, metadata }: Secret): FieldError[] {
  const missing = (...keys: readonly string[]): FieldError[] =>
    keys.filter((key) => data[key] === undefined).map((key) => required(`data[${key}]`));
  switch (type) {
    case 'kubernetes.io/service-account-token': {
      const account = metadata.annotations?.[ACCOUNT_ANNOTATION] ?? '';
      return account === '' ? [required(`metadata.annotations[${ACCOUNT_ANNOTATION}]`)] : [];
    }
    case 'kubernetes.io/dockercfg':
      return validateJson(data, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return validateJson(data, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth': {
      const absent = missing('username', 'password');
      return absent.length === 2 ? absent : [];
    }
    case 'kubernetes.io/ssh-auth':
      return (data['ssh-privatekey'] ?? '') === '' ? [required('data[ssh-privatekey]')] : [];
    case 'kubernetes.io/tls':
      return missing('tls.crt', 'tls.key');
    default:
      return [];
  }
}

function validateJson(data: StringMap, key: string): FieldError[] {
  const field = `data[${key}]`;
  const encoded = data[key];
  if (encoded === undefined) return [required(field)];
  const problem = problemOfObject(Buffer.from(encoded, 'base64').toString('utf8'));
  return problem === undefined ? [] : [invalid(field, REDACTED, problem)];
}

/** What Go says when it cannot read a text as a JSON object. */
function problemOfObject(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const [first] = text.trim();
    const begins = first === undefined || /[{["\-0-9tfn]/.test(first);
    return begins ? 'unexpected end of JSON input' : `invalid character '${first}' looking for beginning of value`;
  }
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
}
