import test from 'ava';
import type { ContainerScript } from '../../../src/kubelet/scripts/script-types.js';
import { NO_SCRIPT } from '../../../src/kubelet/scripts/script-layer.js';
import { podOf, scriptOf, sourceOf } from './scripts.js';

const DURATIONS =
  'a duration such as 500ms or 1m30s, uniform(1s, 3s), exponential(10s), lognormal(10s, 0.5) or choice(1s, 5s)';
const STOPS = 'what it does on SIGTERM, such as 5s, exit 143, 5s exit 143 or ignore';

test('a container without annotations of ours has the one empty script, and costs no object', (t) => {
  t.is(scriptOf(podOf({ metadata: { annotations: undefined } })).script, NO_SCRIPT);
  t.is(scriptOf(podOf({ metadata: { annotations: { 'example.com/run-for': '1s' } } })).script, NO_SCRIPT);
});

test('a container has its own annotations before those for all', (t) => {
  const pod = podOf({ words: { 'run-for': '1m', 'run-for.c': '5s', cpu: '1' } });
  t.deepEqual(scriptOf(pod).script, { runs: [{ duration: 5000 }], cpuMillis: { points: [[0, 1000]] } });
  t.deepEqual(scriptOf(pod, 'other').script, { runs: [{ duration: 60_000 }], cpuMillis: { points: [[0, 1000]] } });
});

test('pods with equal annotations share one script', (t) => {
  const source = sourceOf();
  const [first, second] = [podOf({ words: { 'run-for': '1m' } }), podOf({ words: { 'run-for': '1m' }, name: 'q' })];
  t.is(scriptOf(first, 'c', source).script, scriptOf(second, 'c', source).script);
  t.not(scriptOf(first, 'c', source).script, scriptOf(podOf({ words: { 'run-for': '2m' } }), 'c', source).script);
});

const codes: readonly (readonly [
  title: string,
  words: Readonly<Record<string, string>>,
  runs: ContainerScript['runs'],
])[] = [
  ['is that of run-for', { 'run-for': '1s', 'exit-code': '3' }, [{ duration: 1000, exitCode: 3 }]],
  ['may be drawn', { 'run-for': '1s', 'exit-code': 'choice(0, 3)' }, [{ duration: 1000, exitCode: [0, 3] }]],
  ['for all is that of a run of its own', { 'run-for.c': '1s', 'exit-code': '3' }, [{ duration: 1000, exitCode: 3 }]],
  ['is that of crash-after instead of 1', { 'crash-after': '1s', 'exit-code': '3' }, [{ duration: 1000, exitCode: 3 }]],
  [
    'for all does not change a crash of its own',
    { 'crash-after.c': '1s', 'exit-code': '3' },
    [{ duration: 1000, exitCode: 1 }],
  ],
  [
    'is that of the runs that name none',
    { runs: '1s, 2s exit 4, 3s oom', 'exit-code': '3' },
    [
      { duration: 1000, exitCode: 3 },
      { duration: 2000, exitCode: 4 },
      { duration: 3000, isOutOfMemory: true },
    ],
  ],
  [
    'of its own wins over those that the runs for all name',
    { runs: '1s, 2s exit 4, 3s oom', 'exit-code.c': '3' },
    [
      { duration: 1000, exitCode: 3 },
      { duration: 2000, exitCode: 3 },
      { duration: 3000, isOutOfMemory: true },
    ],
  ],
  ['alone says nothing of a container that runs until it is stopped', { 'exit-code': '3' }, undefined],
];

for (const [title, words, runs] of codes) {
  test(`kubeloom.dev/exit-code › ${title}`, (t) => {
    t.deepEqual(scriptOf(podOf({ words })), { script: runs === undefined ? {} : { runs }, problems: [] });
  });
}

test('of words that say the same the less exact ones are refused', (t) => {
  const words = { 'run-for': '1s', 'crash-after': '2s', runs: '3s', 'shutdown-delay': '1s', shutdown: '2s' };
  t.deepEqual(scriptOf(podOf({ words })), {
    script: { runs: [{ duration: 3000 }], shutdown: { delay: 2000 } },
    problems: [
      'annotation kubeloom.dev/run-for must be absent beside kubeloom.dev/runs, got "1s"; the default is used',
      'annotation kubeloom.dev/crash-after must be absent beside kubeloom.dev/runs, got "2s"; the default is used',
      'annotation kubeloom.dev/shutdown-delay must be absent beside kubeloom.dev/shutdown, got "1s"; the default is used',
    ],
  });
});

test('an unknown word is told, as is a container that the pod has not', (t) => {
  t.deepEqual(scriptOf(podOf({ words: { 'rn-for': '1s', 'run-for.d': '1s', 'run-for.a.b': '2s' } })), {
    script: {},
    problems: [
      'annotation kubeloom.dev/rn-for must be absent: the words after kubeloom.dev/ are image-pull, creation, start-delay, ' +
        'readiness-delay, run-for, crash-after, runs, exit-code, shutdown-delay, shutdown, plays, readiness, liveness, needs, post-start, ' +
        'pre-stop, cpu, request-cost, memory, storage, processes, logs, script, got "1s"; the default is used',
      `annotation kubeloom.dev/run-for.d must be absent: the pod's containers are c, other, got "1s"; the default is used`,
      `annotation kubeloom.dev/run-for.a.b must be absent: the pod's containers are c, other, got "2s"; the default is used`,
    ],
  });
});

