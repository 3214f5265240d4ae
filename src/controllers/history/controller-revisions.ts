/**
 * The history of a workload as ControllerRevisions: what they hold, what they are called, in what order
 * they came, and which of them say the same. Stateful sets and daemon sets keep theirs so. Nothing here
 * talks to the API server (revision-writes.ts does). Mirrors kube-controller-manager v1.34
 * pkg/controller/history.
 */
import { isSameJson } from '../../api/values/canonical-json.js';
import { goJson } from '../../api/go/go-json.js';
import type { ControllerRevision, PodTemplateSpec } from '../../api/objects/objects.js';
import { safeEncode } from '../../api/go/template-hash.js';

/** Label of a stateful set's revision: the hash of its data, which also ends its name. */
export const REVISION_HASH_LABEL = 'controller.kubernetes.io/hash';

/** Longest part of an owner's name that leaves room for a dash and a hash. */
const MAX_PREFIX_LENGTH = 223;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** A patch that puts the template it holds in the place of another. */
interface TemplateData {
  readonly spec: { readonly template: PodTemplateSpec & { readonly $patch: 'replace' } };
}

const dataByTemplate = new WeakMap<PodTemplateSpec, ControllerRevision['data']>();
const templates = new WeakMap<object, PodTemplateSpec>();

/** What a revision records of a workload: its pod template, as a patch. The same template gives the same object. */
export function templateData(template: PodTemplateSpec): ControllerRevision['data'] {
  let data = dataByTemplate.get(template);
  if (data === undefined) {
    data = { spec: { template: { ...template, $patch: 'replace' } } } satisfies TemplateData;
    dataByTemplate.set(template, data);
    templates.set(data, template);
  }
  return data;
}

/** The pod template that a revision recorded; the same object each time it is asked for. */
export function templateOfRevision({ data }: Pick<ControllerRevision, 'data'>): PodTemplateSpec {
  let template = templates.get(data);
  if (template === undefined) {
    const { $patch: _directive, ...recorded } = (data as unknown as TemplateData).spec.template;
    template = recorded;
    templates.set(data, template);
  }
  return template;
}

/** Whether two revisions record the same. */
export function isSameRevision(
  left: Pick<ControllerRevision, 'data'>,
  right: Pick<ControllerRevision, 'data'>,
): boolean {
  return isSameJson(left.data, right.data);
}

/**
 * Hash of a revision's data: FNV-1 over its JSON with sorted keys, then the decimal digits of `collisionCount`.
 * Equal to upstream's for the same data.
 */
export function revisionHash(data: object, collisionCount: number): string {
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(`${goJson(data)}${collisionCount}`, 'utf8')) {
    hash = (Math.imul(hash, FNV_PRIME) ^ byte) >>> 0;
  }
  return safeEncode(String(hash));
}

/** `<owner>-<hash>`, the owner's name cut so that the whole is a valid name. */
export function revisionName(ownerName: string, hash: string): string {
  return `${ownerName.slice(0, MAX_PREFIX_LENGTH)}-${hash}`;
}

/** By number, then age, then name: the newest revision is the last one. */
export function sortedRevisions(revisions: Iterable<ControllerRevision>): ControllerRevision[] {
  return [...revisions].sort(
    (left, right) =>
      left.revision - right.revision ||
      compareTexts(left.metadata.creationTimestamp, right.metadata.creationTimestamp) ||
      compareTexts(left.metadata.name, right.metadata.name),
  );
}

/** The number that comes after those of `revisions`, which are in order. */
export function nextRevisionNumber(revisions: readonly ControllerRevision[]): number {
  return (revisions.at(-1)?.revision ?? 0) + 1;
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
