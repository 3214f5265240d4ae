/** Tables of the kinds that make pods (pkg/printers/internalversion, v1.34). */
import {
  age,
  ageOf,
  containerCells,
  count,
  humanDuration,
  labelsText,
  list,
  nameOf,
  NONE,
  part,
  selectorText,
  text,
  type CellTime,
  type Fields,
} from './cells.js';
import { compileLabelSelector } from '../../api/selectors/labels.js';
import type { KindTable } from './columns.js';

const TEMPLATE = ['spec', 'template', 'spec'] as const;

const replicaSetTable: KindTable = {
  columns: 'Name|Desired:i|Current:i|Ready:i|Age|Containers*|Images*|Selector*',
  cells: (set, time) => {
    const { replicas, readyReplicas } = part(set, 'status');
    const sizes = [count(part(set, 'spec')['replicas']), count(replicas), count(readyReplicas)];
    const selector = part(set, 'spec', 'selector');
    const shown = set['kind'] === 'ReplicationController' ? labelsText(selector) : selectorText(selector);
    return [nameOf(set), ...sizes, age(set, time), ...containerCells(part(set, ...TEMPLATE)), shown];
  },
};

/** The tables by kind. */
export const WORKLOAD_TABLES: Readonly<Record<string, KindTable>> = {
  ReplicaSet: replicaSetTable,
  ReplicationController: replicaSetTable,
  Deployment: {
    columns: 'Name|Ready|Up-to-date|Available|Age|Containers*|Images*|Selector*',
    cells: (deployment, time) => {
      const { readyReplicas, updatedReplicas, availableReplicas } = part(deployment, 'status');
      const { replicas } = part(deployment, 'spec');
      return [
        nameOf(deployment),
        `${count(readyReplicas)}/${count(replicas)}`,
        count(updatedReplicas),
        count(availableReplicas),
        age(deployment, time),
        ...containerCells(part(deployment, ...TEMPLATE)),
        // That of a bookmark, which has none, is empty.
        compileLabelSelector(part(deployment, 'spec', 'selector')).text,
      ];
    },
  },
  StatefulSet: {
    columns: 'Name|Ready|Age|Containers*|Images*',
    cells: (set, time) => [
      nameOf(set),
      `${count(part(set, 'status')['readyReplicas'])}/${count(part(set, 'spec')['replicas'])}`,
      age(set, time),
      ...containerCells(part(set, ...TEMPLATE)),
    ],
  },
  DaemonSet: {
    columns:
      'Name|Desired:i|Current:i|Ready:i|Up-to-date:i|Available:i|Node Selector|Age|Containers*|Images*|Selector*',
    cells: (set, time) => {
      const status = part(set, 'status');
      const fields = [
        'desiredNumberScheduled',
        'currentNumberScheduled',
        'numberReady',
        'updatedNumberScheduled',
        'numberAvailable',
      ];
      const template = part(set, ...TEMPLATE);
      return [
        nameOf(set),
        ...fields.map((field) => count(status[field])),
        labelsText(part(template, 'nodeSelector')),
        age(set, time),
        ...containerCells(template),
        selectorText(part(set, 'spec', 'selector')),
      ];
    },
  },
  Job: {
    columns: 'Name|Status|Completions|Duration|Age|Containers*|Images*|Selector*',
    cells: (job, time) => [
      nameOf(job),
      jobStatus(job),
      completionsOf(job),
      jobDuration(part(job, 'status'), time),
      age(job, time),
      ...containerCells(part(job, ...TEMPLATE)),
      selectorText(part(job, 'spec', 'selector')),
    ],
  },
  CronJob: {
    columns: 'Name|Schedule|Timezone|Suspend:b|Active:i|Last Schedule|Age|Containers*|Images*|Selector*',
    cells: (job, time) => {
      const { schedule, timeZone, suspend } = part(job, 'spec');
      const { lastScheduleTime } = part(job, 'status');
      const jobSpec = part(job, 'spec', 'jobTemplate', 'spec');
      return [
        nameOf(job),
        text(schedule),
        text(timeZone, NONE),
        text(suspend === true ? 'True' : 'False'),
        list(job, 'status', 'active').length,
        lastScheduleTime === undefined ? NONE : ageOf(lastScheduleTime, time),
        age(job, time),
        ...containerCells(part(jobSpec, 'template', 'spec')),
        jobSpec['selector'] === undefined ? NONE : selectorText(part(jobSpec, 'selector')),
      ];
    },
  },
  ControllerRevision: {
    columns: 'Name|Controller|Revision|Age',
    cells: (revision, time) => {
      const owner = list(revision, 'metadata', 'ownerReferences').find(({ controller }) => controller === true);
      return [
        nameOf(revision),
        owner === undefined ? NONE : ownerText(owner),
        count(revision['revision']),
        age(revision, time),
      ];
    },
  },
  Scale: {
    columns: 'Name:s|Desired:i|Available:i|Age',
    cells: (scale, time) => [
      nameOf(scale),
      count(part(scale, 'spec')['replicas']),
      count(part(scale, 'status')['replicas']),
      age(scale, time),
    ],
  },
  PodTemplate: {
    columns: 'Name|Containers|Images|Pod Labels',
    cells: (template) => [
      nameOf(template),
      ...containerCells(part(template, 'template', 'spec')),
      labelsText(part(template, 'template', 'metadata', 'labels')),
    ],
  },
};

/** `statefulset.apps/web`. */
function ownerText({ apiVersion, kind, name }: Fields): string {
  const [group, version] = text(apiVersion).split('/');
  const suffix = version === undefined ? '' : `.${group ?? ''}`;
  return `${text(kind).toLowerCase()}${suffix}/${text(name)}`;
}

function completionsOf(job: Fields): string {
  const { completions, parallelism } = part(job, 'spec');
  const succeeded = count(part(job, 'status')['succeeded']);
  if (completions !== undefined) return `${succeeded}/${count(completions)}`;
  return count(parallelism) > 1 ? `${succeeded}/1 of ${count(parallelism)}` : `${succeeded}/1`;
}

function jobDuration({ startTime, completionTime }: Fields, time: CellTime): string {
  if (startTime === undefined) return '';
  if (completionTime === undefined) return ageOf(startTime, time);
  const { timestamps } = time;
  return humanDuration(timestamps.toMs(text(completionTime)) - timestamps.toMs(text(startTime)));
}

/** Conditions in the order in which they are asked for, with the word for each. */
const JOB_WORDS: readonly (readonly [condition: string, word: string])[] = [
  ['Complete', 'Complete'],
  ['Failed', 'Failed'],
  ['', 'Terminating'],
  ['Suspended', 'Suspended'],
  ['FailureTarget', 'FailureTarget'],
  ['SuccessCriteriaMet', 'SuccessCriteriaMet'],
];

function jobStatus(job: Fields): string {
  const conditions = list(job, 'status', 'conditions').filter(({ status }) => status === 'True');
  const isDeleted = part(job, 'metadata')['deletionTimestamp'] !== undefined;
  const found = JOB_WORDS.find(([wanted]) =>
    wanted === '' ? isDeleted : conditions.some(({ type }) => type === wanted),
  );
  return found?.[1] ?? 'Running';
}
