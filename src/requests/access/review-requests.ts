/**
 * Reviews: questions of which user a token names and what users may do, which are answered and not kept
 * (pkg/registry/authorization and authentication, v1.34).
 */
import type { Draft, DraftMeta } from '../../api/objects/objects.js';
import { entriesAfterUpdate } from '../../api/ownership/managed-fields.js';
import { goEncoded } from '../../api/types/go-encoding.js';
import { typeKeyOf } from '../../api/types/type-facts.js';
import { textOf } from '../../api/values/texts.js';
import { badRequest } from '../../apiserver/store/api-errors.js';
import type { ApiServer } from '../../apiserver/store/server-types.js';
import type { ApiAnswer, ApiRequest, RequestUser } from '../api-request.js';
import { managerOf } from '../asked.js';
import { rolledBack } from '../dry-run.js';
import { validFields } from '../bodies/field-validation.js';
import { writeOptions } from '../query-options.js';
import { statedBody } from '../bodies/request-body.js';
import type { ServedResource } from '../served-resources.js';
import { JSON_HEADERS, objectAnswer } from '../status-answer.js';
import { parseFieldSelector, type FieldRequirement } from '../../api/selectors/field-selector.js';
import { verdictOn } from './authorizer.js';
import { nodeOfUser } from './node-access.js';
import { rulesOf, type AccessQuestion, type OwnRule } from './policy-rules.js';
import { checkReview, type Review } from './review-validation.js';
import { ISSUER, type ReadToken } from './service-account-tokens.js';

type Fields = Readonly<Record<string, unknown>>;

/** What reviews are answered from. */
export interface ReviewMeans {
  readonly server: ApiServer;
  readonly user: RequestUser;
  /** The user of a token. */
  readonly readToken: (token: string) => ReadToken | undefined;
  /** The present as a timestamp. */
  readonly time: () => string;
}

/** What plugins say of a review is asked for once it is valid. */
interface JudgedMeans extends ReviewMeans {
  readonly validate: () => void;
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
  const options = writeOptions(request.query, 'CreateOptions');
  const { draft, warnings } = validFields(resource, statedBody(request, resource.kind), options.fieldValidation);
  // Told with a refusal, too.
  for (const text of warnings) means.server.request?.warn(text);
  const metadata = metadataOf(request, resource, namespace, draft, means);
  const { kind, group, version } = resource;
  const stated: Fields = { ...draft, metadata };
  const judge = (): Judged => judged(resource, statusOf, stated, namespace, means);
  const { review, status } = options.isDryRun ? rolledBack(means.server, judge) : judge();
  const apiVersion = `${group}/${version}`;
  const shown = ANSWERED_ANEW.has(kind) ? anew(kind, means) : review;
  const answer = goEncoded({ kind, apiVersion, ...shown, status }, typeKeyOf(resource));
  return objectAnswer(answer, CREATED, JSON_HEADERS);
}

interface Judged {
  readonly review: Review;
  readonly status: object;
}

/** A review as plugins let it through, with what is answered to it. */
function judged(
  resource: ServedResource,
  statusOf: StatusOf,
  stated: Fields,
  namespace: string | undefined,
  means: ReviewMeans,
): Judged {
  const { kind, group, version } = resource;
  const asked = { object: stated, kind: { group, version, kind }, name: '', namespace };
  const { object, validate } = means.server.admits(resource, '', asked);
  const review = {
    metadata: fieldsOf(object['metadata']),
    spec: fieldsOf(object['spec']),
    status: fieldsOf(object['status']),
  };
  return { review, status: statusOf(review, { ...means, validate }, kind) };
}

/** Kinds whose answers show nothing of what was sent. */
const ANSWERED_ANEW: ReadonlySet<string> = new Set(['SelfSubjectReview', 'SelfSubjectRulesReview']);

function anew(kind: string, { time }: ReviewMeans): object {
  return kind === 'SelfSubjectReview' ? { metadata: { creationTimestamp: time() } } : {};
}

