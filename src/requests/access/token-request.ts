/** `serviceaccounts/token`: a token for an account (pkg/registry/core/serviceaccount/storage/token.go, v1.34). */
import { invalid, invalidError } from '../../api/errors/field-errors.js';
import { kindRegistry } from '../../api/kinds/registry.js';
import type { Draft, DraftMeta, Kind, ObjectName, Pod } from '../../api/objects/objects.js';
import type { FieldError } from '../../api/objects/resource-kind.js';
import { entriesAfterUpdate } from '../../api/ownership/managed-fields.js';
import { goEncoded } from '../../api/types/go-encoding.js';
import { typeKeyOf } from '../../api/types/type-facts.js';
import { badRequest, conflict } from '../../apiserver/store/api-errors.js';
import type { ApiAnswer } from '../api-request.js';
import { managerOf, type Asked } from '../asked.js';
import { validFields } from '../bodies/field-validation.js';
import { statedBody } from '../bodies/request-body.js';
import { rolledBack } from '../dry-run.js';
import { writeOptions, type WriteOptions } from '../query-options.js';
import { JSON_HEADERS, objectAnswer } from '../status-answer.js';
import { warningHeaders } from '../warnings.js';
import { ISSUER, type BoundObject, type ServiceAccountTokens } from './service-account-tokens.js';

const CREATED = 201;
const USUAL_SECONDS = 3600;
const LEAST_SECONDS = 600;
const MOST_SECONDS = 2 ** 32;
const TYPE = { kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1' };
/** As upstream's refusals name it. */
const NAMES = { ...TYPE, plural: TYPE.kind };
/** Kinds to which a token may be bound, by version and kind. */
const BOUND_KINDS: Readonly<Record<string, Kind | undefined>> = {
  'v1 Pod': 'Pod',
  'v1 Secret': 'Secret',
  'v1 Node': 'Node',
};

interface Spec {
  readonly audiences?: readonly string[];
  readonly expirationSeconds?: number;
  readonly boundObjectRef?: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly uid?: string;
  };
}

/** @throws ApiError 400, 404, 409, 422 */
export function tokenIssued(asked: Asked, tokens: ServiceAccountTokens): ApiAnswer {
  const options = writeOptions(asked.request.query, 'CreateOptions');
  const issue = (): ApiAnswer => issued(asked, tokens, options);
  return options.isDryRun ? rolledBack(asked.server, issue) : issue();
}

function issued(asked: Asked, tokens: ServiceAccountTokens, options: WriteOptions): ApiAnswer {
  const { server, request, name, kernelTime, resource } = asked;
  const { draft, warnings } = validFields(TYPE, statedBody(request, TYPE.kind), options.fieldValidation);
  const write = {
    manager: managerOf(request, options),
    operation: 'Update' as const,
    apiVersion: `${TYPE.group}/${TYPE.version}`,
    subresource: 'token',
    time: kernelTime(),
  };
  const type = { key: typeKeyOf(TYPE), hasStatus: true };
  const managedFields = entriesAfterUpdate(type, undefined, draft, [], write);
  const owned = managedFields.length === 0 ? {} : { managedFields };
  const stated: Draft = { ...draft, metadata: { ...placed(name), ...draft.metadata, ...owned } };
  const { object, validate } = server.admits(resource, 'token', {
    object: stated,
    kind: TYPE,
    name: name.name,
    namespace: name.namespace,
  });
  const { metadata = {} } = object;
  checkPlace(metadata, name);
  const account = server.get('ServiceAccount', name);
  const { name: accountName, uid } = account.metadata;
  if ((metadata.uid ?? uid) !== uid) {
    const why = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`;
    throw conflict(NAMES, accountName, why);
  }
  const spec = (object['spec'] ?? {}) as Spec;
  const { expirationSeconds = USUAL_SECONDS, boundObjectRef } = spec;
  const errors = secondsErrors(expirationSeconds);
  if (errors.length > 0) throw invalidError(TYPE, '', errors);
  const audiences = (spec.audiences ?? []).length === 0 ? [ISSUER] : (spec.audiences ?? []);
  const { namespace = '' } = account.metadata;
  const wish = { namespace, account: { name: accountName, uid }, audiences, expirationSeconds };
  const bound = boundObjectRef === undefined ? undefined : boundObject(asked, boundObjectRef);
  validate();
  const status = tokens.issue({ ...wish, bound });
  const answer = {
    kind: TYPE.kind,
    apiVersion: write.apiVersion,
    metadata: {
      ...metadata,
      name: accountName,
      namespace,
      uid,
      creationTimestamp: kernelTime(),
    },
    spec: { audiences, expirationSeconds, ...(boundObjectRef === undefined ? {} : { boundObjectRef }) },
    status,
  };
  return objectAnswer(goEncoded(answer, type.key), CREATED, { ...JSON_HEADERS, ...warningHeaders(warnings) });
}

/** A request takes name and namespace from its path. */
function placed({ name, namespace }: ObjectName): DraftMeta {
  return namespace === undefined ? { name } : { name, namespace };
}

/** @throws ApiError 422 */
function checkPlace(metadata: Draft['metadata'] & object, { name, namespace }: ObjectName): void {
  const { name: wanted = name, namespace: place = namespace } = metadata;
  if (wanted !== name) throw invalidError(TYPE, name, [invalid('metadata.name', wanted, mustMatch('name'))]);
  if (place === namespace) return;
  throw invalidError(TYPE, name, [invalid('metadata.namespace', place, mustMatch('namespace'))]);
}

function mustMatch(what: string): string {
  return `must match the service account ${what} if specified`;
}

function secondsErrors(seconds: number): readonly FieldError[] {
  const field = 'spec.expirationSeconds';
  if (seconds < LEAST_SECONDS) return [invalid(field, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds <= MOST_SECONDS) return [];
  return [invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds')];
}

function boundObject({ server, name: account }: Asked, ref: NonNullable<Spec['boundObjectRef']>): BoundObject {
  const { apiVersion = '', kind = '', name = '', uid = '' } = ref;
  const stored = BOUND_KINDS[`${apiVersion} ${kind}`];
  if (stored === undefined) throw badRequest(`cannot bind token to object of type ${typeText(apiVersion, kind)}`);
  const resource = kindRegistry[stored];
  const found = server.get(stored, resource.isNamespaced ? { namespace: account.namespace, name } : { name });
  if (stored === 'Pod' && (found as Pod).spec.serviceAccountName !== account.name) {
    const why = 'to pod running with different serviceaccount name.';
    throw badRequest(`cannot bind token for serviceaccount ${JSON.stringify(account.name)} ${why}`);
  }
  if (uid !== '' && uid !== found.metadata.uid) {
    const text = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict(NAMES, name, text);
  }
  return { kind, name, uid: found.metadata.uid };
}

/** As Go prints a group, a version and a kind. */
function typeText(apiVersion: string, kind: string): string {
  const parts = apiVersion.split('/');
  const [group, version] = parts.length > 1 ? parts : ['', apiVersion];
  return `${group}/${version}, Kind=${kind}`;
}
