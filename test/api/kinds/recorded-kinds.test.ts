/** Holds storage kinds and workloads against a real server's, where the recordings are at hand. */
import test from 'ava';
import { persistentVolumeClaimKind } from '../../../src/api/kinds/storage/persistent-volume-claim.js';
import { persistentVolumeKind } from '../../../src/api/kinds/storage/persistent-volume.js';
import { cronJobKind } from '../../../src/api/kinds/workload/cron-job.js';
import { jobKind } from '../../../src/api/kinds/workload/job.js';
import { daemonSetKind } from '../../../src/api/kinds/workload/daemon-set.js';
import { podDisruptionBudgetKind } from '../../../src/api/kinds/workload/pod-disruption-budget.js';
import { statefulSetKind } from '../../../src/api/kinds/workload/stateful-set.js';
import { storageClassKind } from '../../../src/api/kinds/storage/storage-class.js';
import type { Draft, KubeObject } from '../../../src/api/objects/objects.js';
import { readRecordings } from '../recordings.js';
import { createdBy } from './kind-pipeline.js';

const CREATED_AT = '2026-01-01T00:00:00Z';
const KINDS = new Map<string, (draft: Draft) => KubeObject>([
  ['CronJob', (draft) => createdBy(cronJobKind, draft)],
  ['Job', (draft) => createdBy(jobKind, draft)],
  ['DaemonSet', (draft) => createdBy(daemonSetKind, draft)],
  ['PersistentVolume', (draft) => createdBy(persistentVolumeKind, draft)],
  ['PersistentVolumeClaim', (draft) => createdBy(persistentVolumeClaimKind, draft)],
  ['PodDisruptionBudget', (draft) => createdBy(podDisruptionBudgetKind, draft)],
  ['StatefulSet', (draft) => createdBy(statefulSetKind, draft)],
  ['StorageClass', (draft) => createdBy(storageClassKind, draft)],
]);

test('new objects look as a real server shows them', (t) => {
  const recordings = readRecordings('defaults');
  if (recordings.length === 0) t.log('no recordings of defaults on this machine');
  for (const { name, request, response } of recordings) {
    const create = KINDS.get(response.kind ?? '');
    if (create === undefined) continue;
    const time = response.metadata?.creationTimestamp ?? '';
    const text = JSON.stringify(response).replaceAll(time, CREATED_AT);
    const { uid = 'u1' } = response.metadata ?? {};
    const expected = JSON.parse(text.replaceAll(uid, 'u1')) as KubeObject;
    t.deepEqual(comparable(create(request.body as Draft)), comparable(expected), name);
  }
  t.pass();
});

/** What does not depend on when and where an object was made. */
function comparable({ metadata, apiVersion: _version, ...rest }: KubeObject): unknown {
  return { ...rest, finalizers: metadata.finalizers };
}
