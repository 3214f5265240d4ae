/** States of containers, why they wait, and when they run again: statements 2.1 and following. */
import test from 'ava';
import { IMAGE, createRunningScene, podDraft, RETRIES_MS, ran, scripted, statusOf } from '../scene.js';
import { CREATED, PRESENT, STARTED, ranScript, sidecar, told } from './container-scene.js';

test('2.1 › before anything is known all wait: ContainerCreating, with init containers PodInitializing', async (t) => {
  const plain = await ran(100);
  t.deepEqual(statusOf(plain.pod())?.state, { waiting: { reason: 'ContainerCreating' } });
  const staged = await ran(100, { initContainers: [{ name: 'i', image: IMAGE }, sidecar('s')] });
  t.deepEqual(
    ['i', 's', 'c'].map((name) => statusOf(staged.pod(), name)?.state),
    Array.from({ length: 3 }, () => ({ waiting: { reason: 'PodInitializing' } })),
  );
});

test('2.2 › an image that cannot be pulled: ErrImagePull, then ImagePullBackOff, with the runtime’s words', async (t) => {
  const scene = await ranScript(45_000, { imagePull: { failures: 2, duration: 700 } }, { image: 'nope:1' });
  const second = 1004 + RETRIES_MS[0];
  const waiting = second + 700 + RETRIES_MS[1];
  const third = waiting + RETRIES_MS[2];
  const error =
    'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/nope:1": ' +
    'failed to resolve reference "docker.io/library/nope:1": docker.io/library/nope:1: not found';
  t.deepEqual(told(scene), [
    '4 MODIFIED Pending c=ContainerCreating',
    '304 event Normal Pulling: Pulling image "nope:1"',
    `1004 event Warning Failed: Failed to pull image "nope:1": ${error}`,
    '1004 event Warning Failed: Error: ErrImagePull',
    '1004 MODIFIED Pending c=ErrImagePull',
    `${second} event Normal Pulling x2: Pulling image "nope:1"`,
    `${second + 700} event Warning Failed x2: Failed to pull image "nope:1": ${error}`,
    `${second + 700} event Warning Failed x2: Error: ErrImagePull`,
    `${waiting} event Normal BackOff: Back-off pulling image "nope:1"`,
    `${waiting} event Warning Failed: Error: ImagePullBackOff`,
    `${waiting} MODIFIED Pending c=ImagePullBackOff`,
    `${third} event Normal Pulling x3: Pulling image "nope:1"`,
    `${third + 700} event Normal Pulled: Successfully pulled image "nope:1" in 700ms (700ms including waiting). Image size: 92080521 bytes.`,
    `${third + 800} ${CREATED}`,
    `${third + 800} ${STARTED}`,
    `${third + 800} MODIFIED Running c=Running+`,
  ]);
  const shown = scene.writes.flatMap(({ pod }) => statusOf(pod)?.state?.waiting ?? []);
  t.deepEqual(shown.slice(1), [
    { reason: 'ErrImagePull', message: error },
    { reason: 'ImagePullBackOff', message: `Back-off pulling image "nope:1": ErrImagePull: ${error}` },
  ]);
});

test('2.2 › an image that is not there and must not be pulled: ErrImageNeverPull at each sync', async (t) => {
  const scene = await ran(26_000, { containers: [{ name: 'c', image: 'nope:1', imagePullPolicy: 'Never' }] });
  const second = 304 + RETRIES_MS[0];
  const third = second + RETRIES_MS[1];
  const message = 'Container image "nope:1" is not present with pull policy of Never';
  t.deepEqual(told(scene), [
    '4 MODIFIED Pending c=ContainerCreating',
    `304 event Warning ErrImageNeverPull: ${message}`,
    '304 event Warning Failed: Error: ErrImageNeverPull',
    '304 MODIFIED Pending c=ErrImageNeverPull',
    `${second} event Warning ErrImageNeverPull x2: ${message}`,
    `${second} event Warning Failed x2: Error: ErrImageNeverPull`,
    `${third} event Warning ErrImageNeverPull x3: ${message}`,
    `${third} event Warning Failed x3: Error: ErrImageNeverPull`,
  ]);
  t.deepEqual(statusOf(scene.pod())?.state, { waiting: { reason: 'ErrImageNeverPull', message } });
});

test('2.2 › an image whose name is none: InvalidImageName', async (t) => {
  const scene = await ran(5000, { containers: [{ name: 'c', image: 'Nginx::1' }] });
  const message =
    'Failed to apply default image tag "Nginx::1": couldn\'t parse image name "Nginx::1": ' +
    'invalid reference format: repository name (library/Nginx) must be lowercase';
  t.deepEqual(told(scene), [
    '4 MODIFIED Pending c=ContainerCreating',
    `304 event Warning InspectFailed: ${message}`,
    '304 event Warning Failed: Error: InvalidImageName',
    '304 MODIFIED Pending c=InvalidImageName',
  ]);
  t.deepEqual(statusOf(scene.pod())?.state, { waiting: { reason: 'InvalidImageName', message } });
});

