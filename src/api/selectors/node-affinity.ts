/**
 * Which nodes a pod wants: nodeSelector and node affinity, compiled once per pod shape and asked for
 * thousands of nodes. Mirrors component-helpers' scheduling/corev1/nodeaffinity (v1.34): terms are
 * ORed, the requirements of a term ANDed, a term that cannot be read matches nothing.
 */
import { holds, parseInt64, type LabelOperator, type LabelRequirement } from './label-requirement.js';
import { matchesLabels } from './labels.js';
import type { core, PodSpec, StringMap } from '../objects/objects.js';

/** Tells whether a node is wanted. */
export interface NodeMatcher {
  matches(labels: StringMap | undefined, nodeName: string): boolean;
}

/** A compiled list of terms. */
export interface CompiledNodeSelector extends NodeMatcher {
  /**
   * Names of the only nodes that can match, when every term fixes them by `metadata.name`; absent when
   * some term does not.
   */
  readonly nodeNames: ReadonlySet<string> | undefined;
}

/** A preferred term with its weight, 1 to 100. */
export interface PreferredNodeTerm extends NodeMatcher {
  readonly weight: number;
}

const NO_LABELS: StringMap = Object.freeze({});
const NAME_FIELD = 'metadata.name';

interface CompiledTerm {
  readonly requirements: readonly LabelRequirement[];
  readonly fields: readonly LabelRequirement[];
}

/** Compiles the terms of a node selector; an empty list matches nothing. */
export function compileNodeSelector(selector: core.NodeSelector): CompiledNodeSelector {
  const terms = selector.nodeSelectorTerms.flatMap((term) => compileTerm(term) ?? []);
  return {
    matches: (labels = NO_LABELS, nodeName) => terms.some((term) => matchesTerm(term, labels, nodeName)),
    nodeNames: narrowedNames(selector.nodeSelectorTerms),
  };
}

/** Union over the terms of the names that each allows. */
function narrowedNames(terms: readonly core.NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  if (terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    let own: readonly string[] | undefined;
    for (const { key, operator, values = [] } of matchFields) {
      if (key !== NAME_FIELD || operator !== 'In') continue;
      own = own === undefined ? values : own.filter((name) => values.includes(name));
    }
    if (own === undefined) return undefined;
    for (const name of own) names.add(name);
  }
  return names;
}

/** Undefined when the term is empty or cannot be read. */
function compileTerm({ matchExpressions = [], matchFields = [] }: core.NodeSelectorTerm): CompiledTerm | undefined {
  if (matchExpressions.length === 0 && matchFields.length === 0) return undefined;
  const requirements: LabelRequirement[] = [];
  for (const { key, operator, values = [] } of matchExpressions) {
    if (!isReadable(operator, values)) return undefined;
    requirements.push({ key, operator, values });
  }
  const fields: LabelRequirement[] = [];
  for (const { key, operator, values = [] } of matchFields) {
    if (key !== NAME_FIELD || values.length !== 1 || (operator !== 'In' && operator !== 'NotIn')) return undefined;
    fields.push({ key, operator, values });
  }
  return { requirements, fields };
}

function isReadable(operator: string, values: readonly string[]): operator is LabelOperator {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0;
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0;
    case 'Gt':
    case 'Lt':
      return values.length === 1 && parseInt64(values[0]) !== undefined;
    default:
      return false;
  }
}

function matchesTerm({ requirements, fields }: CompiledTerm, labels: StringMap, nodeName: string): boolean {
  for (const requirement of requirements) if (!holds(requirement, labels)) return false;
  for (const { operator, values } of fields) if ((values[0] === nodeName) !== (operator === 'In')) return false;
  return true;
}

/** What a pod requires of its node, nodeSelector and required affinity together; undefined if nothing. */
export function requiredNodeAffinity({
  nodeSelector,
  affinity,
}: Pick<PodSpec, 'nodeSelector' | 'affinity'>): CompiledNodeSelector | undefined {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (nodeSelector === undefined && required === undefined) return undefined;
  const terms = required === undefined ? undefined : compileNodeSelector(required);
  if (nodeSelector === undefined && terms !== undefined) return terms;
  const wanted = nodeSelector ?? {};
  return {
    matches: (labels, nodeName) =>
      matchesLabels(wanted, labels) && (terms === undefined || terms.matches(labels, nodeName)),
    nodeNames: terms?.nodeNames,
  };
}

/**
 * A pod's preferred terms; undefined when it has no such list. Terms of weight 0 or without
 * requirements are dropped, a term that cannot be read matches nothing.
 */
export function preferredNodeAffinity({
  affinity,
}: Pick<PodSpec, 'affinity'>): readonly PreferredNodeTerm[] | undefined {
  const preferred = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
  return preferred?.flatMap(({ weight, preference }) => {
    const term = compileTerm(preference);
    if (weight === 0 || term === undefined) return [];
    return {
      weight,
      matches: (labels: StringMap = NO_LABELS, nodeName: string) => matchesTerm(term, labels, nodeName),
    };
  });
}
