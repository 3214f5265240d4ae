/** `serviceaccounts/token`: a token for an account (pkg/registry/core/serviceaccount/storage/token.go, v1.34). */
import { invalid, invalidError, notSupported, required } from '../../api/errors/field-errors.js';
import type { FieldError } from '../../api/objects/resource-kind.js';
import type { Kind } from '../../api/objects/objects.js';
import { badRequest, conflict, notFound } from '../../apiserver/store/api-errors.js';
import { kindRegistry } from '../../api/kinds/registry.js';
import type { ApiAnswer } from '../api-request.js';
import type { Asked } from '../asked.js';
import { writeOptions } from '../query-options.js';
import { draftOf } from '../bodies/request-body.js';
import { objectAnswer } from '../status-answer.js';
import { ISSUER, type BoundObject, type ServiceAccountTokens } from './service-account-tokens.js';

const CREATED = 201;
const USUAL_SECONDS = 3600;
const LEAST_SECONDS = 600;
const MOST_SECONDS = 2 ** 32;
const NAMES = { kind: 'TokenRequest', group: 'authentication.k8s.io' };
/** Kinds to which a token may be bound. */
const BOUND_KINDS: Readonly<Record<string, Kind>> = { Pod: 'Pod', Secret: 'Secret', Node: 'Node' };

interface Spec {
  readonly audiences?: readonly string[];
  readonly expirationSeconds?: number;
  readonly boundObjectRef?: { readonly kind?: string; readonly name?: string; readonly uid?: string };
}

/** @throws ApiError 400, 404, 409, 422 */
export function tokenIssued(asked: Asked, tokens: ServiceAccountTokens): ApiAnswer {
  const { server, request, name, kernelTime } = asked;
  writeOptions(request.query, 'CreateOptions');
  const draft = draftOf(request, NAMES.kind);
  const account = server.get('ServiceAccount', name);
  const { name: wanted = name.name, namespace: place = name.namespace } = draft.metadata ?? {};
  if (wanted !== name.name || place !== name.namespace) {
    throw badRequest('the name and the namespace of a token request must be those of its account');
  }
  const spec = (draft['spec'] ?? {}) as Spec;
  const { audiences = [], expirationSeconds = USUAL_SECONDS, boundObjectRef } = spec;
  const errors = specErrors(expirationSeconds, boundObjectRef?.kind, boundObjectRef?.name);
  if (errors.length > 0) throw invalidError(NAMES, '', errors);
  const shown = { audiences: audiences.length === 0 ? [ISSUER] : audiences, expirationSeconds };
  const status = tokens.issue({
    namespace: name.namespace ?? '',
    account: { name: account.metadata.name, uid: account.metadata.uid },
    ...shown,
    bound: boundObjectRef === undefined ? undefined : boundObject(asked, boundObjectRef),
  });
  const metadata = { name: name.name, namespace: name.namespace, creationTimestamp: kernelTime() };
  const apiVersion = `${NAMES.group}/v1`;
  const answer = {
    kind: NAMES.kind,
    apiVersion,
    metadata,
    spec: { ...shown, boundObjectRef: boundObjectRef ?? null },
    status,
  };
  return objectAnswer(answer, CREATED);
}

function specErrors(seconds: number, kind: string | undefined, name: string | undefined): readonly FieldError[] {
  const field = 'spec.expirationSeconds';
  const errors: FieldError[] = [];
  if (seconds < LEAST_SECONDS) errors.push(invalid(field, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > MOST_SECONDS)
    errors.push(invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds'));
  if (kind === undefined) return errors;
  const ref = 'spec.boundObjectRef';
  if (BOUND_KINDS[kind] === undefined) errors.push(notSupported(`${ref}.kind`, kind, Object.keys(BOUND_KINDS)));
  if ((name ?? '') === '') errors.push(required(`${ref}.name`));
  return errors;
}

function boundObject({ server, name: { namespace } }: Asked, ref: NonNullable<Spec['boundObjectRef']>): BoundObject {
  const { kind = '', name = '', uid } = ref;
  const stored = BOUND_KINDS[kind] ?? 'Pod';
  const resource = kindRegistry[stored];
  const found = server.find(stored, resource.isNamespaced ? { namespace, name } : { name });
  if (found === undefined) throw notFound(resource, name);
  if (uid !== undefined && uid !== '' && uid !== found.metadata.uid) {
    const text = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict(resource, name, text);
  }
  return { kind, name, uid: found.metadata.uid };
}
