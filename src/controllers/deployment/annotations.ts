import type { Deployment, ReplicaSet, StringMap } from '../../api/objects/objects.js';

const PREFIX = 'deployment.kubernetes.io/';

/** Which rollout a replica set stands for; on a Deployment, the present one. */
export const REVISION = `${PREFIX}revision`;
/** Revisions that a replica set stood for before, comma-separated. */
const REVISION_HISTORY = `${PREFIX}revision-history`;
/** The Deployment's wish when the replica set was last scaled. */
const DESIRED_REPLICAS = `${PREFIX}desired-replicas`;
/** That wish and the surge. */
const MAX_REPLICAS = `${PREFIX}max-replicas`;
/** Set by a user to go back to a revision. */
export const ROLLBACK_TO = 'deprecated.deployment.rollback.to';

/** Longest revision history kept, in characters. */
const MAX_HISTORY_LENGTH = 2000;

/** Annotations that a replica set never takes over from its Deployment. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK_TO,
]);

const NO_ANNOTATIONS: StringMap = {};

/** The revision of an object, 64 bits as upstream's; 0 when it has none. */
export function revisionOf({ metadata }: Deployment | ReplicaSet): bigint {
  return revisionIn(metadata.annotations?.[REVISION]) ?? 0n;
}

/** The highest revision among some replica sets; 0 when there is none. */
export function maxRevisionOf(replicaSets: readonly ReplicaSet[]): bigint {
  let most = 0n;
  for (const replicaSet of replicaSets) {
    const revision = revisionOf(replicaSet);
    if (revision > most) most = revision;
  }
  return most;
}

/** Of two replica sets, for a sort by revision, the lowest first. */
export function byRevision(left: ReplicaSet, right: ReplicaSet): number {
  const [before, after] = [revisionOf(left), revisionOf(right)];
  if (before === after) return 0;
  return before < after ? -1 : 1;
}

function revisionIn(text: string | undefined): bigint | undefined {
  return text !== undefined && /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}

/** The Deployment's wish when the replica set was last scaled. */
export function desiredReplicasOf({ metadata }: ReplicaSet): number | undefined {
  return integerOf(metadata.annotations?.[DESIRED_REPLICAS]);
}

/** {@link MAX_REPLICAS} of a replica set. */
export function maxReplicasOf({ metadata }: ReplicaSet): number | undefined {
  return integerOf(metadata.annotations?.[MAX_REPLICAS]);
}

function integerOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

/** Annotations with the Deployment's scale in them; the argument itself if it is there already. */
export function withScale(annotations: StringMap | undefined, desired: number, max: number): StringMap {
  const [desiredText, maxText] = [String(desired), String(max)];
  if (annotations?.[DESIRED_REPLICAS] === desiredText && annotations[MAX_REPLICAS] === maxText) return annotations;
  return { ...annotations, [DESIRED_REPLICAS]: desiredText, [MAX_REPLICAS]: maxText };
}

/**
 * What a replica set's annotations should be now that it stands for `revision`: the Deployment's own
 * copied over, and its former revision moved to the history. The argument itself if nothing changes.
 */
export function withRevision(annotations: StringMap | undefined, deployment: Deployment, revision: bigint): StringMap {
  const copied = withCopied(annotations ?? NO_ANNOTATIONS, deployment);
  const former = copied[REVISION];
  const formerRevision = former === undefined || former === '' ? 0n : revisionIn(former);
  if (formerRevision === undefined || formerRevision >= revision) return copied;
  const next = { ...copied, [REVISION]: String(revision) };
  if (former === undefined) return next;
  const history = appendHistory(copied[REVISION_HISTORY] ?? '', former);
  return history === undefined ? next : { ...next, [REVISION_HISTORY]: history };
}

function withCopied(annotations: StringMap, { metadata }: Deployment): StringMap {
  let copied: Record<string, string> | undefined;
  for (const [key, value] of Object.entries(metadata.annotations ?? NO_ANNOTATIONS)) {
    if (NOT_COPIED.has(key) || annotations[key] === value) continue;
    copied ??= { ...annotations };
    copied[key] = value;
  }
  return copied ?? annotations;
}

/** The oldest revisions make room for the newest; `undefined` when even that one does not fit. */
function appendHistory(history: string, revision: string): string | undefined {
  if (history === '') return revision;
  const revisions = history.split(',');
  let length = history.length + revision.length + 1;
  let start = 0;
  while (length > MAX_HISTORY_LENGTH && start < revisions.length) {
    length -= (revisions[start]?.length ?? 0) + 1;
    start += 1;
  }
  return length <= MAX_HISTORY_LENGTH ? [...revisions.slice(start), revision].join(',') : undefined;
}

/** A Deployment's annotations after it went back: those of the replica set, and its own bookkeeping. */
export function rollbackAnnotations({ metadata }: Deployment, replicaSet: ReplicaSet): StringMap {
  return Object.fromEntries([
    ...Object.entries(metadata.annotations ?? NO_ANNOTATIONS).filter(([key]) => NOT_COPIED.has(key)),
    ...Object.entries(replicaSet.metadata.annotations ?? NO_ANNOTATIONS).filter(([key]) => !NOT_COPIED.has(key)),
  ]);
}
