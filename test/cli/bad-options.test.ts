/** Every option of every command with values that it cannot have: one line that names it, exit code 2, nothing played. */
import test from 'ava';
import { inputFile, kubeloom } from './command.js';

/** By option: what it cannot be. `undefined` = any text will do. */
type Bad = Record<string, readonly string[] | undefined>;

const NOTHING = '/nowhere/at/all';
const FOLDER = '/';
const SCENE: Bad = {
  '--nodes': ['', '-1'],
  '--pods': ['1000001'],
  '--manifest': [NOTHING],
  '--selector': ['a in', '=b'],
  '--from': [NOTHING],
  '--validate': ['loud'],
  '--trace': ['csv'],
  '--compress': ['Infinity'],
  '--limit': ['', 'soon'],
  '--seed': [''],
  '--client-limits': ['none'],
  '--workers': ['1.5'],
  '--realtime': ['NaN'],
  '--percentage-of-nodes-to-score': ['101'],
  '--scheduler-config': [FOLDER],
  '--feature-gates': ['Foo=true', 'MutatingAdmissionPolicy', 'MutatingAdmissionPolicy=true'],
  '--runtime-config': ['api/all=true', 'admissionregistration.k8s.io/v1beta1=yes'],
  '--scripts': [FOLDER],
  '--stages': [FOLDER],
};
const MEASURED: Bad = {
  '--threshold': [
    'pods',
    'pods_ready: {threshold: value>1, abortOnFail: 1}',
    'pods_ready: p(101)<5',
    'nothing_known: count==0',
  ],
  '--report': [FOLDER],
  '--summary': [FOLDER],
  '--junit': [FOLDER],
  '--openmetrics': [FOLDER],
  '--otlp': ['nowhere'],
};
const SCENARIO = inputFile('empty-scenario.yaml', 'cluster: { nodes: 1 }\nuntil: 1s\n');
const LOAD_TEST = inputFile(
  'load-test.yaml',
  'steps: [{ name: wait, measurements: [{ method: Sleep, identifier: s, params: { duration: 1s } }] }]\n',
);

/** What each command has besides the options of a scene, with what it needs to come as far as them. */
const COMMANDS: Readonly<
  Record<string, { readonly args: readonly string[]; readonly isScene: boolean; readonly bad: Bad }>
