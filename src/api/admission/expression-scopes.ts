/** What expressions of webhooks and policies may ask for (apiserver/pkg/admission/plugin/cel/compile.go, v1.34). */
import { RESOURCE_CHECK } from '../cel/library/authorizer.js';
import type { CelScope } from '../cel/checker.js';
import { BOOL, DYN, INT, listOf, mapOf, objectType, readType, STRING, TIMESTAMP, type CelType } from '../cel/types.js';
import { isFields } from '../custom/json-schema.js';
import type { CelValue } from '../cel/values.js';

const KIND = objectType('kubernetes.GroupVersionKind', textFields('group', 'version', 'kind'));
const RESOURCE = objectType('kubernetes.GroupVersionResource', textFields('group', 'version', 'resource'));

function textFields(...names: readonly string[]): ReadonlyMap<string, CelType> {
  return new Map(names.map((name) => [name, STRING]));
}

const USER = objectType(
  'kubernetes.UserInfo',
  new Map([...textFields('username', 'uid'), ['groups', listOf(STRING)], ['extra', mapOf(STRING, listOf(STRING))]]),
);
const REQUEST = objectType(
  'kubernetes.AdmissionRequest',
  new Map<string, CelType>([
    ...textFields('subResource', 'requestSubResource', 'name', 'namespace', 'operation'),
    ['kind', KIND],
    ['resource', RESOURCE],
    ['requestKind', KIND],
    ['requestResource', RESOURCE],
    ['userInfo', USER],
    ['dryRun', BOOL],
    ['options', DYN],
  ]),
);
const NAMESPACE = objectType(
  'kubernetes.Namespace',
  new Map<string, CelType>([
    [
      'metadata',
      objectType(
        'kubernetes.NamespaceMetadata',
        new Map<string, CelType>([
          ...textFields('name', 'generateName', 'namespace', 'UID', 'resourceVersion'),
          ['labels', mapOf(STRING, STRING)],
          ['annotations', mapOf(STRING, STRING)],
          ['creationTimestamp', TIMESTAMP],
          ['deletionTimestamp', TIMESTAMP],
          ['deletionGracePeriodSeconds', INT],
          ['generation', INT],
          ['finalizers', listOf(STRING)],
        ]),
      ),
    ],
    ['spec', objectType('kubernetes.NamespaceSpec', new Map([['finalizers', listOf(STRING)]]))],
    ['status', objectType('kubernetes.NamespaceStatus', textFields('phase'))],
  ]),
);
const PLAIN_VARIABLES: ReadonlyMap<string, CelType> = new Map([
  ['object', DYN],
  ['oldObject', DYN],
  ['request', REQUEST],
  ['namespaceObject', NAMESPACE],
  ['authorizer', readType('kubernetes.authorization.Authorizer')],
  ['authorizer.requestResource', readType(RESOURCE_CHECK)],
]);

/** What the conditions of webhooks may ask for. */
export const WEBHOOK_SCOPE: CelScope = { variables: PLAIN_VARIABLES };

/** What the conditions of a policy may ask for. */
export function conditionScope(hasParams: boolean): CelScope {
  return hasParams ? { variables: new Map([...PLAIN_VARIABLES, ['params', DYN]]) } : WEBHOOK_SCOPE;
}

/**
 * What the other expressions of a policy may ask for.
 *
 * @param variables - of the policy, as far as they stand before
 * @param beyond - what they may make and call besides
 */
export function policyScope(
  hasParams: boolean,
  variables: ReadonlyMap<string, CelType>,
  beyond: Pick<CelScope, 'structs' | 'functions'> = {},
): CelScope {
  const own = ['variables', objectType('kubernetes.variables', variables)] as const;
  return { variables: new Map([...conditionScope(hasParams).variables, own]), ...beyond };
}

/**
 * What the expressions of a policy may ask for where they are checked for a kind; there is no resource that a request
 * is about. @param variables - of the policy; may grow
 */
export function checkedScope(
  object: CelType,
  params: CelType | undefined,
  variables: ReadonlyMap<string, CelType>,
): CelScope {
  const { 'authorizer.requestResource': _unknown, ...plain } = Object.fromEntries(PLAIN_VARIABLES);
  return {
    variables: new Map([
      ...Object.entries(plain),
      ['object', object],
      ['oldObject', object],
      ...(params === undefined ? [] : [['params', params] as const]),
      ['variables', objectType('kubernetes.variables', variables)],
    ]),
  };
}

/** Messages ask nothing of what a user may do. */
export function withoutAuthorizer({ variables }: CelScope): CelScope {
  return { variables: new Map([...variables].filter(([name]) => !name.startsWith('authorizer'))) };
}

/** A value of JSON whose type nothing tells. */
export function jsonValue(value: unknown): CelValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return (value as readonly unknown[]).map(jsonValue);
  if (!isFields(value)) return null;
  const stated = Object.entries(value).filter(([, each]) => each !== undefined);
  return new Map(stated.map(([name, each]) => [name, jsonValue(each)]));
}
