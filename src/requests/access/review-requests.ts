/**
 * Reviews: questions of who somebody is and what they may do, which are answered and not kept
 * (pkg/registry/authorization and authentication, v1.34).
 */
import { invalid, invalidError, required } from '../../api/errors/field-errors.js';
import type { FieldError } from '../../api/objects/resource-kind.js';
import { badRequest } from '../../apiserver/store/api-errors.js';
import type { ApiServer } from '../../apiserver/store/server-types.js';
import type { ApiAnswer, ApiRequest, RequestUser } from '../api-request.js';
import { draftOf } from '../request-body.js';
import type { ServedResource } from '../served-resources.js';
import { objectAnswer } from '../status-answer.js';
import { verdictOn } from './authorizer.js';
import { rulesOf, type AccessQuestion, type OwnRule } from './policy-rules.js';
import { ISSUER, type ReadToken } from './service-account-tokens.js';

type Fields = Readonly<Record<string, unknown>>;

/** What reviews are answered from. */
export interface ReviewMeans {
  readonly server: ApiServer;
  readonly user: RequestUser;
  /** Who has a token. */
  readonly readToken: (token: string) => ReadToken | undefined;
}

const CREATED = 201;

/** The answer to a review; undefined for a resource that is none. @throws ApiError 400, 422 */
export function reviewAnswer(
  request: ApiRequest,
  resource: ServedResource,
  namespace: string | undefined,
  means: ReviewMeans,
): ApiAnswer | undefined {
  const statusOf = STATUSES[resource.kind];
  if (statusOf === undefined) return undefined;
  const draft = draftOf(request, resource.kind);
  const apiVersion = `${resource.group}/${resource.version}`;
  const { metadata = {} } = draft;
  const spec = fieldsOf(draft['spec']);
  if (namespace !== undefined && (fieldsOf(spec['resourceAttributes'])['namespace'] ?? '') !== namespace) {
    throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${JSON.stringify(namespace)}`);
  }
  const status = statusOf(spec, means, resource);
  const shown = { kind: resource.kind, apiVersion, metadata, ...(draft['spec'] === undefined ? {} : { spec }) };
  return objectAnswer({ ...shown, status }, CREATED);
}

type StatusOf = (spec: Fields, means: ReviewMeans, resource: ServedResource) => object;

const STATUSES: Readonly<Partial<Record<string, StatusOf>>> = {
  SelfSubjectReview: (_spec, { user }) => ({ userInfo: userInfo(user) }),
  SelfSubjectAccessReview: (spec, { server, user }, resource) => verdict(server, user, spec, resource),
  SelfSubjectRulesReview: (spec, { server, user }) => ownRules(server, user, textOf(spec['namespace'])),
  SubjectAccessReview: (spec, { server }, resource) => verdict(server, subjectOf(spec), spec, resource),
  LocalSubjectAccessReview: (spec, { server }, resource) => verdict(server, subjectOf(spec), spec, resource),
  TokenReview: (spec, { readToken }) => tokenStatus(spec, readToken),
};

function userInfo({ name, uid, groups, extra }: RequestUser): object {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined ? {} : { extra }),
  };
}

function verdict(server: ApiServer, user: RequestUser, spec: Fields, resource: ServedResource): object {
  const errors: FieldError[] = [];
  const [ofResource, ofPath] = [spec['resourceAttributes'], spec['nonResourceAttributes']];
  if ((ofResource === undefined) === (ofPath === undefined)) {
    const rule = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    errors.push(
      ofResource === undefined
        ? invalid('spec.resourceAttributes', null, rule)
        : invalid('spec.nonResourceAttributes', ofPath, `cannot be specified in combination with resourceAttributes`),
    );
  }
  const isOfOthers = resource.kind !== 'SelfSubjectAccessReview';
  if (isOfOthers && user.name === '' && user.groups.length === 0) {
    errors.push(invalid('spec.user', '', 'at least one of user or group must be specified'));
  }
  if (errors.length > 0) throw invalidError(resource, '', errors);
  const { allowed, reason } = verdictOn(server, user, questionOf(fieldsOf(ofResource), fieldsOf(ofPath)));
  return { allowed, ...(reason === '' ? {} : { reason }) };
}

function questionOf(attributes: Fields, ofPath: Fields): AccessQuestion {
  const [verb, path] = [textOf(attributes['verb'] ?? ofPath['verb']), textOf(ofPath['path'])];
  const [group, resource, subresource] = ['group', 'resource', 'subresource'].map((name) => textOf(attributes[name]));
  const [name, namespace] = [textOf(attributes['name']), textOf(attributes['namespace'])];
  return { verb, group: group ?? '', resource: resource ?? '', subresource: subresource ?? '', name, namespace, path };
}

function subjectOf(spec: Fields): RequestUser {
  const groups = spec['groups'];
  return {
    name: textOf(spec['user']),
    groups: Array.isArray(groups) ? groups.filter((each): each is string => typeof each === 'string') : [],
  };
}

function ownRules(server: ApiServer, user: RequestUser, namespace: string): object {
  const { rules, missing } = rulesOf(server, user, namespace);
  const ofResources = rules.filter(({ rule }) => rule.resources !== undefined).map(shownRule);
  const ofPaths = rules.filter(({ rule }) => rule.nonResourceURLs !== undefined).map(shownRule);
  return {
    resourceRules: ofResources,
    nonResourceRules: ofPaths,
    incomplete: missing.length > 0,
    ...(missing.length === 0 ? {} : { evaluationError: missing.join(', ') }),
  };
}

function shownRule({ rule }: OwnRule): object {
  return rule;
}

function tokenStatus(spec: Fields, readToken: ReviewMeans['readToken']): object {
  const token = textOf(spec['token']);
  if (token === '') {
    throw invalidError({ kind: 'TokenReview', group: 'authentication.k8s.io' }, '', [required('spec.token')]);
  }
  const asked = Array.isArray(spec['audiences']) ? (spec['audiences'] as readonly string[]) : [];
  const wanted = asked.length === 0 ? [ISSUER] : asked;
  const found = readToken(token);
  const audiences = found?.audiences.filter((each) => wanted.includes(each)) ?? [];
  if (found === undefined || audiences.length === 0) return { user: {}, error: 'invalid bearer token' };
  return { authenticated: true, user: userInfo(found.user), audiences };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