> = {
  init: { args: [FOLDER], isScene: false, bad: { '--test-runner': ['jest'] } },
  run: { args: [], isScene: true, bad: { ...SCENE, ...MEASURED, '--save': [FOLDER] } },
  compare: {
    args: ['a.yaml', 'b.yaml'],
    isScene: false,
    bad: { '--seeds': ['0'], '--first-seed': ['0'], '--workers': ['65'], '--report': [FOLDER] },
  },
  sweep: {
    args: ['plan.yaml'],
    isScene: false,
    bad: {
      '--out': undefined,
      '--workers': ['65'],
      '--check': ['2', ''],
      '--sqlite': [FOLDER],
      '--shard': ['0/3', '4/3', '3'],
      '--queue': undefined,
      '--queue-name': ['', 'a b'],
      '--print': ['table'],
      '--shards': ['0'],
      '--image': undefined,
    },
  },
  worker: {
    args: ['--queue', 'nowhere'],
    isScene: false,
    bad: {
      '--queue': ['', 'mysql://localhost'],
      '--queue-name': ['a:b'],
      '--workers': ['0'],
      '--name': undefined,
      '--idle': ['soon'],
      '--lost-after': ['-1s'],
    },
  },
  explain: { args: ['p'], isScene: true, bad: { '--namespace': undefined, '--node': undefined, '--attempt': ['0'] } },
  describe: { args: ['p'], isScene: true, bad: { '--namespace': undefined, '--for': ['-1s'] } },
  timeline: {
    args: ['p'],
    isScene: true,
    bad: { '--namespace': undefined, '--for': ['soon'], '--delete': ['soon'] },
  },
  drain: {
    // Some options are asked of a cluster, before anything is played on it.
    args: ['node-0', '--nodes', '1', '--pods', '0'],
    isScene: true,
    bad: { '--grace-period': ['2147483648'], '--timeout': ['soon'], '--pod-selector': ['a=b=c', '=='] },
  },
  shutdown: {
    args: ['node-0'],
    isScene: true,
    bad: {
      '--shutdown-grace-period': ['soon'],
      '--shutdown-grace-period-critical-pods': ['soon'],
      '--shutdown-grace-period-by-pod-priority': ['a=b'],
      '--for': ['soon'],
    },
  },
  scenario: { args: [SCENARIO], isScene: false, bad: { '--seed': [''], '--from': [NOTHING], ...MEASURED } },
  fuzz: {
    args: [],
    isScene: false,
    bad: {
      '--seeds': ['1e3'],
      '--from': ['9007199254740993'],
      '--plan': [FOLDER],
      '--scenario': [FOLDER],
      '--minutes': ['NaN'],
      '--workers': ['65'],
      '--out': [NOTHING],
      '--shard': ['2/1'],
      // Asked of the queue, after the seeds are told.
      '--queue': undefined,
      '--queue-name': [''],
    },
  },
  serve: {
    args: ['--nodes', '0'],
    isScene: true,
    bad: {
      '--port': ['', '65536'],
      '--host': ['nowhere', '0.0.0.0'],
      '--authorization-mode': ['ABAC', ''],
      '--kubeconfig': [FOLDER],
      '--state': ['/dev/null'],
      '--speed': ['0'],
      '--record': [FOLDER, '/dev/full'],
      '--webhook-service': ['hook', 'default/hook=http://127.0.0.1:1', 'default/hook:99999=https://127.0.0.1:1'],
      '--without': ['etcd', ''],
    },
  },
  load: {
    args: ['--testconfig', LOAD_TEST],
    isScene: false,
    bad: {
      '--testconfig': [NOTHING],
      '--testsuite': [NOTHING],
      '--testoverrides': [NOTHING],
      '--nodes': ['0', '1.5'],
      '--from': [NOTHING],
      '--seed': [''],
      '--report-dir': ['/dev/null'],
      '--registry-k8s-repo': undefined,
      '--kube-api-qps': ['-1'],
      '--provider': undefined,
      '--kubeconfig': undefined,
      ...MEASURED,
    },
  },
  record: {
    args: ['--kubeconfig', NOTHING],
    isScene: false,
    bad: {
      '--kubeconfig': [NOTHING],
      '--context': undefined,
      '--output': undefined,
      '--simkube': undefined,
      '--exclude-namespace': undefined,
      '--for': ['soon'],
    },
  },
  replay: {
    args: [SCENARIO],
    isScene: false,
    bad: {
      '--workers': ['65'],
      '--nodes': ['-1'],
      // Asked for once the file is known to be a recording of another cluster.
      '--node-groups': undefined,
      '--from': undefined,
      '--compress': ['0'],
      '--window': ['10m', '1h..10m', 'soon..'],
      '--save': [FOLDER],
      '--exclude-namespace': undefined,
      '--seed': undefined,
    },
  },
  bench: {
    args: [],
    isScene: false,
    bad: {
      '--config': [FOLDER],
      '--templates': [NOTHING],
      '--only': ['nope'],
      '--mode': ['half'],
      '--percentage': ['0,x'],
      '--workers': ['0,'],
      '--repeat': ['0'],
      '--rounds': ['0'],
      '--pods': ['0'],
      '--seed': undefined,
      '--json': [FOLDER],
    },
  },
};

for (const [command, { args, isScene, bad }] of Object.entries(COMMANDS)) {
  test.serial(`kubeloom ${command} › an option that cannot be is told in one line that names it`, async (t) => {
    t.timeout(600_000);
    const { stdout } = await kubeloom(command, '--help');
    const taking = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+) [<[]/gm)].map(([, option = '']) => option);
    const known = isScene ? { ...SCENE, ...bad } : bad;
    // Its clock is set by --speed.
    if (command === 'serve') delete known['--realtime'];
    t.deepEqual([...new Set(taking)].toSorted(), Object.keys(known).toSorted());
    for (const [option, values = []] of Object.entries(bad)) {
      for (const value of values) {
        const { status, stdout: told, stderr } = await kubeloom(command, ...args, option, value);
        const what = `${option} ${JSON.stringify(value)}: ${stderr}`;
        t.is(status, 2, what);
        t.is(told, '', what);
        t.regex(stderr, /^kubeloom: [^\n]+\n$/, what);
        t.true(stderr.includes(nameIn(option)), what);
      }
    }
  });
}

/** The name of an option as its message says it: that of the library, or the flag. */
function nameIn(option: string): string {
  if (option === '--seed') return 'seed';
  if (option.startsWith('--shutdown-grace-period')) return 'hutdown';
  return option === '--only' ? 'nope' : option;
}

for (const args of [
  ['unknown'],
  ['run', '--unknown'],
  ['run', 'extra'],
  ['scenario'],
  ['replay', '/nowhere'],
  ['fuzz', 'x'],
]) {
  test.serial(`kubeloom ${args.join(' ')} › is refused in one line`, async (t) => {
    const { status, stdout, stderr } = await kubeloom(...args);
    t.deepEqual([status, stdout], [2, '']);
    t.regex(stderr, /^kubeloom: [^\n]+\n$/);
  });
}