test('a problem of all containers is told with the first, one of a container with that', (t) => {
  const pod = podOf({ words: { 'run-for': 'soon', 'run-for.other': 'later', cpuu: '1' } });
  const told = (name: string): readonly string[] =>
    scriptOf(pod, name).problems.map((text) => text.split(' ')[1] ?? '');
  t.deepEqual(told('c'), ['kubeloom.dev/cpuu', 'kubeloom.dev/run-for']);
  t.deepEqual(told('other'), ['kubeloom.dev/run-for.other']);
});

test('kubeloom.dev/script › carries a whole script in YAML or JSON, words may win over it', (t) => {
  const yaml = `
    runs: [{ duration: 10s, exitCode: 1 }, { duration: { uniform: [1000, 2000] }, isOutOfMemory: true }]
    shutdown: 5s exit 143
    memoryBytes: { points: [[0, 100Mi], [10m, 2147483648]], repeatMs: 1h }
    cpuMillis: 250
    imagePull: { failures: all }
    readiness:`;
  const memoryBytes = {
    points: [
      [0, 104_857_600],
      [600_000, 2_147_483_648],
    ] as const,
    repeatMs: 3_600_000,
  };
  const rest = {
    memoryBytes,
    cpuMillis: { points: [[0, 250]] as const },
    imagePull: { failures: Infinity },
  };
  const runs = [
    { duration: 10_000, exitCode: 1 },
    { duration: { uniform: [1000, 2000] as const }, isOutOfMemory: true },
  ];
  t.deepEqual(scriptOf(podOf({ words: { script: yaml } })), {
    script: { runs, shutdown: { delay: 5000, exitCode: 143 }, ...rest },
    problems: [],
  });
  t.deepEqual(scriptOf(podOf({ words: { script: yaml, 'shutdown-delay': '1s' } })).script.shutdown, { delay: 1000 });
  t.deepEqual(scriptOf(podOf({ words: { 'script.c': '{"runs": []}', 'run-for': '1m' } })).script, { runs: [] });
});

const wrongScripts: readonly (readonly [script: string, message: string])[] = [
  [
    'runs: [{ duration: 10s, exitCode: 256 }]',
    'annotation kubeloom.dev/script: runs[0].exitCode must be an integer in 0..255, got 256; the default is used',
  ],
  [
    'run: 10s',
    'annotation kubeloom.dev/script: run must be absent: the fields here are imagePull, creation, startDelay, readinessDelay, runs, plays, shutdown, readiness, liveness, needs, postStart, preStop, cpuMillis, requestCost, memoryBytes, storageBytes, processes, logs, exec, got "10s"; the default is used',
  ],
  [
    'memoryBytes: { points: [[0, 1Gi], [1m, -5]] }',
    'annotation kubeloom.dev/script: memoryBytes.points[1][1] must be a number >= 0 or a quantity such as 100Mi or 2Gi, got -5; the default is used',
  ],
  [
    'memoryBytes: { points: [[0, 1Gi], [1m, 2Gi]], repeatMs: 30s }',
    "annotation kubeloom.dev/script: memoryBytes.repeatMs must be after the last point's time, got 30000; the default is used",
  ],
  [
    'memoryBytes: { points: [] }',
    'annotation kubeloom.dev/script: memoryBytes.points must be at least one pair, with times that do not fall, got []; the default is used',
  ],
  [
    'startDelay: { uniform: [2, 1] }',
    `annotation kubeloom.dev/script: startDelay must be milliseconds >= 0 or ${DURATIONS}, got {"uniform":[2,1]}; the default is used`,
  ],
  [
    'shutdown: { ignoresTerm: "yes" }',
    'annotation kubeloom.dev/script: shutdown.ignoresTerm must be true or false, got "yes"; the default is used',
  ],
  [
    'shutdown: 5',
    `annotation kubeloom.dev/script: shutdown must be ${STOPS}; or a mapping with delay, ignoresTerm, exitCode, got 5; the default is used`,
  ],
  [
    'creation: { failures: -1 }',
    'annotation kubeloom.dev/script: creation.failures must be an integer >= 0, or all, got -1; the default is used',
  ],
  [
    'creation: { reason: Whatever }',
    'annotation kubeloom.dev/script: creation.reason must be one of CreateContainerConfigError, CreateContainerError, RunContainerError, got "Whatever"; the default is used',
  ],
  [
    '- runs',
    'annotation kubeloom.dev/script: the whole must be a mapping with imagePull, creation, startDelay, readinessDelay, runs, plays, shutdown, readiness, liveness, needs, postStart, preStop, cpuMillis, requestCost, memoryBytes, storageBytes, processes, logs, exec, got ["runs"]; the default is used',
  ],
];

for (const [script, message] of wrongScripts) {
  test(`kubeloom.dev/script › refuses ${script}`, (t) => {
    t.deepEqual(scriptOf(podOf({ words: { script } })), { script: {}, problems: [message] });
  });
}

test('kubeloom.dev/script › refuses what is no YAML', (t) => {
  const { script, problems } = scriptOf(podOf({ words: { script: 'runs: [' } }));
  t.is(script, NO_SCRIPT);
  t.is(problems.length, 1);
  t.regex(
    problems[0] ?? '',
    /^annotation kubeloom\.dev\/script must be a script in YAML or JSON \(.+\), got "runs: \["; the default is used$/,
  );
});
