import { ApiError } from '../api/errors/api-error.js';
import { isCustomKind } from '../api/custom/custom-kind.js';
import type { AnyObject, Draft, DraftMeta, Kind, ObjectName } from '../api/objects/objects.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import {
  classify,
  orderForApply,
  parseManifests,
  type IgnoredObject,
  pathOfField,
  type ManifestDocument,
  type SimulatedObject,
} from '../workload/manifest.js';
import { validateCustomFields, validateFields, type FieldValidation } from '../workload/field-validation.js';
import { isStage } from '../stages/read-stage.js';
import { stageOf } from '../stages/stage-files.js';
import { resolveRef } from '../options/object-ref.js';
import type { Warnings } from '../observers/warnings.js';
import { flagOption, OptionError, refuseUnknown } from '../options/option-error.js';
import type { ClusterParts } from './cluster-parts.js';
import { applyPatch, mergePatch } from './three-way-merge.js';

/** Where kubectl keeps the manifest that was applied last. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** What became of one manifest; kinds that are not simulated are ignored, stages of kwok played. */
export type Applied =
  | { readonly action: 'created' | 'configured' | 'unchanged'; readonly object: AnyObject }
  | { readonly action: 'ignored'; readonly ignored: IgnoredObject }
  | { readonly action: 'played'; readonly object: AnyObject };

/** How to apply. */
export interface ApplyOptions {
  /** Goes all the way and then takes everything back: what would become of it, without doing it. */
  readonly dryRun?: boolean;
  /**
   * What becomes of fields that a kind does not know and of fields that stand twice, as `kubectl --validate` has it:
   * `strict` refuses, `warn` tells of them in `cluster.warnings$` and drops them, `ignore` drops them; `true` and
   * `false` stand for `strict` and `ignore`. @defaultValue strict
   */
  readonly validate?: FieldValidation | boolean;
}

const VALIDATIONS: ReadonlyMap<unknown, FieldValidation> = new Map<unknown, FieldValidation>([
  ['strict', 'strict'],
  ['warn', 'warn'],
  ['ignore', 'ignore'],
  [true, 'strict'],
  [false, 'ignore'],
]);

/** Carries the outcome of a dry run out of the transaction that it ends. */
class DryRunEnd extends Error {
  constructor(readonly applied: readonly Applied[]) {
    super('dry run');
  }
}

/** Applies manifests as `kubectl apply` does, all of them or, when one is refused, none. */
export function applyAll(
  { server, stages: played }: Pick<ClusterParts, 'server' | 'stages'>,
  input: string | Draft | readonly Draft[],
  options: ApplyOptions,
  warnings: Warnings,
): readonly Applied[] {
  const { dryRun, validate } = resolveApplyOptions(options);
  const documents = documentsOf(input);
  const stages = documents.filter(isStage);
  const read = stages.flatMap((document) => stageOf(document) ?? []);
  const { objects, ignored } = classify(
    stages.length === 0 ? documents : documents.filter((document) => !isStage(document)),
    server.customKinds,
    server.optionalVersions,
  );
  const warn = (warning: string): void => warnings.tell(`Warning: ${warning}`);
  validateFields(objects, validate, warn);
  const ordered = orderForApply(objects);
  const work = (): readonly Applied[] =>
    ordered.map((object) => {
      const { kind, draft, isCustom, other } = object;
      if (isCustom) validateCustomFields(object, server.describe(kind), validate, warn);
      return placed(object, () => applyOne(server, kind, other?.keep(draft) ?? draft));
    });
  const applied = warnings.withoutServer(() => (dryRun ? rehearse(server, work) : server.transaction(work)));
  if (!dryRun) played.add(read);
  return [
    ...stages.map(({ draft }): Applied => ({ action: 'played', object: draft as AnyObject })),
    ...applied,
    ...ignored.map((object): Applied => ({ action: 'ignored', ignored: object })),
  ];
}

function resolveApplyOptions(options: ApplyOptions) {
  refuseUnknown('', options, ['dryRun', 'validate']);
  const { validate = 'strict' } = options;
  const found = VALIDATIONS.get(validate);
  if (found === undefined) {
    throw new OptionError('validate', 'strict, warn, ignore, true or false', validate);
  }
  return { dryRun: flagOption('dryRun', options.dryRun), validate: found };
}

function rehearse(server: ApiServer, work: () => readonly Applied[]): readonly Applied[] {
  try {
    return server.transaction(() => {
      throw new DryRunEnd(work());
    });
  } catch (error) {
    if (error instanceof DryRunEnd) return error.applied;
    throw error;
  }
}

function documentsOf(input: string | Draft | readonly Draft[]): readonly ManifestDocument[] {
  if (typeof input === 'string') return parseManifests(input, 'manifest');
  const drafts: readonly Draft[] = Array.isArray(input) ? (input as readonly Draft[]) : [input as Draft];
  return parseManifests(drafts, 'object');
}

/** Does what an object asks for; an error tells where the object, or the field that is refused, is written. */
function placed<T>({ positionOf, isText }: SimulatedObject, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError && isText) error.place = positionOf(pathOfField(error.details?.causes?.[0]?.field));
    throw error;
  }
}

function applyOne(server: ApiServer, kind: Kind, draft: Draft): Applied {
  const marked = withLastApplied(draft);
  const name = draft.metadata?.name;
  const ref: ObjectName | undefined =
    name === undefined ? undefined : resolveRef(server, kind, { namespace: draft.metadata?.namespace, name });
  const live = ref === undefined ? undefined : server.find(kind, ref);
  if (ref === undefined || live === undefined) return { action: 'created', object: server.create(kind, marked) };
  const isCustom = isCustomKind(server.describe(kind));
  const before = lastApplied(live.metadata);
  const object = isCustom
    ? server.patch(kind, ref, { type: 'merge', body: mergePatch(before, marked) })
    : server.patch(kind, ref, { type: 'strategic', body: applyPatch(before, marked) });
  const isSame = object.metadata.resourceVersion === live.metadata.resourceVersion;
  return { action: isSame ? 'unchanged' : 'configured', object };
}

function withLastApplied(draft: Draft): Draft {
  const { metadata = {} } = draft;
  const { [LAST_APPLIED]: _dropped, ...annotations } = metadata.annotations ?? {};
  const plain = { ...draft, metadata: { ...metadata, annotations } };
  const text = `${JSON.stringify(plain)}\n`;
  return { ...plain, metadata: { ...metadata, annotations: { ...annotations, [LAST_APPLIED]: text } } };
}

function lastApplied(metadata: DraftMeta): Readonly<Record<string, unknown>> {
  const text = metadata.annotations?.[LAST_APPLIED];
  return text === undefined ? {} : (JSON.parse(text) as Record<string, unknown>);
}
