/** Jobs (pkg/registry/batch/job, pkg/apis/batch/v1/defaults.go, v1.34). */
import type { Job, JobSpec } from '../../objects/batch-objects.js';
import type { Draft } from '../../objects/objects.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField, filled, mapShared } from '../rules/filling.js';
import { validateJob, validateJobChange } from './job-spec-validation.js';
import { validateJobStatusChange } from './job-status-validation.js';
import { defaultedTemplate } from '../pod/pod-spec-defaults.js';
import { MAX_INT32 } from '../../values/int32.js';

const NO_TEMPLATE: JobSpec['template'] = { spec: { containers: [] } };
const BACKOFF_LIMIT = 6;

/** The description of jobs. */
export const jobKind = describeKind({
  kind: 'Job',
  group: 'batch',
  plural: 'jobs',
  hasStatus: true,
  generation: 'spec',
  selectableFields: { 'status.successful': ({ status }) => String(status.succeeded ?? 0) },
  applyDefaults(draft: Draft): Draft {
    const spec = defaultedSpec((draft['spec'] ?? {}) as JobSpec);
    return spec === draft['spec'] ? draft : { ...draft, spec };
  },
  prepareForCreate(job) {
    const selecting = job.spec.manualSelector === true ? job : withSelector(job);
    return { ...withTemplateLabels(selecting), status: {} };
  },
  prepareForUpdate: withTemplateLabels,
  validate: validateJob,
  validateChange: validateJobChange,
  validateStatusChange: validateJobStatusChange,
});

/** What a job's template gets wherever it stands: in a job, or in a cron job. */
export function defaultedJobTemplate(spec: JobSpec): JobSpec {
  const templated = changedField(filled(spec, { template: NO_TEMPLATE }), 'template', defaultedTemplate);
  return changedField(templated, 'podFailurePolicy', (policy) =>
    changedField(policy, 'rules', (rules) =>
      mapShared(rules, (rule) =>
        changedField(rule, 'onPodConditions', (patterns) =>
          mapShared(patterns, (pattern) => (pattern.status === '' ? { ...pattern, status: 'True' } : pattern)),
        ),
      ),
    ),
  );
}

function defaultedSpec(spec: JobSpec): JobSpec {
  const isBare = spec.completions === undefined && spec.parallelism === undefined;
  return defaultedJobTemplate(
    filled(spec, {
      parallelism: 1,
      ...(isBare ? { completions: 1 } : {}),
      backoffLimit: spec.backoffLimitPerIndex === undefined ? BACKOFF_LIMIT : MAX_INT32,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
      manualSelector: false,
    }),
  );
}

/** A job without labels of its own gets those of its pods. */
function withTemplateLabels(job: Job): Job {
  const labels = job.spec.template.metadata?.labels;
  if (labels === undefined || Object.keys(job.metadata.labels ?? {}).length > 0) return job;
  return { ...job, metadata: { ...job.metadata, labels } };
}

/** The job's pods get its uid and name as labels, and the job selects them by its uid; what is there stays. */
function withSelector(job: Job): Job {
  const { spec } = job;
  const { name, uid } = job.metadata;
  const labels = filled(spec.template.metadata?.labels ?? {}, {
    'job-name': name,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'batch.kubernetes.io/controller-uid': uid,
  });
  const selector = spec.selector ?? {};
  const matchLabels = filled(selector.matchLabels ?? {}, { 'batch.kubernetes.io/controller-uid': uid });
  return {
    ...job,
    spec: {
      ...spec,
      selector: { ...selector, matchLabels },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
}
