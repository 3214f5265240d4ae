import test from 'ava';
import fc from 'fast-check';
import type { ContainerScript } from '../../../src/kubelet/scripts/script-types.js';
import { podOf, scriptOf } from './scripts.js';

const good: readonly (readonly [word: string, text: string, script: ContainerScript])[] = [
  ['start-delay', '500ms', { startDelay: 500 }],
  ['start-delay', ' 1m30s ', { startDelay: 90_000 }],
  ['start-delay', 'uniform(1s, 3s)', { startDelay: { uniform: [1000, 3000] } }],
  ['readiness-delay', 'exponential(10s)', { readinessDelay: { exponential: { meanMs: 10_000 } } }],
  ['readiness-delay', 'lognormal(10s, 0.5)', { readinessDelay: { lognormal: { medianMs: 10_000, sigma: 0.5 } } }],
  ['start-delay', 'choice(1s, 5s, 1m)', { startDelay: { choice: [1000, 5000, 60_000] } }],
  ['run-for', '25000ms', { runs: [{ duration: 25_000 }] }],
  ['crash-after', '5m', { runs: [{ duration: 300_000, exitCode: 1 }] }],
  ['runs', 'forever', { runs: [{}] }],
  [
    'runs',
    '10s exit 1, uniform(1m, 2m) exit choice(0, 1), 20s oom, forever',
    {
      runs: [
        { duration: 10_000, exitCode: 1 },
        { duration: { uniform: [60_000, 120_000] }, exitCode: [0, 1] },
        { duration: 20_000, isOutOfMemory: true },
        {},
      ],
    },
  ],
  ['shutdown-delay', '2s', { shutdown: { delay: 2000 } }],
  ['shutdown', '2s', { shutdown: { delay: 2000 } }],
  ['shutdown', 'exit 143', { shutdown: { exitCode: 143 } }],
  ['shutdown', 'uniform(1s,2s) exit 143', { shutdown: { delay: { uniform: [1000, 2000] }, exitCode: 143 } }],
  ['shutdown', 'ignore', { shutdown: { ignoresTerm: true } }],
  ['image-pull', '5s', { imagePull: { duration: 5000 } }],
  ['image-pull', 'fail 2', { imagePull: { failures: 2 } }],
  ['image-pull', 'fail all: no such host: x', { imagePull: { failures: Infinity, error: 'no such host: x' } }],
  ['image-pull', '5s fail 2: refused', { imagePull: { duration: 5000, failures: 2, error: 'refused' } }],
  ['creation', 'fail 2', { creation: { failures: 2 } }],
  [
    'creation',
    'fail all CreateContainerConfigError: configmap "x" not found',
    {
      creation: { failures: Infinity, reason: 'CreateContainerConfigError', error: 'configmap "x" not found' },
    },
  ],
  ['readiness', 'ok', { readiness: {} }],
  ['readiness', 'fail', { readiness: { okFor: 0 } }],
  ['readiness', 'ok 5m, fail 30s', { readiness: { okFor: 300_000, failFor: 30_000 } }],
  ['liveness', 'ok exponential(1h), fail', { liveness: { okFor: { exponential: { meanMs: 3_600_000 } } } }],
  [
    'liveness',
    'ok 5m, timeout uniform(1s, 2s)',
    { liveness: { okFor: 300_000, failFor: { uniform: [1000, 2000] }, isTimeout: true } },
  ],
  ['liveness', 'ok 1m, error', { liveness: { okFor: 60_000, isError: true } }],
  [
    'liveness',
    'ok 5m, fail: HTTP probe failed with statuscode: 503',
    { liveness: { okFor: 300_000, output: 'HTTP probe failed with statuscode: 503' } },
  ],
  ['needs', '2 of app=etcd', { needs: { atLeast: 2, selector: 'app=etcd' } }],
  ['needs', '1 of app=db,tier!=cache', { needs: { atLeast: 1, selector: 'app=db,tier!=cache' } }],
  [
    'needs',
    '2 of app in (a, b) or exit 3 after uniform(1s, 2s)',
    { needs: { atLeast: 2, selector: 'app in (a, b)', exitCode: 3, exitAfter: { uniform: [1000, 2000] } } },
  ],
  ['needs', '2 of app=etcd or exit after 30s', { needs: { atLeast: 2, selector: 'app=etcd', exitAfter: 30_000 } }],
  ['needs', '2 of app=etcd or fail liveness', { needs: { atLeast: 2, selector: 'app=etcd', failsLiveness: true } }],
  ['post-start', '2s', { postStart: { duration: 2000 } }],
  ['pre-stop', 'fail', { preStop: { fails: true } }],
  ['pre-stop', '2s fail: no such file', { preStop: { duration: 2000, fails: true, error: 'no such file' } }],
  ['cpu', '500m', { cpuMillis: { points: [[0, 500]] } }],
  [
    'cpu',
    '0s=100m, 1m=2 repeat 1h',
    {
      cpuMillis: {
        points: [
          [0, 100],
          [60_000, 2000],
        ],
        repeatMs: 3_600_000,
      },
    },
  ],
  [
    'memory',
    '0s=100Mi, 10m=2Gi repeat 1h',
    {
      memoryBytes: {
        points: [
          [0, 104_857_600],
          [600_000, 2_147_483_648],
        ],
        repeatMs: 3_600_000,
      },
    },
  ],
  ['storage', '1Gi', { storageBytes: { points: [[0, 1_073_741_824]] } }],
  [
    'processes',
    '0=1, 10s=500',
    {
      processes: {
        points: [
          [0, 1],
          [10_000, 500],
        ],
      },
    },
  ],
];

