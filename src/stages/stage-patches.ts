/** What a stage writes: the patches of its templates and of its finalizers (kwok, pkg/utils/lifecycle/next.go, finalizers.go). */
import type { PatchBody } from '../api/patches/patch.js';
import type { Json, JsonObject } from './jq/jq-values.js';
import { StageFailure, type StageFinalizers, type StagePatch } from './stage.js';
import type { StageTemplates } from './stage-templates.js';

/** The patch that a template comes to. @param usual - its type where none is said. @throws StageFailure */
export function templatePatch(
  { template, root, type }: StagePatch,
  object: JsonObject,
  usual: 'merge' | 'strategic',
  templates: StageTemplates,
  nowMs: number,
): PatchBody {
  const rendered = templates.render(template, object, nowMs);
  if (type !== 'json') return { type: type ?? usual, body: root === '' ? rendered : { [root]: rendered } };
  if (!Array.isArray(rendered)) throw new StageFailure('the template of a JSON patch must be a list of operations');
  if (root === '') return { type, body: rendered };
  const operations = rendered as readonly { readonly path?: string }[];
  return { type, body: operations.map((each) => ({ ...each, path: `/${root}${each.path ?? ''}` })) };
}

/** Whether a patch is about the status alone. */
export function writesStatus({ root, subresource }: StagePatch): boolean {
  return root === 'status' || subresource === 'status';
}

const PATH = '/metadata/finalizers';

/** The patch that brings finalizers in order; undefined where there is nothing to do. */
export function finalizersPatch(
  present: readonly string[],
  { add, remove, isEmptied }: StageFinalizers,
): PatchBody | undefined {
  const removed = present.flatMap((each, index) => (remove.includes(each) ? [index] : []));
  const isGone = isEmptied || (remove.length > 0 && removed.length === present.length);
  const operations: Json[] = isGone
    ? present.length === 0
      ? []
      : [{ op: 'remove', path: PATH }]
    : removed.toReversed().map((index) => ({ op: 'remove', path: `${PATH}/${index}` }));
  if (add.length > 0) {
    if (isGone || present.length === 0) operations.push({ op: 'add', path: PATH, value: add });
    else {
      const missing = add.filter((each) => !present.includes(each));
      operations.push(...missing.map((value) => ({ op: 'add', path: `${PATH}/-`, value })));
    }
  }
  return operations.length === 0 ? undefined : { type: 'json', body: operations };
}
