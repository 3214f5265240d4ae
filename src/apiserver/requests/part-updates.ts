/**
 * Updates through endpoints that write one part of an object alone: a pod's ephemeral containers and its resources,
 * and the approval of a certificate. What they write is stored and judged; nothing here acts on it. Mirrors the
 * strategies in pkg/registry/core/pod and pkg/registry/certificates (v1.34).
 */
import { validateApproval } from '../../api/kinds/plain/validation/certificates.js';
import { validateEphemeralContainersKept } from '../../api/kinds/pod/ephemeral-container-validation.js';
import { resizedSpec, validateResize } from '../../api/kinds/pod/pod-resize.js';
import { validatePodSpec } from '../../api/kinds/pod/pod-spec-validation.js';
import type { Draft, DraftMeta, Kind, KindMap, Pod, PodSpec } from '../../api/objects/objects.js';
import type { PlainObject } from '../../api/objects/plain-kinds.js';
import type { FieldError } from '../../api/objects/resource-kind.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import type { Subresource } from '../store/server-types.js';
import { updatedMetadata } from './metadata.js';

type Fields = Readonly<Record<string, unknown>>;

/** What comes of such an update. */
interface PartUpdate {
  readonly next: object;
  readonly errors: readonly FieldError[];
}

/** The object with the part that is wanted, and what is wrong with it. @param time - the present */
export function partUpdate<K extends Kind>(
  part: Exclude<Subresource, 'status'>,
  wanted: Draft,
  previous: KindMap[K],
  time: string,
): { readonly next: KindMap[K]; readonly errors: readonly FieldError[] } {
  const update = UPDATES[part](wanted, previous, time);
  return { next: update.next as KindMap[K], errors: update.errors };
}

const UPDATES: Readonly<
  Record<Exclude<Subresource, 'status'>, (wanted: Fields, previous: object, time: string) => PartUpdate>
> = {
  ephemeralcontainers: (wanted, previous) => withEphemeral(wanted, previous as Pod),
  resize: (wanted, previous) => resized(wanted, previous as Pod),
  approval: (wanted, previous, time) => approved(wanted, previous as PlainObject, time),
};

function withEphemeral({ spec, metadata: wanted }: Fields, previous: Pod): PartUpdate {
  const after = (spec as Partial<PodSpec> | undefined)?.ephemeralContainers ?? [];
  const { ephemeralContainers: before = [], ...rest } = previous.spec;
  const next: PodSpec = { ...rest, ...(after.length === 0 ? {} : { ephemeralContainers: after }) };
  const errors = [...validatePodSpec(next, 'spec', 'pod'), ...validateEphemeralContainersKept(after, before)];
  const metadata = updatedMetadata(previous.metadata, wanted as DraftMeta | undefined);
  return { next: { ...previous, metadata, spec: next }, errors };
}

function resized({ spec, metadata: wanted }: Fields, previous: Pod): PartUpdate {
  const metadata = updatedMetadata(previous.metadata, wanted as DraftMeta | undefined);
  const next = { ...previous, metadata, spec: resizedSpec(spec as PodSpec, previous.spec) };
  return { next, errors: validateResize(next, previous) };
}

interface Condition {
  readonly type: string;
  readonly status?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

function approved({ status, metadata: wanted }: Fields, previous: PlainObject, time: string): PartUpdate {
  const before = conditionsOf(previous.status);
  const after = conditionsOf(status).map((condition): Condition => {
    const old = before.find(({ type }) => type === condition.type);
    if (old !== undefined && isSameJson(old, condition)) return old;
    const changedAt = old?.status === condition.status ? old?.lastTransitionTime : undefined;
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? time,
      lastTransitionTime: condition.lastTransitionTime ?? changedAt ?? time,
    };
  });
  const metadata = updatedMetadata(previous.metadata, wanted as DraftMeta | undefined);
  const next = { ...previous, metadata, status: { ...previous.status, conditions: after } };
  return { next, errors: validateApproval(next, previous) };
}

function conditionsOf(status: unknown): readonly Condition[] {
  const { conditions } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
  return conditions ?? [];
}
