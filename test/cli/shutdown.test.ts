import test from 'ava';
import { kubeloom } from './command.js';

const SCENE = ['--manifest', 'examples/graceful-shutdown.yaml', '--nodes', '3', '--pods', '0'] as const;
const PERIODS = ['--shutdown-grace-period', '30s', '--shutdown-grace-period-critical-pods', '10s'] as const;

/** What was told about the node or its pods, without names that are drawn, and without events about pods. */
function story(stdout: string): readonly string[] {
  const lines = stdout.trim().split('\n');
  return lines
    .filter((line) => !/ {2}pod.* Normal /.test(line))
    .map((line) => line.replace(/(web|agent)-[-\w]+/g, '$1'));
}

test('examples/graceful-shutdown.yaml › plain pods end first, critical ones after them, then the machine is off; it boots', async (t) => {
  const { status, stdout, stderr } = await kubeloom(
    'shutdown',
    'node-1',
    ...SCENE,
    ...PERIODS,
    '--for',
    '1m',
    '--boot',
  );
  t.deepEqual([status, stderr], [0, '']);
  const lines = story(stdout).map((line) => line.replace(/^ *\S+ {2}/, ''));
  t.deepEqual(lines.slice(0, 12), [
    'pod/default/web  SIGTERM to process of web, SIGKILL after 20000 ms',
    'pod/default/web  SIGTERM to process of web, SIGKILL after 20000 ms',
    'node/node-1  Normal Shutdown: Shutdown manager detected shutdown event',
    'node/node-1  Normal NodeNotReady: Node node-1 status is now: NodeNotReady',
    'pod/default/web  process of web ended: Completed, exit code 0',
    'pod/default/web  process of web ended: Completed, exit code 0',
    'pod/default/agent  SIGTERM to process of agent, SIGKILL after 10000 ms',
    'pod/default/web  phase Running → Failed (Terminated)',
    'pod/default/web  phase Running → Failed (Terminated)',
    'pod/default/agent  process of agent ended: Completed, exit code 0',
    'pod/default/agent  phase Running → Failed (Terminated)',
    'node/node-1  the machine is off',
  ]);
  t.is(lines[12], 'node/node-1  the machine boots');
  t.regex(lines.at(-2) ?? '', /NodeReady: Node node-1 status is now: NodeReady$/);
  t.regex(
    stdout.trim().split('\n').at(-1) ?? '',
    /^node-1 was off after \d\.\d{3} s of simulated time; 3 of its 3 pods had ended, none ran until then$/,
  );
});

test('kubeloom shutdown › without a period the machine goes dark at once, with all that runs on it: exit code 1', async (t) => {
  const { status, stdout } = await kubeloom('shutdown', 'node-1', ...SCENE, '--json');
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  t.is(status, 1);
  t.deepEqual(lines.at(-1), { type: 'summary', node: 'node-1', seconds: 0, pods: 3, ended: 0, killed: 3 });
  t.deepEqual(lines.at(-2), { atMs: 0, about: 'node/node-1', text: 'the machine is off' });
});

test('kubeloom shutdown › groups by priority end one after the other', async (t) => {
  const list = ['--shutdown-grace-period-by-pod-priority', '2000000000=5,0=3'];
  const { status, stdout } = await kubeloom('shutdown', 'node-1', ...SCENE, ...list);
  t.is(status, 0);
  const ended = story(stdout).filter((line) => line.includes(' ended: '));
  t.deepEqual(
    ended.map((line) => line.trim().replace(/\.\d+s /, 's ')),
    [
      '3s  pod/default/web  process of web ended: Error, exit code 137',
      '3s  pod/default/web  process of web ended: Error, exit code 137',
      '3s  pod/default/agent  process of agent ended: Completed, exit code 0',
    ],
  );
});

async function refused(...args: readonly string[]): Promise<unknown> {
  const { status, stdout, stderr } = await kubeloom('shutdown', ...args, ...SCENE);
  return { status, stdout, stderr };
}

test('kubeloom shutdown › input that cannot be used is one line and exit code 2', async (t) => {
  t.deepEqual(
    [
      await refused('node-7'),
      await refused('node-1', '--shutdown-grace-period', '10ms'),
      await refused('node-1', '--shutdown-grace-period-critical-pods', '10s'),
      await refused('node-1', '--shutdown-grace-period-by-pod-priority', '0'),
      await refused('node-1', ...PERIODS, '--shutdown-grace-period-by-pod-priority', '0=1'),
    ],
    [
      'kubeloom: node "node-7" not found\n',
      'kubeloom: kubelet.shutdownGracePeriod must be 0s or at least 1s, got "10ms"\n',
      'kubeloom: kubelet.shutdownGracePeriodCriticalPods must be at most shutdownGracePeriod, got "10s"\n',
      'kubeloom: --shutdown-grace-period-by-pod-priority must be a list such as 100000=10,0=60, got "0"\n',
      'kubeloom: kubelet.shutdownGracePeriodByPodPriority must be absent beside shutdownGracePeriod, got [{"priority":0,"shutdownGracePeriodSeconds":1}]\n',
    ].map((stderr) => ({ status: 2, stdout: '', stderr })),
  );
});
