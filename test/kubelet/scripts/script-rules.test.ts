import test from 'ava';
import { ScriptError } from '../../../src/kubelet/scripts/script-error.js';
import { NO_SCRIPT } from '../../../src/kubelet/scripts/script-layer.js';
import { parseScriptRules } from '../../../src/kubelet/scripts/script-rules.js';
import { podOf, scriptOf, sourceOf } from './scripts.js';

const runFor = (duration: string): object => ({ runs: [{ duration }] });

test('rules › are read into plain data', (t) => {
  const rules = parseScriptRules(
    [
      { selector: {}, script: { runs: '10s exit 1' } },
      {
        selector: {
          matchLabels: { app: 'web' },
          matchExpressions: [
            { key: 'tier', operator: 'In', values: ['a', 'b'] },
            { key: 'old', operator: 'DoesNotExist' },
          ],
        },
        namespace: 'shop',
        container: 'c',
        script: { startDelay: '5s', memoryBytes: 5 },
      },
    ],
    'scripts',
  );
  t.deepEqual(rules, [
    { selector: {}, script: { runs: [{ duration: 10_000, exitCode: 1 }] } },
    {
      selector: {
        matchLabels: { app: 'web' },
        matchExpressions: [
          { key: 'tier', operator: 'In', values: ['a', 'b'] },
          { key: 'old', operator: 'DoesNotExist' },
        ],
      },
      namespace: 'shop',
      container: 'c',
      script: { startDelay: 5000, memoryBytes: { points: [[0, 5]] } },
    },
  ]);
  t.deepEqual(parseScriptRules(rules, 'scripts'), rules);
});

const SELECTOR = 'a label selector with matchLabels, matchExpressions ({} selects every pod)';
const KEY =
  "a label key (name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'))";

const refused: readonly (readonly [title: string, rules: unknown, message: string])[] = [
  [
    'what is no list',
    { selector: {} },
    'scripts must be a list of rules with selector, namespace, container, script, got {"selector":{}}',
  ],
  ['nothing', null, 'scripts must be a list of rules with selector, namespace, container, script, got nothing'],
  [
    'a rule that is no mapping',
    ['web'],
    'scripts[0] must be a rule with selector, namespace, container, script, got "web"',
  ],
  ['a rule without a selector', [{ script: {} }], `scripts[0].selector must be ${SELECTOR}, got nothing`],
  [
    'a rule without a script',
    [{ selector: {} }],
    'scripts[0].script must be a mapping with imagePull, creation, startDelay, readinessDelay, runs, plays, shutdown, ' +
      'readiness, liveness, needs, postStart, preStop, cpuMillis, requestCost, memoryBytes, storageBytes, processes, logs, exec, got nothing',
  ],
  [
    'an unknown field',
    [{ selector: {}, script: {}, pod: 'x' }],
    'scripts[0].pod must be absent: the fields here are selector, namespace, container, script, got "x"',
  ],
  [
    'a label that is no text',
    [{ selector: { matchLabels: { app: 1 } }, script: {} }],
    'scripts[0].selector.matchLabels.app must be a label value, as a text in quotes, got 1',
  ],
  [
    'a label key that Kubernetes refuses',
    [{ selector: { matchLabels: { 'a b': 'x' } }, script: {} }],
    `scripts[0].selector.matchLabels.a b must be ${KEY}, got "a b"`,
  ],
  [
    'an unknown operator',
    [{ selector: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] }, script: {} }],
    'scripts[0].selector.matchExpressions[0].operator must be one of In, NotIn, Exists, DoesNotExist, got "Gt"',
  ],
  [
    'no operator',
    [{ selector: { matchExpressions: [{ key: 'a' }] }, script: {} }],
    'scripts[0].selector.matchExpressions[0].operator must be one of In, NotIn, Exists, DoesNotExist, got nothing',
  ],
  [
    'no key',
    [{ selector: { matchExpressions: [{ operator: 'Exists' }] }, script: {} }],
    'scripts[0].selector.matchExpressions[0].key must be a label key, as a text in quotes, got nothing',
  ],
  [
    'In without values',
    [{ selector: { matchExpressions: [{ key: 'a', operator: 'In' }] }, script: {} }],
    'scripts[0].selector.matchExpressions[0].values must be a list with a value at least for In, got nothing',
  ],
  [
    'Exists with values',
    [{ selector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] }, script: {} }],
    'scripts[0].selector.matchExpressions[0].values must be absent for Exists, got ["b"]',
  ],
  [
    'values that are no texts',
    [{ selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b', true] }] }, script: {} }],
    'scripts[0].selector.matchExpressions[0].values[1] must be a label value, as a text in quotes, got true',
  ],
  [
    'a wrong field of a script',
    [
      { selector: {}, script: {} },
      { selector: {}, script: { runs: [{}, { exitCode: [0, 300] }] } },
    ],
    'scripts[1].script.runs[1].exitCode[1] must be an integer in 0..255, got 300',
  ],
  [
    'a namespace that is no text',
    [{ selector: {}, namespace: 3, script: {} }],
    'scripts[0].namespace must be a text, got 3',
  ],
];

for (const [title, rules, message] of refused) {
  test(`rules › refuse ${title}`, (t) => {
    const error = t.throws(() => parseScriptRules(rules, 'scripts'), { instanceOf: ScriptError });
    t.is(error.message, message);
  });
}

test('rules › are copied: what a user changes later changes nothing', (t) => {
  const duration: { uniform: [number, number] } = { uniform: [1, 2] };
  const rules = [{ selector: { matchLabels: { app: 'web' } }, script: { runs: [{ duration }] } }];
  const parsed = parseScriptRules(rules, 'scripts');
  duration.uniform[0] = 100;
  rules.length = 0;
  t.deepEqual(parsed[0]?.script.runs, [{ duration: { uniform: [1, 2] } }]);
});

test('rules › select by labels, namespace and container', (t) => {
  const source = sourceOf([
    { selector: { matchLabels: { app: 'web' } }, script: runFor('1s') },
    { selector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] }, script: runFor('2s') },
    { selector: {}, namespace: 'elsewhere', script: runFor('3s') },
    { selector: {}, container: 'other', script: { startDelay: 5 } },
  ]);
  const web = podOf({ labels: { app: 'web' } });
  t.deepEqual(scriptOf(web, 'c', source).script, { runs: [{ duration: 1000 }] });
  t.deepEqual(scriptOf(web, 'other', source).script, { runs: [{ duration: 1000 }], startDelay: 5 });
  t.deepEqual(scriptOf(podOf(), 'c', source).script, { runs: [{ duration: 2000 }] });
});

test('rules › all count that match, and of two that say the same field the later one', (t) => {
  const source = sourceOf([
    { selector: {}, script: { startDelay: 1, shutdown: { delay: 1, exitCode: 3 } } },
    { selector: {}, script: { shutdown: { delay: 2 }, readiness: 'fail' } },
  ]);
  t.deepEqual(scriptOf(podOf(), 'c', source).script, {
    startDelay: 1,
    shutdown: { delay: 2 },
    readiness: { okFor: 0 },
  });
});

test('rules › that do not match leave the one empty script, and equal pods share one', (t) => {
  const source = sourceOf([
    { selector: { matchLabels: { app: 'web' } }, script: runFor('1s') },
    { selector: { matchLabels: { app: 'web' } }, script: { startDelay: 1 } },
  ]);
  t.is(scriptOf(podOf(), 'c', source).script, NO_SCRIPT);
  const [first, second] = [1, 2].map(() => scriptOf(podOf({ labels: { app: 'web' } }), 'c', source).script);
  t.is(first, second);
});
