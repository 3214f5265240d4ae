/** Questions on what a user may do (apiserver/pkg/cel/library/authz.go, v1.34). */
import { CelError, type CelOpaque } from '../values.js';
import { functionTable } from './function-table.js';

/** What is asked: of a path, or of a resource. */
export interface AuthorizerQuestion {
  readonly verb: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Another user than that of the request: a service account. */
  readonly serviceAccount?: string;
}

/** What is answered. */
export interface AuthorizerAnswer {
  readonly isAllowed: boolean;
  readonly reason: string;
}

/** Answers a question. */
export type Authorize = (question: AuthorizerQuestion) => AuthorizerAnswer;

type Parts = Omit<AuthorizerQuestion, 'verb'>;

/** A question that is being put together. */
export class CelAuthorizer implements CelOpaque {
  readonly celType: string;
  readonly authorize: Authorize;
  readonly parts: Parts;

  constructor(authorize: Authorize, parts: Parts = {}, celType = A) {
    this.authorize = authorize;
    this.parts = parts;
    this.celType = celType;
  }

  isSame(other: CelOpaque): boolean {
    return other === this;
  }

  with(parts: Parts, celType = this.celType): CelAuthorizer {
    return new CelAuthorizer(this.authorize, { ...this.parts, ...parts }, celType);
  }
}

class CelDecision implements CelOpaque {
  readonly celType = D;
  readonly answer: AuthorizerAnswer;

  constructor(answer: AuthorizerAnswer) {
    this.answer = answer;
  }

  isSame(other: CelOpaque): boolean {
    return other === this;
  }
}

const A = 'kubernetes.authorization.Authorizer';
const P = 'kubernetes.authorization.PathCheck';
const G = 'kubernetes.authorization.GroupCheck';
/** The type of `authorizer.requestResource`. */
export const RESOURCE_CHECK = 'kubernetes.authorization.ResourceCheck';
const R = RESOURCE_CHECK;
const D = 'kubernetes.authorization.Decision';

function path(authorizer: CelAuthorizer, text: string): CelAuthorizer {
  if (text === '') throw new CelError('path must not be empty');
  return authorizer.with({ path: text }, P);
}

function check(authorizer: CelAuthorizer, verb: string): CelDecision {
  return new CelDecision(authorizer.authorize({ ...authorizer.parts, verb }));
}

export const AUTHORIZER_FUNCTIONS = functionTable({
  [`${A}::path(string) -> ${P}`]: path,
  [`${A}::group(string) -> ${G}`]: (a: CelAuthorizer, group: string) => a.with({ group }, G),
  [`${A}::serviceAccount(string, string) -> ${A}`]: (a: CelAuthorizer, namespace: string, name: string) =>
    a.with({ serviceAccount: `system:serviceaccount:${namespace}:${name}` }),
  [`${G}::resource(string) -> ${R}`]: (a: CelAuthorizer, resource: string) => a.with({ resource }, R),
  [`${R}::subresource(string) -> ${R}`]: (a: CelAuthorizer, subresource: string) => a.with({ subresource }),
  [`${R}::namespace(string) -> ${R}`]: (a: CelAuthorizer, namespace: string) => a.with({ namespace }),
  [`${R}::name(string) -> ${R}`]: (a: CelAuthorizer, name: string) => a.with({ name }),
  [`${P}::check(string) -> ${D}`]: check,
  [`${R}::check(string) -> ${D}`]: check,
  [`${D}::allowed() -> bool`]: ({ answer }: CelDecision) => answer.isAllowed,
  [`${D}::reason() -> string`]: ({ answer }: CelDecision) => answer.reason,
  [`${D}::errored() -> bool`]: () => false,
  [`${D}::error() -> string`]: () => '',
});
