/**
 * The revisions of a daemon set: one for each template it has had, the present one among them. Their
 * names are made of the hash that the pods carry, unlike those of stateful sets. Mirrors
 * kube-controller-manager v1.34 pkg/controller/daemon/update.go.
 */
import { isApiError } from '../../api/errors/api-error.js';
import { compileLabelSelector } from '../../api/selectors/labels.js';
import type { ControllerRevision, DaemonSet } from '../../api/objects/objects.js';
import { controllerOf, controllerReference } from '../../api/objects/owners.js';
import { templateHash } from '../../api/go/template-hash.js';
import { adoptAndRelease } from '../shared/adoption.js';
import { isSameRevision, sortedRevisions, templateData } from '../history/controller-revisions.js';
import { deleteRevision, renumberRevision } from '../history/revision-writes.js';
import { RetryError } from '../runtime/retry-error.js';
import { REVISION_LABEL } from './daemon-pod.js';
import type { DaemonSetSync } from './daemon-set-sync.js';

/** The revisions of a daemon set. */
export interface DaemonHistory {
  /** What new pods carry as the hash of their revision. */
  readonly hash: string;
  readonly old: readonly ControllerRevision[];
}

/** Finds the present revision, or writes it. @throws the API's refusal */
export async function syncHistory(sync: DaemonSetSync, mustAdopt: boolean): Promise<DaemonHistory> {
  const { context, memory, set } = sync;
  const known = mustAdopt ? await adoptRevisions(sync) : memory.revisionsOf(set);
  const data = { data: templateData(set.spec.template) };
  const current: ControllerRevision[] = [];
  const old: ControllerRevision[] = [];
  for (const revision of known) {
    const labelled = await withHashLabel(sync, revision);
    (isSameRevision(labelled, data) ? current : old).push(labelled);
  }
  const number = Math.max(0, ...old.map(({ revision }) => revision)) + 1;
  if (current.length === 0) return { hash: hashOf(await snapshot(sync, number)), old };
  const kept = await withoutDuplicates(sync, current);
  if (kept.revision < number) await renumberRevision(context.api, kept, number);
  return { hash: hashOf(kept), old };
}

/** Deletes old revisions beyond the limit, lowest number first; those that pods carry stay. */
export async function trimHistory(sync: DaemonSetSync, old: readonly ControllerRevision[]): Promise<void> {
  const { revisionHistoryLimit = old.length } = sync.set.spec;
  let excess = old.length - revisionHistoryLimit;
  if (excess <= 0) return;
  const live = new Set<string | undefined>();
  for (const { metadata } of sync.memory.podsOf(sync.set)) live.add(metadata.labels?.[REVISION_LABEL]);
  for (const revision of sortedRevisions(old)) {
    if (excess <= 0) return;
    if (live.has(hashOf(revision))) continue;
    await deleteRevision(sync.context.api, revision);
    excess -= 1;
  }
}

function hashOf({ metadata }: ControllerRevision): string {
  return metadata.labels?.[REVISION_LABEL] ?? '';
}

async function adoptRevisions({ context, memory, set }: DaemonSetSync): Promise<ControllerRevision[]> {
  const selector = compileLabelSelector(set.spec.selector);
  const candidates = [...memory.revisionsOf(set), ...memory.orphanRevisionsIn(set.metadata.namespace)];
  const isInOrder = (revision: ControllerRevision): boolean =>
    controllerOf(revision) !== undefined && selector.matches(revision.metadata.labels);
  if (candidates.every(isInOrder)) return candidates;
  const adoption = {
    api: context.api,
    owner: set,
    ownerKind: 'DaemonSet',
    kind: 'ControllerRevision',
    selector,
  } as const;
  return adoptAndRelease(adoption, candidates);
}

/** Labels a revision that has no hash, as one that a user wrote, with its name in place of one. */
async function withHashLabel(
  { context: { api } }: DaemonSetSync,
  revision: ControllerRevision,
): Promise<ControllerRevision> {
  const { name, labels, uid } = revision.metadata;
  if (labels?.[REVISION_LABEL] !== undefined) return revision;
  return api.change(
    'ControllerRevision',
    revision.metadata,
    (current) => ({
      ...current,
      metadata: { ...current.metadata, labels: { ...current.metadata.labels, [REVISION_LABEL]: name } },
    }),
    { preconditions: { uid } },
  );
}

/** Of several revisions of the present template the one of the highest number stays, and all pods take its hash. */
async function withoutDuplicates(
  sync: DaemonSetSync,
  current: readonly ControllerRevision[],
): Promise<ControllerRevision> {
  const [first, ...others] = current as [ControllerRevision, ...ControllerRevision[]];
  const kept = others.reduce((best, each) => (each.revision >= best.revision ? each : best), first);
  if (others.length === 0) return kept;
  const { api } = sync.context;
  const hash = hashOf(kept);
  for (const { metadata } of sync.memory.podsOf(sync.set)) {
    if (metadata.labels?.[REVISION_LABEL] === hash) continue;
    await api.patch('Pod', metadata, { type: 'merge', body: { metadata: { labels: { [REVISION_LABEL]: hash } } } });
  }
  for (const revision of current) if (revision !== kept) await deleteRevision(api, revision);
  return kept;
}

/** Writes the present template down. A name that is taken by another template changes the next sync's hash. */
async function snapshot({ context: { api }, set }: DaemonSetSync, revision: number): Promise<ControllerRevision> {
  const { metadata, spec, status } = set;
  const { namespace, annotations } = metadata;
  const hash = templateHash(spec.template, status.collisionCount);
  const name = `${metadata.name}-${hash}`;
  const data = templateData(spec.template);
  try {
    return await api.create('ControllerRevision', {
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        labels: { ...spec.template.metadata?.labels, [REVISION_LABEL]: hash },
        ...(annotations === undefined ? {} : { annotations }),
        ownerReferences: [controllerReference(set)],
      },
      data,
      revision,
    });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
    const taken = await api.get('ControllerRevision', { namespace, name });
    if (isSameRevision(taken, { data })) return taken;
    const fresh = await api.get('DaemonSet', metadata);
    await raiseCollisionCount(api, set, fresh);
    throw error;
  }
}

async function raiseCollisionCount(
  api: DaemonSetSync['context']['api'],
  { metadata: { name }, status: { collisionCount: seen } }: DaemonSet,
  { metadata, status: { collisionCount } }: DaemonSet,
): Promise<void> {
  if (collisionCount !== seen) {
    throw new RetryError(
      `found a stale collision count (${seen}, expected ${collisionCount}) of DaemonSet "${name}" while processing; will retry until it is updated`,
    );
  }
  const { uid, resourceVersion } = metadata;
  await api.change(
    'DaemonSet',
    metadata,
    (current) => ({ ...current, status: { ...current.status, collisionCount: (collisionCount ?? 0) + 1 } }),
    { subresource: 'status', preconditions: { uid, resourceVersion } },
  );
}
