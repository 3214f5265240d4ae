import test from 'ava';
import type { Job } from '../../../src/api/objects/batch-objects.js';
import type { Pod } from '../../../src/api/objects/objects.js';
import { excessPods } from '../../../src/controllers/job/excess-pods.js';
import { pod } from '../objects.js';

const JOB = { metadata: { name: 'j' }, spec: {} } as unknown as Job;
const READY = { node: 'n', readySince: '2030-01-01T00:30:00Z' };

function withInit(name: string, restartPolicy: 'Always' | undefined, restartCount: number): Pod {
  const plain = pod(name, READY);
  const init = { name: 's', image: 'pause', ...(restartPolicy === undefined ? {} : { restartPolicy }) };
  const status = { name: 's', image: 'pause', imageID: '', ready: true, restartCount };
  return {
    ...plain,
    spec: { ...plain.spec, initContainers: [init] },
    status: { ...plain.status, initContainerStatuses: [status] },
  };
}

test('of a job, too, restarts of sidecars count after those of regular containers, and those of other init containers not', (t) => {
  const pods = [
    withInit('init', undefined, 9),
    withInit('calmer', 'Always', 1),
    withInit('sidecar', 'Always', 2),
    pod('regular', { ...READY, restarts: 1 }),
  ];
  const first = (count: number): string[] => excessPods(JOB, pods, count).map(({ metadata }) => metadata.name);
  t.deepEqual(first(3), ['regular', 'sidecar', 'calmer']);
});