/** What the endpoints take out of what a client creates, before anything looks at it. */
const WIPED = ['selfLink', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'];

/** What was sent, with its owners. */
function metadataOf(
  request: ApiRequest,
  resource: ServedResource,
  namespace: string | undefined,
  draft: Draft,
  { time }: ReviewMeans,
): Fields {
  const { metadata: given = {} } = draft;
  const metadata: DraftMeta = Object.fromEntries(Object.entries(given).filter(([field]) => !WIPED.includes(field)));
  if (namespace !== undefined && (metadata.namespace ?? namespace) !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const write = {
    manager: managerOf(request, writeOptions(request.query, 'CreateOptions')),
    operation: 'Update' as const,
    apiVersion: `${resource.group}/${resource.version}`,
    subresource: '',
    time: time(),
  };
  const type = { key: typeKeyOf(resource), hasStatus: false };
  const managedFields = entriesAfterUpdate(type, undefined, draft, [], write);
  return {
    ...metadata,
    ...(namespace === undefined ? {} : { namespace }),
    ...(managedFields.length === 0 ? {} : { managedFields }),
  };
}

type StatusOf = (review: Review, means: JudgedMeans, kind: string) => object;

const STATUSES: Readonly<Partial<Record<string, StatusOf>>> = {
  SelfSubjectReview: (_review, { user, validate }) => {
    validate();
    return { userInfo: userInfo(user) };
  },
  SelfSubjectAccessReview: (review, means, kind) => verdict(means, means.user, review, kind),
  SelfSubjectRulesReview: ({ spec }, means) => ownRules(means, textOf(spec['namespace'])),
  SubjectAccessReview: (review, means, kind) => verdict(means, subjectOf(review.spec), review, kind),
  LocalSubjectAccessReview: (review, means, kind) => verdict(means, subjectOf(review.spec), review, kind),
  TokenReview: ({ spec, status }, means) => tokenStatus(spec, status, means),
};

function userInfo({ name, uid, groups, extra }: RequestUser): object {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined ? {} : { extra }),
  };
}

function verdict({ server, validate }: JudgedMeans, user: RequestUser, review: Review, kind: string): object {
  checkReview(kind, review);
  validate();
  const { resourceAttributes: ofResource, nonResourceAttributes: ofPath } = review.spec;
  const { allowed, reason } = verdictOn(server, user, questionOf(fieldsOf(ofResource), fieldsOf(ofPath)));
  return { allowed, ...(reason === '' ? {} : { reason }) };
}

function questionOf(attributes: Fields, ofPath: Fields): AccessQuestion {
  const [verb, path] = [textOf(attributes['verb'] ?? ofPath['verb']), textOf(ofPath['path'])];
  const [group, resource, subresource] = ['group', 'resource', 'subresource'].map((name) => textOf(attributes[name]));
  const [name, namespace] = [textOf(attributes['name']), textOf(attributes['namespace'])];
  const fields = selectedFields(fieldsOf(attributes['fieldSelector']));
  const of = { group: group ?? '', resource: resource ?? '', subresource: subresource ?? '' };
  return { ...of, verb, name, namespace, path, fields };
}

/** Conditions of a selector that name one value. */
function selectedFields({ requirements, rawSelector }: Fields): readonly FieldRequirement[] {
  if (typeof rawSelector === 'string' && rawSelector !== '') return parseFieldSelector(rawSelector);
  return (Array.isArray(requirements) ? requirements : []).flatMap((each) => {
    const { key, operator, values } = fieldsOf(each);
    const [value, ...others] = Array.isArray(values) ? values.map(textOf) : [];
    if (value === undefined || others.length > 0 || (operator !== 'In' && operator !== 'NotIn')) return [];
    return [{ field: textOf(key), operator: operator === 'In' ? ('=' as const) : ('!=' as const), value }];
  });
}

function subjectOf(spec: Fields): RequestUser {
  const groups = spec['groups'];
  return {
    name: textOf(spec['user']),
    groups: Array.isArray(groups) ? groups.filter((each): each is string => typeof each === 'string') : [],
  };
}

/** Why the rules of a kubelet are not all that it may do. */
const NODE_RULES_UNKNOWN = 'node authorizer does not support user rule resolution';

function ownRules({ server, user, validate }: JudgedMeans, namespace: string): object {
  if (namespace === '') throw badRequest('no namespace on request');
  validate();
  const { rules, missing } = rulesOf(server, user, namespace);
  const problems = nodeOfUser(user) === undefined ? missing : [NODE_RULES_UNKNOWN, ...missing];
  const ofResources = rules.filter(({ rule }) => rule.resources !== undefined).map(shownRule);
  const ofPaths = rules.filter(({ rule }) => rule.nonResourceURLs !== undefined).map(shownRule);
  return {
    resourceRules: ofResources,
    nonResourceRules: ofPaths,
    incomplete: problems.length > 0,
    ...(problems.length === 0 ? {} : { evaluationError: problems.join(', ') }),
  };
}

function shownRule({ rule }: OwnRule): object {
  return rule;
}

/** What is not found out stays as it was sent. */
function tokenStatus(spec: Fields, sent: Fields, { readToken, validate }: JudgedMeans): object {
  const token = textOf(spec['token']);
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  validate();
  const asked = Array.isArray(spec['audiences']) ? (spec['audiences'] as readonly string[]) : [];
  const wanted = asked.length === 0 ? [ISSUER] : asked;
  const found = readToken(token);
  const audiences = found?.audiences.filter((each) => wanted.includes(each)) ?? [];
  if (found === undefined || audiences.length === 0) {
    return { user: {}, ...sent, authenticated: false, error: 'invalid bearer token' };
  }
  return { authenticated: true, user: userInfo(found.user), audiences };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
