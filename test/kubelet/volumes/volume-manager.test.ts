import test from 'ava';
import { createCluster } from '../../../src/index.js';
import { DATA_POD, DATA_VOLUME } from './data-volume.js';

const MANIFEST = `${DATA_VOLUME}---${DATA_POD}`;

for (const seconds of [25, 50, 100]) {
  test(`a volume that took ${seconds} s to be attached › is mounted at once, without a back-off`, async (t) => {
    const cluster = createCluster({
      nodes: 1,
      latency: 1,
      runtime: { volumeMount: 0 },
      controllerManager: { volumeAttachMs: seconds * 1000 },
    });
    t.teardown(() => cluster.dispose());
    await cluster.ready();
    const toldMs = new Map<string, number>();
    cluster.events$.subscribe(({ atMs, event: { reason = '' } }) => toldMs.set(reason, atMs));
    cluster.apply(MANIFEST);
    await cluster.run({ until: () => toldMs.has('Pulling'), limit: '10m' });
    const waitMs = (toldMs.get('Pulling') ?? Number.NaN) - (toldMs.get('SuccessfulAttachVolume') ?? 0);
    t.true(waitMs < 1000, `${waitMs} ms`);
  });
}