for (const [word, text, script] of good) {
  test(`kubeloom.dev/${word} › reads ${text}`, (t) => {
    t.deepEqual(scriptOf(podOf({ words: { [word]: text } })), { script, problems: [] });
  });
}

const DURATIONS =
  'a duration such as 500ms or 1m30s, uniform(1s, 3s), exponential(10s), lognormal(10s, 0.5) or choice(1s, 5s)';
const EXITS = 'an integer in 0..255, or choice(0, 1) of several';
const RUNS =
  'runs such as 10s exit 1, uniform(1m, 2m) exit choice(0, 1), 20s oom, forever: each a duration, then how it ends';
const PULLS = 'how pulls go, such as 5s, fail 2, 5s fail 2 or fail all: connection refused';
const CREATIONS =
  'how attempts to create it go, such as fail 2 or fail all CreateContainerError: no such device, with one of CreateContainerConfigError, CreateContainerError, RunContainerError';
const STOPS = 'what it does on SIGTERM, such as 5s, exit 143, 5s exit 143 or ignore';
const PROBES =
  'how it answers, such as ok, fail, ok 5m, fail 30s or ok 5m, timeout 30s or ok 5m, error: first ok, then not, and so on; after a colon what a failing probe says';
const HOOKS = 'how the handler goes, such as 2s, fail, 2s fail or fail: no such file';
const BYTES =
  'a quantity such as 100Mi, or several over time such as 0s=100Mi, 10m=2Gi repeat 1h: times rise, and it repeats after the last';

const bad: readonly (readonly [word: string, allowed: string, texts: readonly string[]])[] = [
  [
    'run-for',
    DURATIONS,
    ['soon', '', '10', '-1s', 'uniform(3s, 1s)', 'lognormal(1s, )', 'lognormal(1s, Infinity)', 'choice()'],
  ],
  ['exit-code', EXITS, ['256', '-1', '1.5', 'choice()', 'choice(0, 256)', 'x']],
  [
    'runs',
    RUNS,
    ['', '10s,', '10s exit', '10s exit 256', '10s oom exit 1', 'forever exit 1', '10s exit 1 2', 'exit 1'],
  ],
  ['image-pull', PULLS, ['', '5s: too slow', 'fail', 'fail -1', 'fail 2 3', 'fail 2:', 'failing 2', 'fail 1.5']],
  ['creation', CREATIONS, ['', '2', 'fail', 'fail 2 Whatever', 'fail 2 RunContainerError x', 'fail 2: ']],
  ['shutdown', STOPS, ['', 'ignore 5s', 'exit', 'exit 256', '5s 143', '5s exit 1 2', 'exit choice(0, 1)']],
  [
    'readiness',
    PROBES,
    [
      '',
      'ok 5m',
      'ok, fail',
      'fail 30s',
      'fail 30s, ok 5m',
      'ok 5m, fail, ok',
      'ok 5m fail',
      'ok 5m, timeout error',
      'ok: fine',
      'ok 5m, fail:',
    ],
  ],
  ['pre-stop', HOOKS, ['', '2s: slow', 'fails', 'fail 2s', '2s fail:']],
  [
    'memory',
    BYTES,
    [
      '',
      'much',
      '-1Mi',
      '10m=2Gi, 5m=1Gi',
      '0s=1Gi repeat',
      '0s=1Gi, 1h=2Gi repeat 1h',
      '0s=',
      '=1Gi',
      '0s=1=2',
      '0s=1Gi,',
      '1Gi repeat 1h repeat 2h',
    ],
  ],
];

for (const [word, allowed, texts] of bad) {
  for (const text of texts) {
    test(`kubeloom.dev/${word} › refuses ${JSON.stringify(text)}`, (t) => {
      const got = JSON.stringify(text.trim());
      t.deepEqual(scriptOf(podOf({ words: { [word]: text } })), {
        script: {},
        problems: [`annotation kubeloom.dev/${word} must be ${allowed}, got ${got}; the default is used`],
      });
    });
  }
}

const pieces = fc.constantFrom(
  ...[
    '10s',
    '1m',
    '0',
    'forever',
    'exit',
    '1',
    '256',
    'choice(0, 1)',
    'uniform(1s, 2s)',
    'oom',
    'fail',
    'ok',
    'timeout',
  ],
  ...[
    'error',
    'all',
    'ignore',
    ',',
    ':',
    ': ',
    ' ',
    '=',
    '1Gi',
    '500m',
    'repeat',
    '-1',
    '(',
    ')',
    'RunContainerError',
    'x',
  ],
);
const words = fc.constantFrom(
  ...['image-pull', 'creation', 'start-delay', 'run-for', 'crash-after', 'runs', 'exit-code', 'shutdown', 'readiness'],
  ...['pre-stop', 'cpu', 'memory', 'processes', 'script'],
);

test('whatever the text of a word, it is read whole or told, never both', (t) => {
  let read = 0;
  fc.assert(
    fc.property(words, fc.array(pieces, { maxLength: 8 }), fc.constantFrom('', ' '), (word, parts, gap) => {
      const { script, problems } = scriptOf(podOf({ words: { [word]: parts.join(gap) } }));
      const said = Object.keys(script).length;
      if (said > 0) read += 1;
      const isSilent = word === 'exit-code' || word === 'script';
      t.true(isSilent ? problems.length <= 1 : said + problems.length === 1, `${word}: ${parts.join(gap)}`);
    }),
    { numRuns: 5000, seed: 1 },
  );
  t.true(read > 50, `${read} read`);
});