for (const reason of ['CreateContainerConfigError', 'CreateContainerError'] as const) {
  test(`2.2 › a container that cannot be created: ${reason}, tried again at each sync, never counted`, async (t) => {
    const scene = await ranScript(30_000, { creation: { failures: 2, reason, error: 'no such thing' } });
    const second = 404 + RETRIES_MS[0];
    const third = second + 100 + RETRIES_MS[1];
    t.deepEqual(told(scene), [
      '4 MODIFIED Pending c=ContainerCreating',
      `304 ${PRESENT}`,
      '404 event Warning Failed: Error: no such thing',
      `404 MODIFIED Pending c=${reason}`,
      `${second} ${PRESENT.replace('Pulled', 'Pulled x2')}`,
      `${second + 100} event Warning Failed x2: Error: no such thing`,
      `${third} ${PRESENT.replace('Pulled', 'Pulled x3')}`,
      `${third + 100} ${CREATED}`,
      `${third + 100} ${STARTED}`,
      `${third + 100} MODIFIED Running c=Running+`,
    ]);
    t.is(statusOf(scene.writes[3]?.pod)?.state?.waiting?.message, 'no such thing');
    t.is(statusOf(scene.pod())?.restartCount, 0);
  });
}

test('2.2 › a container that cannot be started: RunContainerError over StartError 128, then the crash loop', async (t) => {
  const scene = await ranScript(9000, { creation: { failures: 'all', error: 'no such file' } });
  t.deepEqual(told(scene), [
    '4 MODIFIED Pending c=ContainerCreating',
    `304 ${PRESENT}`,
    `404 ${CREATED}`,
    '404 event Warning Failed: Error: no such file',
    '404 MODIFIED Running c=RunContainerError',
    `404 ${PRESENT.replace('Pulled', 'Pulled x2')}`,
    `504 ${CREATED.replace('Created:', 'Created x2:')}`,
    '504 event Warning Failed x2: Error: no such file',
    '504 MODIFIED Running c=RunContainerError#1',
    `504 event Warning BackOff: Back-off restarting failed container c in pod p_default(${scene.pod().metadata.uid})`,
    '504 MODIFIED Running c=CrashLoopBackOff#1',
  ]);
  t.deepEqual(statusOf(scene.writes[3]?.pod), {
    name: 'c',
    state: { waiting: { reason: 'RunContainerError', message: 'no such file' } },
    lastState: {
      terminated: {
        exitCode: 128,
        reason: 'StartError',
        message: 'no such file',
        startedAt: '1970-01-01T00:00:00Z',
        finishedAt: '2030-01-01T00:00:01Z',
        containerID: statusOf(scene.writes[3]?.pod)?.containerID,
      },
    },
    ready: false,
    restartCount: 0,
    image: IMAGE,
    imageID: statusOf(scene.writes[3]?.pod)?.imageID,
    containerID: statusOf(scene.writes[3]?.pod)?.containerID,
    started: false,
  });
});

test('2.2 › a sandbox that cannot be created leaves ContainerCreating, and is tried again', async (t) => {
  const scene = await createRunningScene();
  scene.kubelet.runtime.sandboxError = 'rpc error: code = Unknown desc = no network';
  scene.bind(podDraft());
  await scene.run(15_000);
  scene.kubelet.runtime.sandboxError = undefined;
  await scene.run(12_000);
  const second = 304 + RETRIES_MS[0] + 300;
  const third = second + RETRIES_MS[1] + 300;
  const failed = 'FailedCreatePodSandBox: Failed to create pod sandbox: rpc error: code = Unknown desc = no network';
  t.deepEqual(told(scene), [
    '4 MODIFIED Pending c=ContainerCreating',
    `304 event Warning ${failed}`,
    `${second} event Warning ${failed.replace(':', ' x2:')}`,
    `${third} ${PRESENT}`,
    `${third + 100} ${CREATED}`,
    `${third + 100} ${STARTED}`,
    `${third + 100} MODIFIED Running c=Running+`,
  ]);
});

test('2.2 › a reason is not shown of a container that the pod’s policy would not start again', async (t) => {
  const crashing = { 'crash-after.s': '1s' };
  const scene = await ran(9000, { restartPolicy: 'Never', initContainers: [sidecar('s')] }, crashing);
  t.is(statusOf(scene.pod(), 's')?.state?.terminated?.reason, 'Error');
  const always = await ran(9000, { initContainers: [sidecar('s')] }, crashing);
  t.is(statusOf(always.pod(), 's')?.state?.waiting?.reason, 'CrashLoopBackOff');
});

for (const [name, script, expected] of [
  ['exit 0', { runs: '1s' }, { exitCode: 0, reason: 'Completed' }],
  ['exit 3', { runs: '1s exit 3' }, { exitCode: 3, reason: 'Error' }],
  ['out of memory by script', { runs: '1s oom' }, { exitCode: 137, reason: 'OOMKilled' }],
] as const) {
  test(`2.3 › ${name}: ${expected.reason}`, async (t) => {
    const scene = await ran(5000, { restartPolicy: 'Never' }, scripted(script));
    const { exitCode, reason } = statusOf(scene.pod())?.state?.terminated ?? {};
    t.deepEqual({ exitCode, reason }, expected);
  });
}

test('2.3 › a container over its memory limit is OOMKilled with exit code 137, and restarted', async (t) => {
  const memoryBytes = '0s=50Mi, 10s=150Mi';
  const resources = { limits: { memory: '100Mi' } };
  const scene = await ranScript(9000, { memoryBytes }, { resources });
  t.deepEqual(told(scene).slice(-5), [
    '5405 MODIFIED Running c=OOMKilled',
    `5405 ${PRESENT.replace('Pulled', 'Pulled x2')}`,
    `5505 ${CREATED.replace('Created:', 'Created x2:')}`,
    `5505 ${STARTED.replace('Started:', 'Started x2:')}`,
    '5505 MODIFIED Running c=Running+#1',
  ]);
  t.is(statusOf(scene.pod())?.lastState?.terminated?.exitCode, 137);
});
