/** What containers do: scripts, and rules that give them to pods by their labels. */
import { described } from './descriptions.js';
import { anyOf, DRAWN, fields, FLAG, integer, listOf, number, oneWord, ref, TEXT } from './shape.js';
import { DURATION_TEXT, type Shape, type Shapes } from './shape.js';

const EXIT_CODE = integer(0, 255);
const FAILURES = anyOf(integer(0), { type: 'string', pattern: '^\\s*(?:all|\\d{1,9})\\s*$', examples: ['all'] });
const MOMENT = anyOf(DURATION_TEXT, integer(0));
const AMOUNT = anyOf(number(0), TEXT);
/** More than 0. */
const CPU_TIME = anyOf(DURATION_TEXT, { type: 'number', exclusiveMinimum: 0 });
const STRING: Shape = { type: 'string' };

const PROBE = orText(
  { okFor: DRAWN, failFor: DRAWN, output: TEXT, isTimeout: FLAG, isError: FLAG, redirectBody: TEXT },
  'ok 5m, fail 30s',
);
const HOOK = orText({ duration: DRAWN, fails: FLAG, error: TEXT }, '2s fail: no such file');

/** A usage over time: an amount, the text of a curve, or its points. */
function usage(example: string): Shape {
  const points = listOf({ type: 'array', items: [MOMENT, AMOUNT], minItems: 2, maxItems: 2 }, 1);
  return anyOf(number(0), textLike(example), fields({ points, repeatMs: MOMENT }, ['points']));
}

function orText(properties: Shapes, example: string, required: readonly string[] = []): Shape {
  return anyOf(textLike(example), fields(properties, required));
}

function textLike(example: string): Shape {
  return { ...TEXT, examples: [example] };
}

const RUNS = anyOf(
  textLike('10s exit 1, forever'),
  listOf(
    fields({
      duration: DRAWN,
      exitCode: anyOf(EXIT_CODE, textLike('choice(0, 1)'), listOf(EXIT_CODE, 1)),
      isOutOfMemory: FLAG,
    }),
  ),
);

const LOGS = anyOf(
  { ...STRING, examples: ['1s: ready'] },
  listOf(fields({ atMs: MOMENT, everyMs: anyOf(DURATION_TEXT, integer(1)), text: TEXT }, ['text'])),
);

const SCRIPT: Shapes = {
  imagePull: orText({ duration: DRAWN, failures: FAILURES, error: TEXT }, '5s fail 2: connection refused'),
  creation: orText(
    {
      failures: FAILURES,
      reason: oneWord('CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'),
      error: TEXT,
    },
    'fail 2',
  ),
  startDelay: DRAWN,
  readinessDelay: DRAWN,
  runs: RUNS,
  plays: oneWord('busybox', 'alpine', 'agnhost', 'bash', 'nginx', 'httpd', 'perl', 'nothing'),
  shutdown: orText({ delay: DRAWN, ignoresTerm: FLAG, exitCode: EXIT_CODE }, '5s exit 143'),
  readiness: PROBE,
  liveness: PROBE,
  needs: orText(
    { atLeast: integer(1), selector: TEXT, failsLiveness: FLAG, exitAfter: DRAWN, exitCode: EXIT_CODE },
    '2 of app=etcd or exit 1 after 30s',
    ['atLeast', 'selector'],
  ),
  postStart: HOOK,
  preStop: HOOK,
  cpuMillis: usage('0s=100m, 10m=2 repeat 1h'),
  requestCost: orText({ cpuMs: CPU_TIME, queue: integer(1) }, '20ms queue 100', ['cpuMs']),
  memoryBytes: usage('0s=100Mi, 10m=2Gi'),
  storageBytes: usage('0s=100Mi, 10m=2Gi'),
  processes: usage('0s=1, 10m=50'),
  logs: LOGS,
  exec: listOf(fields({ command: TEXT, stdout: STRING, stderr: STRING, exitCode: EXIT_CODE }, ['command'])),
};

/** `cpuMillis` is the word `cpu`, `imagePull` is `image-pull`. */
function wordOf(field: string): string {
  return field.replace(/(?:Millis|Bytes)$/, '').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const NEEDS_VALUES: Shape = { properties: { operator: oneWord('In', 'NotIn') }, required: ['values'] };
const NEEDS_NONE: Shape = { properties: { operator: oneWord('Exists', 'DoesNotExist'), values: { maxItems: 0 } } };

const SELECTOR: Shape = fields({
  matchLabels: { type: 'object', additionalProperties: STRING },
  matchExpressions: listOf(
    fields(
      {
        key: TEXT,
        operator: oneWord('In', 'NotIn', 'Exists', 'DoesNotExist'),
        values: listOf(STRING),
      },
      ['key', 'operator'],
      { anyOf: [{ ...NEEDS_VALUES, ...{ not: { properties: { values: { maxItems: 0 } } } } }, NEEDS_NONE] },
    ),
  ),
});

/** Rules of a cluster's option `scripts`, with what they refer to. */
export const SCRIPT_DEFINITIONS: Shapes = {
  script: {
    description: 'What a container does; each part may be the text of its word.',
    ...fields(described(SCRIPT, 'container-scripts.md', wordOf)),
  },
  scripts: listOf(
    fields(
      {
        selector: { description: 'Labels of pods; {} selects every pod.', ...SELECTOR },
        namespace: { description: 'Of the pod; any unless said.', ...TEXT },
        container: { description: 'The name of one container; all of the pod unless said.', ...TEXT },
        script: ref('script'),
      },
      ['selector', 'script'],
    ),
  ),
};
