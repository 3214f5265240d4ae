/** The pods that a job makes. Mirrors kube-controller-manager v1.34 pkg/controller/job/indexed_job_utils.go. */
import type { Job } from '../../api/objects/batch-objects.js';
import type { Container, Draft, Pod, PodSpec, PodTemplateSpec } from '../../api/objects/objects.js';
import { controllerReference } from '../../api/objects/owners.js';
import {
  COMPLETION_INDEX,
  FAILURE_COUNT,
  failureCountOf,
  hasLimitPerIndex,
  IGNORED_FAILURE_COUNT,
  ignoredFailureCountOf,
  isIndexed,
  TRACKING_FINALIZER,
} from './job-pods.js';
import { judgeFailure } from './pod-failure-policy.js';
import { podNamePrefix } from '../shared/pod-name-prefix.js';

const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
/** What a generated name may begin with at most. */
const MAX_PREFIX_LENGTH = 58;

/** Specs of templates with the index among their containers' variables; pods of one template share all but the host name. */
const indexedSpecs = new WeakMap<PodTemplateSpec, PodSpec>();

/** What the pods of a job look like. */
export class PodDrafts {
  readonly #job: Job;
  readonly #draft: Draft;
  readonly #metadata: NonNullable<PodTemplateSpec['metadata']>;
  readonly #spec: PodSpec;

  constructor(job: Job) {
    const { metadata, spec } = job;
    const { template } = spec;
    this.#job = job;
    this.#metadata = template.metadata ?? {};
    this.#spec = isIndexed(job) ? indexedSpecOf(template) : template.spec;
    const { labels, annotations, finalizers = [] } = this.#metadata;
    this.#draft = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        generateName: podNamePrefix(metadata.name),
        ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
        finalizers: finalizers.includes(TRACKING_FINALIZER) ? finalizers : [...finalizers, TRACKING_FINALIZER],
        ownerReferences: [controllerReference(job)],
      },
      spec: this.#spec,
    };
  }

  /** A pod of a job without indexes. */
  get plain(): Draft {
    return this.#draft;
  }

  /** The pod of an index. @param predecessor - the failed pod that it replaces, if any */
  indexed(index: number, predecessor: Pod | undefined): Draft {
    const { name } = this.#job.metadata;
    const failures = hasLimitPerIndex(this.#job) ? failureAnnotations(this.#job, predecessor) : {};
    return {
      ...this.#draft,
      metadata: {
        ...this.#draft.metadata,
        generateName: namePrefix(name, index),
        labels: { ...this.#metadata.labels, [COMPLETION_INDEX]: String(index) },
        annotations: { ...this.#metadata.annotations, [COMPLETION_INDEX]: String(index), ...failures },
      },
      spec: { ...this.#spec, hostname: `${name}-${index}` },
    };
  }
}

function namePrefix(name: string, index: number): string {
  const suffix = `-${index}-`;
  return name.length + suffix.length > MAX_PREFIX_LENGTH
    ? `${name.slice(0, MAX_PREFIX_LENGTH - suffix.length)}${suffix}`
    : `${name}${suffix}`;
}

function failureAnnotations({ spec }: Job, predecessor: Pod | undefined): Readonly<Record<string, string>> {
  if (predecessor === undefined) return { [FAILURE_COUNT]: '0' };
  const { isCounted } = judgeFailure(spec.podFailurePolicy, predecessor);
  const ignored = ignoredFailureCountOf(predecessor) + (isCounted ? 0 : 1);
  return {
    [FAILURE_COUNT]: String(failureCountOf(predecessor) + (isCounted ? 1 : 0)),
    ...(ignored === 0 ? {} : { [IGNORED_FAILURE_COUNT]: String(ignored) }),
  };
}

function indexedSpecOf(template: PodTemplateSpec): PodSpec {
  let spec = indexedSpecs.get(template);
  if (spec === undefined) {
    const { containers, initContainers } = template.spec;
    spec = {
      ...template.spec,
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withIndexVariable) }),
      containers: containers.map(withIndexVariable),
    };
    indexedSpecs.set(template, spec);
  }
  return spec;
}

function withIndexVariable(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === INDEX_VARIABLE)) return container;
  const valueFrom = { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${COMPLETION_INDEX}']` } };
  return { ...container, env: [...env, { name: INDEX_VARIABLE, valueFrom }] };
}
