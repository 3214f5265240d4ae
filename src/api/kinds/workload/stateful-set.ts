/** Stateful sets (pkg/registry/apps/statefulset, pkg/apis/apps/v1/defaults.go and validation, v1.34). */
import { isSameJson } from '../../values/canonical-json.js';
import { forbidden, invalid, invalidEach, notSupported, required } from '../../errors/field-errors.js';
import { asGo } from '../../go/go-json.js';
import { dns1123Label } from '../../values/names.js';
import type { apps, core, Draft } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import type { StatefulSet } from '../../objects/workload-objects.js';
import { describeKind } from '../rules/describe-kind.js';
import { validateClaimSpec } from '../rules/claim-validation.js';
import { changedField, filled, mapShared } from '../rules/filling.js';
import { validateLabelSelector } from '../rules/label-selector-validation.js';
import { nonNegative } from '../rules/number-validation.js';
import { defaultedClaimSpec } from '../storage/persistent-volume-claim.js';
import { defaultedTemplate } from '../pod/pod-spec-defaults.js';
import { validateSeccompAnnotations } from '../pod/annotated-profiles.js';
import { validatePodSpec } from '../pod/pod-spec-validation.js';
import { validateCollisions, validateCounts } from './replica-counts.js';
import { isSelector, validateEndlessness, validateTemplateMetadata } from './workload-validation.js';

type Spec = StatefulSet['spec'];

