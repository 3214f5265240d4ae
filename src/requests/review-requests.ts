/**
 * Reviews: questions that are answered and not kept. Who may do what is not simulated: members of `system:masters` may
 * do everything, and nobody else anything (pkg/registry/authorization and authentication, v1.34, with that authorizer).
 */
import type { Draft } from '../api/objects/objects.js';
import type { ApiAnswer, ApiRequest, RequestUser } from './api-request.js';
import { draftOf } from './request-body.js';
import type { ServedResource } from './served-resources.js';
import { objectAnswer } from './status-answer.js';

type Fields = Readonly<Record<string, unknown>>;

const CREATED = 201;
const MASTERS = 'system:masters';
/** Whom a request comes from that names nobody. */
const ADMINISTRATOR: RequestUser = { name: 'admin', uid: 'admin', groups: [MASTERS, 'system:authenticated'] };
/** What a member of the masters may do, as rules. */
const EVERYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};
const NOTHING = { resourceRules: [], nonResourceRules: [], incomplete: false };

/** The answer to a review; undefined for a resource that is none. */
export function reviewAnswer(request: ApiRequest, resource: ServedResource): ApiAnswer | undefined {
  const user = request.user ?? ADMINISTRATOR;
  const status = STATUSES[resource.kind];
  if (status === undefined) return undefined;
  const draft = draftOf(request, resource.kind);
  const apiVersion = `${resource.group}/${resource.version}`;
  const { metadata = {}, spec } = draft;
  const shown = { kind: resource.kind, apiVersion, metadata, ...(spec === undefined ? {} : { spec }) };
  return objectAnswer({ ...shown, status: status(draft, user) }, CREATED);
}

const STATUSES: Readonly<Partial<Record<string, (draft: Draft, user: RequestUser) => object>>> = {
  SelfSubjectReview: (_draft, { name, uid, groups, extra }) => ({
    userInfo: {
      username: name,
      ...(uid === undefined ? {} : { uid }),
      groups,
      ...(extra === undefined ? {} : { extra }),
    },
  }),
  SelfSubjectAccessReview: (_draft, { groups }) => verdict(groups),
  SelfSubjectRulesReview: (_draft, { groups }) => (groups.includes(MASTERS) ? EVERYTHING : NOTHING),
  SubjectAccessReview: ({ spec }) => verdict(groupsOf(spec)),
  LocalSubjectAccessReview: ({ spec }) => verdict(groupsOf(spec)),
};

function verdict(groups: readonly unknown[]): object {
  return { allowed: groups.includes(MASTERS) };
}

function groupsOf(spec: unknown): readonly unknown[] {
  const groups = (spec as Fields | undefined)?.['groups'];
  return Array.isArray(groups) ? groups : [];
}
