/** Reads stages out of plain data, whole and strictly: every expression and every template, before anything runs. */
import { TemplateError } from '../templates/template-error.js';
import { durationOf, testOf, weightOf } from './expressions.js';
import type { Json } from './jq/jq-values.js';
import type { Stage, StageApply, StageEvent, StageFinalizers, StagePatch, StageStep, StageTest } from './stage.js';
import { StageError, StageField } from './stage-error.js';
import { checkTemplate } from './stage-templates.js';

/** What stages are written in. */
const STAGE_VERSION = 'kwok.x-k8s.io/v1alpha1';

/** Whether an object is a stage, by its own account. */
export function isStage({ apiVersion, kind }: { readonly apiVersion?: unknown; readonly kind?: unknown }): boolean {
  return apiVersion === STAGE_VERSION && kind === 'Stage';
}

const SPEC = [
  'resourceRef',
  'selector',
  'weight',
  'weightFrom',
  'delay',
  'next',
  'immediateNextStage',
  'steps',
] as const;
const DELAY = ['durationMilliseconds', 'durationFrom', 'jitterDurationMilliseconds', 'jitterDurationFrom'] as const;
const STEP = ['event', 'finalizers', 'delete', 'patch', 'apply'] as const;
const NEXT = [
  'event',
  'finalizers',
  'delete',
  'patches',
  'statusTemplate',
  'statusSubresource',
  'statusPatchAs',
] as const;

/** @returns undefined for a stage without a selector, which selects nothing. @throws StageError */
export function readStage(value: unknown): Stage | undefined {
  const whole = new StageField(value).fields(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
  if (whole.apiVersion.value !== STAGE_VERSION) whole.apiVersion.refuse(STAGE_VERSION);
  if (whole.kind.value !== 'Stage') whole.kind.refuse('Stage');
  const spec = whole.spec.fields(SPEC);
  const { apiGroup, kind } = spec.resourceRef.fields(['apiGroup', 'kind']);
  const delay = (spec.delay.isAbsent ? new StageField({}, spec.delay.path) : spec.delay).fields(DELAY);
  const stage = {
    name: nameOf(whole.metadata),
    apiVersion: apiGroup.textOr('v1') || 'v1',
    kind: kind.text() || kind.refuse('the name of a kind such as Pod'),
    weight: weightOf(spec.weight, spec.weightFrom),
    delay: durationOf(delay.durationMilliseconds, delay.durationFrom, false),
    jitter: durationOf(delay.jitterDurationMilliseconds, delay.jitterDurationFrom, true),
    steps: stepsOf(spec.steps, spec.next),
    isImmediate: spec.immediateNextStage.flag(),
    source: value as Json,
  };
  return spec.selector.isAbsent ? undefined : { ...stage, tests: testsOf(spec.selector) };
}

function nameOf(metadata: StageField): string {
  const { value } = metadata;
  const name = typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined;
  return new StageField(name, ['metadata', 'name']).text();
}

function testsOf(selector: StageField): readonly StageTest[] {
  const fields = selector.fields(['matchLabels', 'matchAnnotations', 'matchExpressions']);
  return [
    ...fields.matchLabels.textMap().map(([key, text]) => entryTest('labels', key, text)),
    ...fields.matchAnnotations.textMap().map(([key, text]) => entryTest('annotations', key, text)),
    ...fields.matchExpressions.items().map(testOf),
  ];
}

function entryTest(field: 'labels' | 'annotations', key: string, text: string): StageTest {
  return ({ object }) => {
    const metadata = object['metadata'] as Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
    const entries = metadata?.[field] ?? {};
    return Object.hasOwn(entries, key) && entries[key] === text;
  };
}

const NOTHING: StageStep = {
  event: undefined,
  finalizers: undefined,
  deletes: false,
  patch: undefined,
  apply: undefined,
};

/** Steps, or the older `next` as the steps that it stands for. */
function stepsOf(steps: StageField, next: StageField): readonly StageStep[] {
  const own = steps.items().map(stepOf);
  if (next.isAbsent) return own;
  const older = next.fields(NEXT);
  const { event, finalizers, patches, statusTemplate, statusSubresource, statusPatchAs } = older;
  if (!statusPatchAs.isAbsent) statusPatchAs.fields(['username']).username.text();
  const ofNext: StageStep[] = [
    ...(event.isAbsent ? [] : [{ ...NOTHING, event: eventOf(event) }]),
    ...(finalizers.isAbsent ? [] : [{ ...NOTHING, finalizers: finalizersOf(finalizers) }]),
    ...patches.items().map((patch) => ({ ...NOTHING, patch: patchOf(patch) })),
  ];
  if (patches.items().length === 0 && statusTemplate.textOr('') !== '') {
    const template = templateOf(statusTemplate);
    const patch = { template, root: 'status', subresource: statusSubresource.textOr('status'), type: undefined };
    ofNext.push({ ...NOTHING, patch });
  }
  if (older.delete.flag()) ofNext.push({ ...NOTHING, deletes: true });
  return own.length > 0 ? own : ofNext;
}

function stepOf(field: StageField): StageStep {
  const { event, finalizers, patch, apply, delete: deletes } = field.fields(STEP);
  return {
    event: event.isAbsent ? undefined : eventOf(event),
    finalizers: finalizers.isAbsent ? undefined : finalizersOf(finalizers),
    deletes: deletes.flag(),
    patch: patch.isAbsent ? undefined : patchOf(patch),
    apply: apply.isAbsent ? undefined : applyOf(apply),
  };
}

function eventOf(field: StageField): StageEvent {
  const { type, reason, message } = field.fields(['type', 'reason', 'message']);
  return { type: type.textOr(''), reason: reason.textOr(''), message: message.textOr('') };
}

function finalizersOf(field: StageField): StageFinalizers {
  const { add, remove, empty } = field.fields(['add', 'remove', 'empty']);
  return { add: valuesOf(add), remove: valuesOf(remove), isEmptied: empty.flag() };
}

function valuesOf(list: StageField): readonly string[] {
  return list.items().map((item) => item.fields(['value']).value.text());
}

function patchOf(field: StageField): StagePatch {
  const patch = field.fields(['subresource', 'root', 'template', 'type', 'impersonation']);
  if (!patch.impersonation.isAbsent) patch.impersonation.fields(['username']).username.text();
  return {
    template: templateOf(patch.template),
    root: patch.root.textOr(''),
    subresource: patch.subresource.textOr(''),
    type: patch.type.oneOf(['json', 'merge', 'strategic']),
  };
}

function applyOf(field: StageField): StageApply {
  const apply = field.fields(['template', 'subresource', 'type', 'impersonation']);
  if (!apply.impersonation.isAbsent) apply.impersonation.fields(['username']).username.text();
  return {
    template: templateOf(apply.template),
    subresource: apply.subresource.textOr(''),
    type: apply.type.oneOf(['apply', 'merge', 'strategic']) ?? 'apply',
  };
}

function templateOf(field: StageField): string {
  const text = field.text();
  try {
    checkTemplate(text);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new StageError(field.path, `must be a template of Go (${error.message})`);
  }
  return text;
}
