import test from 'ava';
import {
  DEFAULT_SCRIPT,
  hasScript,
  parseScript,
  problemText,
  type ContainerScript,
  type ScriptProblem,
} from '../../src/kubelet/container-script.js';

function read(annotations: Readonly<Record<string, string>>, container = 'c'): [ContainerScript, string[]] {
  const problems: ScriptProblem[] = [];
  const script = parseScript(annotations, container, (problem) => problems.push(problem));
  return [script, problems.map(problemText)];
}

test('only annotations under kubeloom.dev/ are a script', (t) => {
  t.false(hasScript(undefined));
  t.false(hasScript({ 'example.com/run-for': '1s' }));
  t.true(hasScript({ 'kubeloom.dev/run-for': '1s' }));
  t.deepEqual(read({ 'example.com/run-for': '1s' }), [DEFAULT_SCRIPT, []]);
});

test('every duration may vary, and a container has its own', (t) => {
  const [script, problems] = read({
    'kubeloom.dev/run-for': '1m30s',
    'kubeloom.dev/run-for.c': 'uniform(1s, 3s)',
    'kubeloom.dev/exit-code': '3',
    'kubeloom.dev/start-delay': '500ms',
    'kubeloom.dev/readiness-delay': 'exponential(10s)',
    'kubeloom.dev/shutdown-delay': 'choice(1s, 5s)',
  });
  t.deepEqual(problems, []);
  t.deepEqual(script, {
    runFor: { uniform: [1000, 3000] },
    exitCode: 3,
    startDelay: 500,
    readinessDelay: { exponential: { meanMs: 10_000 } },
    shutdownDelay: { choice: [1000, 5000] },
  });
  t.is(read({ 'kubeloom.dev/run-for': '1m30s', 'kubeloom.dev/run-for.other': '1s' })[0].runFor, 90_000);
});

test('text of no allowed form names the annotation, the value and the forms, and the default is used', (t) => {
  const [script, problems] = read({ 'kubeloom.dev/run-for.c': 'soon', 'kubeloom.dev/exit-code': '256' });
  t.deepEqual(script, DEFAULT_SCRIPT);
  t.deepEqual(problems, [
    'annotation kubeloom.dev/run-for.c must be a duration such as 500ms or 1m30s, uniform(1s, 3s), ' +
      'exponential(10s), lognormal(10s, 0.5) or choice(1s, 5s), got "soon"; the default is used',
    'annotation kubeloom.dev/exit-code must be an integer in 0..255, got "256"; the default is used',
  ]);
});
