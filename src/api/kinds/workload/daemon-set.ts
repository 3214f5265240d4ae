/** Daemon sets (pkg/registry/apps/daemonset, pkg/apis/apps/v1/defaults.go and validation, v1.34). */
import { isSameJson } from '../../values/canonical-json.js';
import { invalid, notSupported, required } from '../../errors/field-errors.js';
import { asGo } from '../../go/go-json.js';
import { compileLabelSelector } from '../../selectors/labels.js';
import type { apps, Draft } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import type { DaemonSet } from '../../objects/workload-objects.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField, filled } from '../rules/filling.js';
import { amountOf, validateAtMost100Percent, validateIntOrPercent } from '../rules/int-or-percent.js';
import { validateLabelSelector } from '../rules/label-selector-validation.js';
import { nonNegative } from '../rules/number-validation.js';
import { defaultedTemplate } from '../pod/pod-spec-defaults.js';
import { validateCollisions } from './replica-counts.js';
import { validateSelectorKept, validateWorkloadTemplate } from './workload-validation.js';

type Spec = DaemonSet['spec'];

/** Annotation that counts the templates a DaemonSet has had; upstream's internal field of that name. */
export const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

const NO_TEMPLATE: Spec['template'] = { spec: { containers: [] } };
const ROLLING_UPDATE: apps.RollingUpdateDaemonSet = Object.freeze({ maxUnavailable: 1, maxSurge: 0 });
const STRATEGIES = ['RollingUpdate', 'OnDelete'];
const COUNTS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
] as const satisfies readonly (keyof DaemonSet['status'])[];

/** The description of daemon sets. */
export const daemonSetKind = describeKind<'DaemonSet'>({
  kind: 'DaemonSet',
  group: 'apps',
  plural: 'daemonsets',
  shortNames: ['ds'],
  hasStatus: true,
  generation: 'spec',
  applyDefaults(draft: Draft): Draft {
    const spec = defaultedSpec((draft['spec'] ?? {}) as Spec);
    return counted(spec === draft['spec'] ? draft : { ...draft, spec });
  },
  prepareForCreate: (set) =>
    withTemplateGeneration(
      {
        ...set,
        status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
      },
      Math.max(1, templateGenerationOf(set)),
    ),
  prepareForUpdate: (next, previous) =>
    withTemplateGeneration(
      next,
      templateGenerationOf(previous) + (isSameJson(next.spec.template, previous.spec.template) ? 0 : 1),
    ),
  prepareForStatusUpdate: (next, previous) => withTemplateGeneration(next, templateGenerationOf(previous)),
  validate: ({ spec }) => [
    ...validateSelector(spec.selector),
    ...validateWorkloadTemplate(spec, 'DaemonSet'),
    ...nonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...validateStrategy(spec.updateStrategy ?? {}, 'spec.updateStrategy'),
    ...nonNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit'),
  ],
  validateChange: (next, previous) => validateSelectorKept(next.spec, previous.spec),
  validateStatusChange: ({ status }, { status: before }) => [
    ...COUNTS.flatMap((count) => nonNegative(status[count], `status.${count}`)),
    ...validateCollisions(status, before),
  ],
});

/** In v1 the count is always there. */
function counted(draft: Draft): Draft {
  const { annotations } = draft.metadata ?? {};
  if (annotations?.[TEMPLATE_GENERATION] !== undefined) return draft;
  return { ...draft, metadata: { ...draft.metadata, annotations: { ...annotations, [TEMPLATE_GENERATION]: '0' } } };
}

/** 0 when there is none. */
function templateGenerationOf({ metadata }: DaemonSet): number {
  const text = metadata.annotations?.[TEMPLATE_GENERATION];
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : 0;
}

/** The server's count always wins over what a client writes. */
function withTemplateGeneration(set: DaemonSet, generation: number): DaemonSet {
  const { metadata } = set;
  const text = String(generation);
  if (metadata.annotations?.[TEMPLATE_GENERATION] === text) return set;
  return {
    ...set,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [TEMPLATE_GENERATION]: text } },
  };
}

function defaultedSpec(spec: Spec): Spec {
  const complete = filled(spec, { template: NO_TEMPLATE, updateStrategy: {}, revisionHistoryLimit: 10 });
  const rolling = changedField(complete, 'updateStrategy', (strategy) => {
    const typed = filled(strategy, { type: 'RollingUpdate' });
    if (typed.type !== 'RollingUpdate') return typed;
    return changedField(filled(typed, { rollingUpdate: ROLLING_UPDATE }), 'rollingUpdate', (update) =>
      filled(update, ROLLING_UPDATE),
    );
  });
  return changedField(rolling, 'template', defaultedTemplate);
}

/** An absent selector selects nothing, so it is the template's labels that are refused then. */
function validateSelector(selector: Partial<Spec>['selector']): FieldError[] {
  const errors = [...validateLabelSelector(selector, 'spec.selector')];
  if (selector !== undefined && compileLabelSelector(selector).isEmpty) {
    errors.push(invalid('spec.selector', asGo('*LabelSelector', selector), 'empty selector is invalid for daemonset'));
  }
  return errors;
}

function validateStrategy({ type = '', rollingUpdate }: apps.DaemonSetUpdateStrategy, field: string): FieldError[] {
  const own = `${field}.rollingUpdate`;
  switch (type) {
    case 'OnDelete':
      return [];
    case 'RollingUpdate':
      return rollingUpdate === undefined ? [required(own)] : validateRollingUpdate(rollingUpdate, own);
    default:
      return [notSupported(field, asGo('DaemonSetUpdateStrategy', { type, rollingUpdate }), STRATEGIES)];
  }
}

function validateRollingUpdate(update: apps.RollingUpdateDaemonSet, field: string): FieldError[] {
  const { maxUnavailable = 0, maxSurge = 0 } = update;
  const errors = [
    ...validateIntOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...validateIntOrPercent(maxSurge, `${field}.maxSurge`),
    ...validateAtMost100Percent(maxUnavailable, `${field}.maxUnavailable`),
    ...validateAtMost100Percent(maxSurge, `${field}.maxSurge`),
  ];
  const [hasUnavailable, hasSurge] = [amountOf(maxUnavailable) !== 0, amountOf(maxSurge) !== 0];
  if (hasUnavailable && hasSurge) {
    errors.push(invalid(`${field}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  }
  if (!hasUnavailable && !hasSurge) {
    errors.push(required(`${field}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  }
  return errors;
}
