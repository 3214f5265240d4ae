import test from 'ava';
import { goDuration } from '../../../src/api/go/go-duration.js';
import { fullReference, hexDigest, imageId, ImageStore } from '../../../src/kubelet/images/image-store.js';

test('an image has one full reference, however it is written', (t) => {
  t.is(fullReference('nginx'), 'docker.io/library/nginx:latest');
  t.is(fullReference('nginx:1.25'), 'docker.io/library/nginx:1.25');
  t.is(fullReference('bitnami/redis'), 'docker.io/bitnami/redis:latest');
  t.is(fullReference('localhost:5000/app'), 'localhost:5000/app:latest');
  t.is(fullReference('registry.k8s.io/pause:3.10'), 'registry.k8s.io/pause:3.10');
  t.is(fullReference('nginx@sha256:abc'), 'docker.io/library/nginx@sha256:abc');
});

test('an image id is a digest under the repository, the same on every node', (t) => {
  t.regex(imageId('nginx:1.25'), /^docker\.io\/library\/nginx@sha256:[0-9a-f]{64}$/);
  t.is(imageId('nginx:1.25'), imageId('docker.io/library/nginx:1.25'));
  t.not(imageId('nginx:1.25'), imageId('nginx:1.26'));
  t.regex(hexDigest(''), /^[0-9a-f]{64}$/);
});

test('a pull of an image that is on its way joins that pull', (t) => {
  const store = new ImageStore([]);
  t.deepEqual(
    store.pull('nginx', 0, {}, () => 2000),
    { endMs: 2000, error: undefined },
  );
  t.deepEqual(
    store.pull('nginx', 500, {}, () => 9000),
    { endMs: 2000, error: undefined },
  );
  t.true(store.keep('nginx', 0));
  t.false(store.keep('nginx:latest', 0));
  t.true(store.has('docker.io/library/nginx'));
});

test('pulls fail as often as they are to, each once for all that share it; the runtime says why', (t) => {
  const store = new ImageStore([]);
  const pull = (nowMs: number): string | undefined => store.pull('nope', nowMs, { failures: 2 }, () => 100).error;
  const error =
    'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/nope:latest": ' +
    'failed to resolve reference "docker.io/library/nope:latest": docker.io/library/nope:latest: not found';
  t.deepEqual([pull(0), pull(50), pull(100), pull(300)], [error, error, error, undefined]);
  t.is(store.pull('x', 0, { failures: Infinity, error: 'no' }, () => 0).error, 'no');
});

test('the report has the images from the start and the pulled ones, largest first', (t) => {
  const store = new ImageStore([{ names: ['a@sha256:1', 'a:1'], sizeBytes: 1 }]);
  store.keep('nginx', 0);
  t.deepEqual(store.report(), [
    { names: ['docker.io/library/nginx:latest'], sizeBytes: store.sizeOf('nginx') },
    { names: ['a@sha256:1', 'a:1'], sizeBytes: 1 },
  ]);
});

test('images weigh as much as those that are there, each once whatever its names', (t) => {
  const store = new ImageStore([{ names: ['a:1', 'b:1'], sizeBytes: 100 }]);
  t.is(store.totalBytes(), 100);
  store.keep('nginx', 0);
  t.is(store.totalBytes(), 100 + store.sizeOf('nginx'));
  for (const image of store.unused(new Set(['docker.io/library/nginx:latest']))) store.remove(image);
  t.is(store.totalBytes(), store.sizeOf('nginx'));
});

test('report and weight follow each image that comes and goes', (t) => {
  const store = new ImageStore([{ names: ['own:1', 'own:2'], sizeBytes: 7 }]);
  const state = (): [number, number] => [store.report().length, store.totalBytes()];
  t.deepEqual(state(), [1, 7]);
  store.keep('web', 0);
  const web = store.sizeOf('web');
  t.deepEqual(state(), [2, 7 + web]);
  store.report().pop();
  t.deepEqual(state(), [2, 7 + web]);
  for (const image of store.unused(new Set())) store.remove(image);
  t.deepEqual(state(), [0, 0]);
  store.keep('own:2', 0);
  store.keep('web', 0);
  t.deepEqual(state(), [2, store.sizeOf('own:2') + web]);
});

test('durations are printed as Go prints them', (t) => {
  const printed = [0, 850, 1234, 10_000, 80_000, 300_000, 3_605_000].map(goDuration);
  t.deepEqual(printed, ['0s', '850ms', '1.234s', '10s', '1m20s', '5m0s', '1h0m5s']);
});
