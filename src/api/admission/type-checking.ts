/**
 * What is wrong with the expressions of a policy for the kinds that it is about
 * (apiserver/pkg/admission/plugin/policy/validating/typechecking.go, v1.34).
 */
import { readExpression } from '../cel/expression.js';
import type { CelScope } from '../cel/checker.js';
import { DYN, type CelType } from '../cel/types.js';
import type { OperationRule, ValidatingPolicySpec } from './admission-types.js';
import { checkedScope } from './expression-scopes.js';

/** The names of a kind. */
export type KindNames = Readonly<Record<'group' | 'version' | 'kind', string>>;

/** Where kinds are looked up. */
export interface DeclaredKinds {
  /** The kinds of a resource, by its plural or its singular; in the group without a name, those of all groups. */
  kindsFor(group: string, version: string, resource: string): readonly KindNames[];
  /** The type of a kind's objects; `undefined` = nothing is known of it. */
  typeOf(kind: KindNames): CelType | undefined;
}

/** What an expression gets wrong. */
export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

/** Of one rule, kinds are looked up until there are so many. */
const MOST_KINDS = 10;

/** What the validations of a policy get wrong. */
export function typeWarnings(spec: ValidatingPolicySpec, kinds: DeclaredKinds): readonly ExpressionWarning[] {
  const params = paramsType(spec, kinds);
  const checked = kindsOf(spec, kinds).flatMap((kind) => {
    const type = kinds.typeOf(kind);
    return type === undefined ? [] : [{ kind, scope: scopeOf(spec, type, params) }];
  });
  const warningOf = (text: string, fieldRef: string): readonly ExpressionWarning[] => {
    const problems = checked.flatMap(({ kind, scope }) => {
      const reading = readExpression(text, scope);
      // What only shows when an expression is run is not looked for.
      if (!('problem' in reading) || reading.isOfProgram === true) return [];
      return [`${kindText(kind)}: ${reading.problem}\n`];
    });
    return problems.length === 0 ? [] : [{ fieldRef, warning: problems.join('\n') }];
  };
  return (spec.validations ?? []).flatMap(({ expression = '', messageExpression = '' }, index) => {
    const field = `spec.validations[${index}]`;
    const own = warningOf(expression, `${field}.expression`);
    return messageExpression === '' ? own : [...own, ...warningOf(messageExpression, `${field}.messageExpression`)];
  });
}

function kindText({ group, version, kind }: KindNames): string {
  return `${group}/${version}, Kind=${kind}`;
}

function paramsType({ paramKind }: ValidatingPolicySpec, kinds: DeclaredKinds): CelType | undefined {
  if (paramKind === undefined) return undefined;
  const { apiVersion = '', kind = '' } = paramKind;
  const slash = apiVersion.indexOf('/');
  return kinds.typeOf({ group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1), kind });
}

function scopeOf({ variables = [] }: ValidatingPolicySpec, object: CelType, params: CelType | undefined): CelScope {
  const types = new Map<string, CelType>();
  const scope = checkedScope(object, params, types);
  for (const { name = '', expression = '' } of variables) {
    const reading = readExpression(expression, scope);
    types.set(name, 'problem' in reading ? DYN : reading.expression.type);
  }
  return scope;
}

/** The kinds that a policy is about, without those that it means by a `*` or as a part of an object. */
function kindsOf({ matchConstraints }: ValidatingPolicySpec, kinds: DeclaredKinds): readonly KindNames[] {
  const found = new Map<string, KindNames>();
  for (const rule of matchConstraints?.resourceRules ?? []) {
    let count = 0;
    for (const kind of kindsOfRule(rule, kinds)) {
      found.set(kindText(kind), kind);
      count += 1;
      if (count === MOST_KINDS) return sorted([...found.values()]);
    }
  }
  return sorted([...found.values()]);
}

function kindsOfRule(rule: OperationRule, kinds: DeclaredKinds): readonly KindNames[] {
  const { apiGroups = [], apiVersions = [], resources = [] } = rule;
  if ([...apiGroups, ...apiVersions].some((name) => name.includes('*'))) return [];
  const named = [...resources].filter((name) => !/[*/]/.test(name)).sort();
  const versions = [...apiVersions].sort();
  return [...apiGroups]
    .sort()
    .flatMap((group) =>
      versions.flatMap((version) => named.flatMap((resource) => kinds.kindsFor(group, version, resource))),
    );
}

function sorted(kinds: readonly KindNames[]): readonly KindNames[] {
  const keyOf = ({ group, version, kind }: KindNames): readonly string[] => [group, version, kind];
  return [...kinds].sort((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    const index = left.findIndex((text, at) => text !== right[at]);
    if (index === -1) return 0;
    return (left[index] ?? '') < (right[index] ?? '') ? -1 : 1;
  });
}
