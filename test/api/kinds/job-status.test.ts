/** What the API server refuses in a job's status, so that the count of its pods cannot go backwards. */
import test from 'ava';
import { createApiServer } from '../../../src/apiserver/api-server.js';
import type { ApiServer } from '../../../src/apiserver/store/server-types.js';
import type { JobStatus } from '../../../src/api/objects/batch-objects.js';
import { createKernel } from '../../../src/kernel/engine/kernel.js';
import { answerOf } from '../object-pipeline.js';

const NAME = { namespace: 'default', name: 'j' };
const START = '2030-01-01T00:00:00Z';
const PREFIX = 'Job.batch "j" is invalid: ';

function isTrue(type: string): { readonly type: string; readonly status: 'True' } {
  return { type, status: 'True' };
}

function serverWith(spec: object, status: JobStatus): ApiServer {
  const server = createApiServer(createKernel({ seed: 'jobs' }));
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  server.create('Job', { metadata: NAME, spec: { template, ...spec } });
  put(server, status);
  return server;
}

function put(server: ApiServer, status: JobStatus): void {
  server.change('Job', NAME, (job) => ({ ...job, status }), { subresource: 'status' });
}

/** What is answered to a status that follows another one. */
function answer(before: JobStatus, after: JobStatus, spec: object = {}): string {
  const server = serverWith(spec, before);
  return answerOf(() => put(server, after)).replace(PREFIX, '');
}

test('counts of pods that have ended never go back', (t) => {
  t.is(answer({ failed: 2 }, { failed: 1 }), 'status.failed: Invalid value: 1: cannot decrease the failed counter');
  t.is(answer({ succeeded: 2 }, {}), 'status.succeeded: Invalid value: 0: cannot decrease the succeeded counter');
  const elastic = { completionMode: 'Indexed', completions: 3, parallelism: 3 };
  t.is(answer({ succeeded: 2, completedIndexes: '0,1' }, { succeeded: 1, completedIndexes: '0' }, elastic), 'accepted');
  t.is(
    answer({}, { uncountedTerminatedPods: { succeeded: ['a'], failed: ['a'] } }),
    'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
  );
});

test('a job ends in order, and only once', (t) => {
  const invalid = 'status.conditions: Invalid value: ';
  t.is(
    answer({ startTime: START }, { startTime: START, conditions: [isTrue('Failed')] }),
    `${invalid}cannot set Failed=True condition without the FailureTarget=true condition`,
  );
  t.is(
    answer({ startTime: START }, { startTime: START, completionTime: START, conditions: [isTrue('Complete')] }),
    `${invalid}cannot set Complete=True condition without the SuccessCriteriaMet=true condition`,
  );
  t.is(
    answer({ conditions: [isTrue('SuccessCriteriaMet')] }, {}),
    `${invalid}cannot disable the SuccessCriteriaMet=True condition`,
  );
  t.is(
    answer({ conditions: [isTrue('FailureTarget')] }, {}),
    `${invalid}cannot disable the terminal FailureTarget=True condition`,
  );
  t.is(
    answer(
      { conditions: [isTrue('FailureTarget')] },
      { conditions: [isTrue('FailureTarget'), isTrue('SuccessCriteriaMet')] },
    ),
    `${invalid}cannot set SuccessCriteriaMet=True and FailureTarget=true conditions`,
  );
});

test('a job that has ended has a beginning, an end, and no pods', (t) => {
  const done = {
    conditions: [isTrue('SuccessCriteriaMet'), isTrue('Complete')],
    completionTime: START,
    startTime: START,
  };
  const met = { conditions: [isTrue('SuccessCriteriaMet')], startTime: START };
  t.is(answer(met, done), 'accepted');
  t.is(answer(met, { ...done, active: 1 }), 'status.active: Invalid value: 1: active>0 is invalid for finished job');
  t.is(
    answer(met, { ...done, terminating: 1 }),
    'status.terminating: Invalid value: 1: terminating>0 is invalid for finished job',
  );
  t.is(
    answer(met, { ...done, uncountedTerminatedPods: { failed: ['a'] } }),
    'status.uncountedTerminatedPods: Invalid value: {"Succeeded":null,"Failed":["a"]}: must be empty for finished job',
  );
  const { completionTime: _end, ...endless } = done;
  t.is(answer(met, endless), 'status.completionTime: Required value: completionTime is required for Complete jobs');
  t.is(
    answer(met, { ...met, completionTime: START }),
    `status.completionTime: Invalid value: "${START}": cannot set completionTime when there is no Complete=True condition`,
  );
  t.is(answer({}, { ready: 1 }), 'status.ready: Invalid value: 1: cannot set more ready pods than active');
});

test('the time of a start changes only when a suspended job goes on', (t) => {
  const later = '2030-01-01T01:00:00Z';
  t.is(
    answer({ startTime: START }, { startTime: later }),
    'status.startTime: Required value: startTime cannot be removed for unsuspended job',
  );
  const suspended = { startTime: START, conditions: [isTrue('Suspended')] };
  t.is(answer(suspended, { startTime: later, conditions: [{ type: 'Suspended', status: 'False' }] }), 'accepted');
});

test('lists of indexes are of indexes that the job has, and share none', (t) => {
  const spec = { completionMode: 'Indexed', completions: 5, backoffLimitPerIndex: 1 };
  t.is(
    answer({}, { completedIndexes: '0-5' }, spec),
    'status.completedIndexes: Invalid value: "0-5": error parsing completedIndexes: too large index: "5"',
  );
  t.is(
    answer({}, { completedIndexes: '0,2-3', failedIndexes: '1,3-4' }, spec),
    'status.failedIndexes: Invalid value: "1,3-4": failedIndexes and completedIndexes overlap at index: 3',
  );
  t.is(
    answer({}, { failedIndexes: '1' }),
    'status.failedIndexes: Invalid value: "1": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
  );
  t.is(
    answer({}, { completedIndexes: '0' }),
    'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
  );
});
