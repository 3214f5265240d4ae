import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { kubeloom } from '../cli/command.js';

/** The lines of a timeline without times and columns, each as `source: what`. */
function story(stdout: string): string[] {
  let source = '';
  return stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [, time = '', told = '', what = ''] =
        /^(\S*) +(?:default\/\S+ +)?(?:(api|event|node) +\S+ +)?(.*)$/.exec(line) ?? [];
      if (time !== '') source = told;
      return `${source}: ${what}`;
    });
}

/** Runs the first command that an example's comment names. */
async function play(t: ExecutionContext, name: string): Promise<string[]> {
  const text = readFileSync(`examples/${name}.yaml`, 'utf8');
  const command = /npx kubeloom (.*)/.exec(text)?.[1] ?? '';
  const { status, stdout, stderr } = await kubeloom(...command.split(' '));
  t.is(status, 0, stderr);
  return story(stdout);
}

/** Whether these lines come in this order, whatever stands between them. */
function comesInOrder(t: ExecutionContext, lines: readonly string[], expected: readonly string[]): void {
  let from = 0;
  for (const line of expected) {
    const at = lines.indexOf(line, from);
    t.not(at, -1, `${line}\nafter line ${from} of\n${lines.join('\n')}`);
    if (at === -1) return;
    from = at + 1;
  }
}

test('examples/crash-loop.yaml › restarts at once, then waits in CrashLoopBackOff', async (t) => {
  const lines = await play(t, 'crash-loop');
  comesInOrder(t, lines, [
    'node: process of app started (run 1)',
    'node: process of app ended: Error, exit code 1',
    'node: process of app started (run 2)',
    'api: container app: terminated Error (exit code 1), not started, not ready',
    'api: container app: waiting CrashLoopBackOff',
    'node: process of app started (run 3)',
  ]);
  t.true(
    lines.some((line) => line.startsWith('event: Warning BackOff: Back-off restarting failed container app in pod')),
  );
});

test('examples/failing-image.yaml › three pulls fail with back-off, the fourth succeeds', async (t) => {
  const lines = await play(t, 'failing-image');
  const failure =
    'event: Warning Failed: Failed to pull image "registry.example/failing-image:1": ' +
    'unexpected status from HEAD request: 503 Service Unavailable';
  comesInOrder(t, lines, [
    failure,
    'api: container app: waiting ErrImagePull',
    'api: container app: waiting ImagePullBackOff',
    'api: container app: waiting ErrImagePull',
    'api: phase Pending → Running',
    'api: container app: running, started, ready',
  ]);
  t.false(lines.some((line) => line.includes('restarts')));
});

test('examples/slow-start.yaml › no liveness kill while the startup probe has not succeeded', async (t) => {
  const lines = await play(t, 'slow-start');
  comesInOrder(t, lines, [
    'node: process of app started (run 1)',
    'api: container app: running',
    'event: Warning Unhealthy: Startup probe failed: Get "http://10.0.0.1:8080/started": ' +
      'dial tcp 10.0.0.1:8080: connect: connection refused',
    'api: container app: started',
    'api: Ready False → True',
  ]);
  t.false(lines.some((line) => line.includes('Liveness probe failed') || line.includes('SIGTERM')));
});

test('examples/sidecar-job.yaml › the sidecar runs before and beside the work, and the pod succeeds without it', async (t) => {
  comesInOrder(t, await play(t, 'sidecar-job'), [
    'node: process of prepare started (run 1)',
    'node: process of prepare ended: Completed, exit code 0',
    'node: process of proxy started (run 1)',
    'node: process of work started (run 1)',
    'node: process of work ended: Completed, exit code 0',
    'node: process of proxy ended: Error, exit code 143',
    'api: phase Running → Succeeded',
  ]);
});

test('examples/ignores-sigterm.yaml › is killed when its grace is over', async (t) => {
  comesInOrder(t, await play(t, 'ignores-sigterm'), [
    'node: SIGTERM to process of app, SIGKILL after 20000 ms',
    'node: process of app ended: Error, exit code 137',
    'api: phase Running → Failed',
    'api: removed',
  ]);
});

test('examples/memory-hog.yaml › the hog is evicted from a node that runs out of memory, its neighbour stays', async (t) => {
  const lines = await play(t, 'memory-hog');
  comesInOrder(t, lines, [
    'event: Normal Killing: Stopping container app',
    'api: phase Running → Failed (Evicted)',
    'api: DisruptionTarget True (TerminationByKubelet)',
  ]);
  t.is(lines.filter((line) => line.includes('(Evicted)')).length, 1);
  t.true(
    lines.some((line) =>
      line.startsWith('event: Warning Evicted: The node was low on resource: memory. Threshold quantity: 100Mi, '),
    ),
  );
});

test('examples/out-of-memory.yaml › the kernel kills the hog at once, which runs again; no pod is evicted', async (t) => {
  const lines = await play(t, 'out-of-memory');
  comesInOrder(t, lines, [
    'node: process of app ended: OOMKilled, exit code 137',
    'api: container app: terminated OOMKilled (exit code 137), not started, not ready',
    'api: container app: running, restarts 1, started, ready',
    'api: container app: waiting CrashLoopBackOff',
  ]);
  t.false(lines.some((line) => line.includes('Evicted')));
});
