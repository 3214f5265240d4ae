import type { Namespace } from '../../api/objects/objects.js';

type Conditions = NonNullable<NonNullable<Namespace['status']>['conditions']>;
type Condition = Conditions[number];

/** What is left in a namespace, and what went wrong while emptying it. */
export interface Remainder {
  /** Number of objects left, by resource and group, such as `pods.`. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Number of those that have a finalizer, by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  readonly failures: readonly string[];
  /** Why not every kind of the cluster is known; empty = each is. */
  readonly discoveryFailure: string;
}

type Verdict = readonly [
  type: string,
  reasonIfGood: string,
  messageIfGood: string,
  bad: readonly [string, string] | undefined,
];

/** The five conditions of a namespace that is being emptied, over those it has. */
export function namespaceConditions(
  current: readonly Condition[],
  remainder: Remainder,
  timestamp: string,
): Conditions {
  const conditions = [...current];
  for (const [type, goodReason, goodMessage, bad] of verdictsOf(remainder)) {
    const [reason, message] = bad ?? [goodReason, goodMessage];
    const status = bad === undefined ? 'False' : 'True';
    const index = conditions.findIndex((condition) => condition.type === type);
    const former = conditions[index];
    if (former === undefined) conditions.push({ type, status, lastTransitionTime: timestamp, reason, message });
    else if (former.status !== status || former.message !== message || former.reason !== reason) {
      conditions[index] = { type, status, lastTransitionTime: timestamp, reason, message };
    }
  }
  return conditions;
}

function verdictsOf({ remaining, finalizers, failures, discoveryFailure }: Remainder): readonly Verdict[] {
  return [
    [
      'NamespaceDeletionDiscoveryFailure',
      'ResourcesDiscovered',
      'All resources successfully discovered',
      discoveryFailure === '' ? undefined : ['DiscoveryFailed', discoveryFailure],
    ],
    [
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
      undefined,
    ],
    [
      'NamespaceDeletionContentFailure',
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
      failures.length === 0 ? undefined : ['ContentDeletionFailed', failureText(failures)],
    ],
    [
      'NamespaceContentRemaining',
      'ContentRemoved',
      'All content successfully removed',
      remaining.size === 0
        ? undefined
        : ['SomeResourcesRemain', `Some resources are remaining: ${listed(remaining, ' has', 'resource')}`],
    ],
    [
      'NamespaceFinalizersRemaining',
      'ContentHasNoFinalizers',
      'All content-preserving finalizers finished',
      finalizers.size === 0
        ? undefined
        : [
            'SomeFinalizersRemain',
            `Some content in the namespace has finalizers remaining: ${listed(finalizers, ' in', 'resource')}`,
          ],
    ],
  ];
}

function failureText(failures: readonly string[]): string {
  return `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(', ')}`;
}

function listed(counts: ReadonlyMap<string, number>, verb: string, noun: string): string {
  return [...counts]
    .map(([name, count]) => `${name}${verb} ${count} ${noun} instances`)
    .sort()
    .join(', ');
}