const NO_TEMPLATE: Spec['template'] = { spec: { containers: [] } };
const RETENTION: apps.StatefulSetPersistentVolumeClaimRetentionPolicy = Object.freeze({
  whenDeleted: 'Retain',
  whenScaled: 'Retain',
});
const RETENTIONS = ['Retain', 'Delete'];
const COUNTS = ['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;
/** What an update may touch, in the order in which the refusal names it. */
const MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const satisfies readonly (keyof Spec)[];
const IMMUTABLE = `updates to statefulset spec for fields other than ${MUTABLE.slice(0, -1)
  .map((field) => `'${field}'`)
  .join(', ')} and 'minReadySeconds' are forbidden`;

/** The description of stateful sets. */
export const statefulSetKind = describeKind<'StatefulSet'>({
  kind: 'StatefulSet',
  group: 'apps',
  plural: 'statefulsets',
  shortNames: ['sts'],
  hasStatus: true,
  generation: 'spec',
  nameCheck: dns1123Label,
  applyDefaults(draft: Draft): Draft {
    const spec = defaultedSpec((draft['spec'] ?? {}) as Spec);
    return spec === draft['spec'] ? draft : { ...draft, spec };
  },
  // MaxUnavailableStatefulSet
  droppedFields: ['spec.updateStrategy.rollingUpdate.maxUnavailable'],
  prepareForCreate: (set) => ({ ...set, status: { replicas: 0, availableReplicas: 0 } }),
  validate: ({ spec }, stored) => [
    ...validatePodManagement(spec),
    ...validateStrategy(spec.updateStrategy ?? {}),
    ...validateRetention(spec.persistentVolumeClaimRetentionPolicy ?? {}),
    // What may not change later is looked at once.
    ...(stored === undefined ? validateClaims(spec) : []),
    ...nonNegative(spec.replicas, 'spec.replicas'),
    ...nonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...nonNegative(spec.ordinals?.start, 'spec.ordinals.start'),
    ...(stored === undefined ? validateServiceName(spec) : []),
    ...validateSelector(spec.selector),
    ...validateTemplate(spec),
  ],
  validateChange: (next, previous) =>
    isSameJson(fixedPart(next.spec), fixedPart(previous.spec)) ? [] : [forbidden('spec', IMMUTABLE)],
  validateStatusChange: ({ status }, { status: before }) => [
    ...validateCounts(status, {
      counts: [...COUNTS, 'observedGeneration', 'collisionCount'],
      parts: COUNTS,
      readyName: 'status.readyReplicas',
    }),
    ...validateCollisions(status, before),
  ],
});

function validateClaims({ volumeClaimTemplates = [] }: Spec): FieldError[] {
  return volumeClaimTemplates.flatMap(({ spec = {} }, index) =>
    validateClaimSpec(spec, `spec.volumeClaimTemplates[${index}].spec`),
  );
}

function validateServiceName({ serviceName = '' }: Partial<Spec>): FieldError[] {
  return serviceName === '' ? [] : invalidEach('spec.serviceName', serviceName, dns1123Label(serviceName));
}

function defaultedSpec(spec: Spec): Spec {
  let result: Spec = filled(spec, {
    podManagementPolicy: 'OrderedReady',
    updateStrategy: {},
    replicas: 1,
    revisionHistoryLimit: 10,
    template: NO_TEMPLATE,
    persistentVolumeClaimRetentionPolicy: RETENTION,
  });
  result = changedField(result, 'updateStrategy', defaultedStrategy);
  result = changedField(result, 'persistentVolumeClaimRetentionPolicy', (policy) => filled(policy, RETENTION));
  result = changedField(result, 'volumeClaimTemplates', (templates) => mapShared(templates, defaultedClaim));
  return changedField(result, 'template', defaultedTemplate);
}

/** One that states its type alone gets no parameters: a set without a partition makes lost pods as it made them before. */
function defaultedStrategy(strategy: apps.StatefulSetUpdateStrategy): apps.StatefulSetUpdateStrategy {
  const isStated = strategy.type !== undefined && strategy.type !== '';
  const typed = isStated ? strategy : filled({ ...strategy, type: 'RollingUpdate' }, { rollingUpdate: {} });
  if (typed.type !== 'RollingUpdate' || typed.rollingUpdate === undefined) return typed;
  return changedField(typed, 'rollingUpdate', (update) => filled(update, { partition: 0 }));
}

function defaultedClaim(template: core.PersistentVolumeClaim): core.PersistentVolumeClaim {
  // A template says nothing of its kind that would be kept.
  const named = { ...template, apiVersion: 'v1', kind: 'PersistentVolumeClaim' } as const;
  const complete = filled(named, { spec: {}, status: { phase: 'Pending' } });
  return changedField(complete, 'spec', defaultedClaimSpec);
}

function validatePodManagement({ podManagementPolicy: policy = '' }: Spec): FieldError[] {
  if (policy === '') return [required('spec.podManagementPolicy')];
  if (policy === 'OrderedReady' || policy === 'Parallel') return [];
  return [invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")];
}

function validateStrategy(strategy: apps.StatefulSetUpdateStrategy): FieldError[] {
  const { type = '', rollingUpdate } = strategy;
  switch (type) {
    case '':
      return [required('spec.updateStrategy')];
    case 'OnDelete':
      if (rollingUpdate === undefined) return [];
      return [
        invalid(
          'spec.updateStrategy.rollingUpdate',
          asGo('RollingUpdateStatefulSetStrategy', rollingUpdate),
          "only allowed for updateStrategy 'RollingUpdate'",
        ),
      ];
    case 'RollingUpdate':
      return nonNegative(rollingUpdate?.partition, 'spec.updateStrategy.rollingUpdate.partition');
    default:
      return [
        invalid(
          'spec.updateStrategy',
          asGo('StatefulSetUpdateStrategy', strategy),
          "must be 'RollingUpdate' or 'OnDelete'",
        ),
      ];
  }
}

function validateRetention(policy: apps.StatefulSetPersistentVolumeClaimRetentionPolicy): FieldError[] {
  return (['whenDeleted', 'whenScaled'] as const).flatMap((field) => {
    const value = policy[field];
    if (value === undefined || RETENTIONS.includes(value)) return [];
    return [notSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, value, RETENTIONS)];
  });
}

function validateSelector(selector: Partial<Spec>['selector']): FieldError[] {
  if (selector === undefined) return [required('spec.selector')];
  const errors = [...validateLabelSelector(selector, 'spec.selector')];
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) {
    errors.push(
      invalid('spec.selector', asGo('*LabelSelector', selector), 'empty selector is invalid for statefulset'),
    );
  }
  return isSelector(selector) ? errors : [...errors, invalid('spec.selector', asGo('*LabelSelector', selector), '')];
}

/** The template with the volumes that its claims bring; the controller names the pods and their domain itself. */
function validateTemplate(spec: Spec): FieldError[] {
  return [
    ...validateTemplateMetadata(spec),
    ...validatePodSpec(withClaims(spec), 'spec.template.spec', 'template'),
    ...validateSeccompAnnotations(spec.template, 'spec.template.spec'),
    ...validateEndlessness(spec, 'StatefulSet'),
  ];
}

function withClaims({ template, volumeClaimTemplates = [] }: Spec): Spec['template']['spec'] {
  const { subdomain = '', hostname = '', volumes = [] } = template.spec;
  if (subdomain === '' && hostname === '' && volumeClaimTemplates.length === 0) return template.spec;
  const { subdomain: _subdomain, hostname: _hostname, ...spec } = template.spec;
  const names = new Set(volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? ''));
  const claimed = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...spec, volumes: [...claimed, ...volumes.filter(({ name }) => !names.has(name))] };
}

function fixedPart(spec: Spec): Partial<Spec> {
  const fixed: Partial<Spec> = { ...spec };
  for (const field of MUTABLE) Reflect.deleteProperty(fixed, field);
  return fixed;
}
