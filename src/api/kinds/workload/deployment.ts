/** Deployments (pkg/registry/apps/deployment, pkg/apis/apps/v1/defaults.go and validation, v1.34). */
import { asGo } from '../../go/go-json.js';
import { forbidden, invalid, notSupported, required } from '../../errors/field-errors.js';
import type { apps, Deployment, Draft } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField, filled } from '../rules/filling.js';
import { amountOf, validateAtMost100Percent, validateIntOrPercent } from '../rules/int-or-percent.js';
import { nonNegative } from '../rules/number-validation.js';
import { validateCollisions, validateCounts } from './replica-counts.js';
import { defaultedTemplate } from '../pod/pod-spec-defaults.js';
import { validateSelectorKept, validateWorkloadSelector, validateWorkloadTemplate } from './workload-validation.js';

type DeploymentSpec = Deployment['spec'];

const NO_TEMPLATE: DeploymentSpec['template'] = { spec: { containers: [] } };
const ROLLING_UPDATE: apps.RollingUpdateDeployment = Object.freeze({ maxUnavailable: '25%', maxSurge: '25%' });
const STRATEGIES = ['Recreate', 'RollingUpdate'];
const COUNTS = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'collisionCount',
] as const satisfies readonly (keyof Deployment['status'])[];

/** The description of deployments. */
export const deploymentKind = describeKind({
  kind: 'Deployment',
  group: 'apps',
  plural: 'deployments',
  shortNames: ['deploy'],
  hasStatus: true,
  generation: 'spec-and-annotations',
  applyDefaults(draft: Draft): Draft {
    const spec = defaultedSpec((draft['spec'] ?? {}) as DeploymentSpec);
    return spec === draft['spec'] ? draft : { ...draft, spec };
  },
  // DeploymentReplicaSetTerminatingReplicas
  droppedFields: ['status.terminatingReplicas'],
  prepareForCreate: (deployment) => ({ ...deployment, status: {} }),
  prepareForStatusUpdate(next, previous) {
    const { labels } = previous.metadata;
    if (labels === next.metadata.labels) return next;
    const { labels: _sent, ...metadata } = next.metadata;
    return { ...next, metadata: labels === undefined ? metadata : { ...metadata, labels } };
  },
  validate: ({ spec }) => [
    ...nonNegative(spec.replicas, 'spec.replicas'),
    ...validateWorkloadSelector(spec),
    ...validateWorkloadTemplate(spec),
    ...validateStrategy(spec.strategy ?? {}, 'spec.strategy'),
    ...nonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...nonNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit'),
    ...validateDeadline(spec),
  ],
  validateChange: (next, previous) => validateSelectorKept(next.spec, previous.spec),
  validateStatusChange: ({ status }, { status: before }) => [
    ...validateCounts(status, { counts: COUNTS, parts: ['updatedReplicas', 'readyReplicas', 'availableReplicas'] }),
    ...validateCollisions(status, before),
  ],
});

function defaultedSpec(spec: DeploymentSpec): DeploymentSpec {
  const complete = filled(spec, {
    replicas: 1,
    template: NO_TEMPLATE,
    strategy: {},
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
  const rolling = changedField(complete, 'strategy', (strategy) => {
    const typed = filled(strategy, { type: 'RollingUpdate' });
    if (typed.type !== 'RollingUpdate') return typed;
    return changedField(filled(typed, { rollingUpdate: ROLLING_UPDATE }), 'rollingUpdate', (update) =>
      filled(update, ROLLING_UPDATE),
    );
  });
  return changedField(rolling, 'template', defaultedTemplate);
}

function validateStrategy({ type = '', rollingUpdate }: apps.DeploymentStrategy, field: string): FieldError[] {
  const own = `${field}.rollingUpdate`;
  switch (type) {
    case 'Recreate':
      if (rollingUpdate === undefined) return [];
      return [forbidden(own, "may not be specified when strategy `type` is 'Recreate'")];
    case 'RollingUpdate':
      if (rollingUpdate === undefined) return [required(own, 'this should be defaulted and never be nil')];
      return validateRollingUpdate(rollingUpdate, own);
    default:
      return [notSupported(field, asGo('DeploymentStrategy', { type, rollingUpdate }), STRATEGIES)];
  }
}

function validateRollingUpdate(update: apps.RollingUpdateDeployment, field: string): FieldError[] {
  const { maxUnavailable = 0, maxSurge = 0 } = update;
  const errors = [
    ...validateIntOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...validateIntOrPercent(maxSurge, `${field}.maxSurge`),
  ];
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) {
    errors.push(invalid(`${field}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  errors.push(...validateAtMost100Percent(maxUnavailable, `${field}.maxUnavailable`));
  return errors;
}

function validateDeadline({ progressDeadlineSeconds, minReadySeconds = 0 }: DeploymentSpec): FieldError[] {
  const field = 'spec.progressDeadlineSeconds';
  if (progressDeadlineSeconds === undefined) return [];
  const errors = nonNegative(progressDeadlineSeconds, field);
  if (progressDeadlineSeconds <= minReadySeconds) {
    errors.push(invalid(field, progressDeadlineSeconds, 'must be greater than minReadySeconds'));
  }
  return errors;
}
