import test from 'ava';
import { METRIC_NAMES } from '../../src/measurements/metric-catalogue.js';
import { MetricStore } from '../../src/measurements/metric-store.js';
import {
  judgeThresholds,
  parseThreshold,
  parseThresholds,
  thresholdText,
  type ThresholdResult,
} from '../../src/measurements/thresholds.js';
import { OptionError } from '../../src/options/option-error.js';

function judged(store: MetricStore, texts: readonly string[]): readonly ThresholdResult[] {
  return judgeThresholds(
    store,
    texts.map((text) => parseThreshold(text)),
    10,
  );
}

function refusal(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    if (error instanceof OptionError) return error.message;
    throw error;
  }
  return 'it was taken';
}

test('a threshold is read as k6 reads it, with its spaces, its tags and its forms of a number', (t) => {
  const { metric, tags, expression, method, percentile, operator, bound } = parseThreshold(
    'api_request_ms{verb:LIST,scope:cluster}:  p(99.9) <= 3e4',
  );
  t.deepEqual(
    { metric, tags, expression, method, percentile, operator, bound },
    {
      metric: 'api_request_ms',
      tags: { verb: 'LIST', scope: 'cluster' },
      expression: 'p(99.9) <= 3e4',
      method: 'p',
      percentile: 99.9,
      operator: '<=',
      bound: 30_000,
    },
  );
  t.deepEqual(
    parseThresholds({ pod_startup_ms: ['p(99)<5000', 'avg<.5'], unschedulable: 'count==0' }).map(
      (each) => `${each.metric} ${each.method} ${each.operator} ${each.bound}`,
    ),
    ['pod_startup_ms p < 5000', 'pod_startup_ms avg < 0.5', 'unschedulable count == 0'],
  );
});

test('a threshold may say that it ends the run, in a mapping as k6 has it', (t) => {
  const [plain, delayed] = parseThresholds({
    unschedulable: ['count==0', { threshold: 'count<5', abortOnFail: true, delayAbortEval: '1m30s' }],
  });
  t.like(plain, { expression: 'count==0', abortOnFail: false, delayAbortEvalMs: 0 });
  t.like(delayed, { expression: 'count<5', bound: 5, abortOnFail: true, delayAbortEvalMs: 90_000 });
  const written = parseThreshold('api_requests{verb:GET}: {threshold: "count<5", abortOnFail: true}');
  t.like(written, { metric: 'api_requests', tags: { verb: 'GET' }, expression: 'count<5', abortOnFail: true });
});

test('every comparison and every method of a trend, a counter and a gauge gives what it says', (t) => {
  const store = new MetricStore();
  for (let ms = 1; ms <= 100; ms += 1) store.trend('pod_startup_ms').add(ms);
  store.level('pods_created').add(25);
  store.level('unschedulable').set(7);
  store.level('unschedulable').set(3);
  const trend = ['p(99)==99', 'p(100)==100', 'p(0)==1', 'p(50)==50', 'med==50', 'avg==50.5', 'min==1', 'max==100'];
  const expressions = [
    ...trend.map((each) => `pod_startup_ms: ${each}`),
    ...['count==25', 'rate==2.5', 'count!=24', 'count>24', 'count>=25', 'count<26', 'count<=25', 'count===25'].map(
      (each) => `pods_created: ${each}`,
    ),
    ...['value==3', 'count==3', 'max==7', 'min==0'].map((each) => `unschedulable: ${each}`),
  ];
  t.deepEqual(
    judged(store, expressions)
      .filter(({ ok }) => !ok)
      .map(thresholdText),
    [],
  );
  const wrong = ['count!=25', 'count>25', 'count>=26', 'count<25', 'count<=24', 'count==24'];
  t.deepEqual(
    judged(
      store,
      wrong.map((each) => `pods_created: ${each}`),
    ).map(({ ok }) => ok),
    wrong.map(() => false),
  );
});

test('tags choose a part, and no tag is all of it', (t) => {
  const store = new MetricStore();
  store.trend('api_request_ms', { verb: 'LIST', scope: 'cluster' }).add(500);
  store.trend('api_request_ms', { verb: 'GET', scope: 'resource' }).add(3);
  store.level('api_requests', { verb: 'LIST' }).add(2);
  store.level('api_requests', { verb: 'GET' }).add(5);
  const results = judged(store, [
    'api_request_ms: max==500',
    'api_request_ms: count==2',
    'api_request_ms{verb:GET}: max==3',
    'api_request_ms{scope:cluster}: min==500',
    'api_requests: count==7',
    'api_requests{verb:GET}: count==5',
    'api_requests{verb:PATCH}: count==0',
  ]);
  t.deepEqual(
    results.filter(({ ok }) => !ok),
    [],
  );
});

test('what was not measured at all fails, whatever the bound, and says so', (t) => {
  const store = new MetricStore();
  const [result] = judged(store, ['pod_startup_ms: p(99)<5000']);
  t.deepEqual(result, { metric: 'pod_startup_ms', expression: 'p(99)<5000', ok: false, value: null });
  t.is(result && thresholdText(result), 'threshold failed: pod_startup_ms: p(99)<5000 (nothing was measured)');
});

test('what cannot be read is refused with the field, what it got, and what is allowed', (t) => {
  t.is(
    refusal(() => parseThreshold('pod_startup_ms', '--threshold')),
    '--threshold must be METRIC: EXPRESSION, such as "pod_startup_ms: p(99)<5000", got "pod_startup_ms"',
  );
  t.regex(
    refusal(() => parseThreshold('pod_startup: p(99)<5000', '--threshold')),
    /^--threshold must name one of pod_startup_ms, .*, got "pod_startup"$/,
  );
  t.regex(
    refusal(() => parseThreshold('unschedulabel: count==0')),
    /got "unschedulabel"; did you mean unschedulable\?$/,
  );
  t.is(
    refusal(() => parseThreshold('unschedulable: p(99)<5')),
    'threshold must be METHOD OPERATOR NUMBER with a method of a gauge (value, count, min, max) and an operator among > >= < <= == === !=, got "p(99)"',
  );
  t.regex(
    refusal(() => parseThreshold('pod_startup_ms: p(101)<5')),
    /a method of a trend \(avg, min, med, max, count, p\(0\.\.100\)\).*, got "p\(101\)"$/,
  );
  t.regex(
    refusal(() => parseThreshold('pod_startup_ms: p(99) about 5000')),
    /got "p\(99\) about 5000"$/,
  );
  t.is(
    refusal(() => parseThreshold('api_requests{method:GET}: count>0')),
    'threshold must be tags among verb, resource, subresource, scope, by, each as NAME:VALUE, got "method:GET"',
  );
  t.is(
    refusal(() => parseThreshold('pods_created{by:me}: count>0')),
    'threshold must be no tags for pods_created, which has none, each as NAME:VALUE, got "by:me"',
  );
  t.is(
    refusal(() => parseThresholds({ unschedulable: 0 })),
    'thresholds.unschedulable must be an expression such as "p(99)<5000", or { threshold, abortOnFail, delayAbortEval }, or a list of them, got 0',
  );
  t.regex(
    refusal(() => parseThresholds({ unschedulable: { threshold: 'count==0', abortOnFail: 'yes' } })),
    /^thresholds\.unschedulable\.abortOnFail must be true or false, got "yes"$/,
  );
  t.regex(
    refusal(() => parseThresholds({ unschedulable: [{ threshold: 'count==0', delayAbortEval: 'soon' }] })),
    /^thresholds\.unschedulable\.delayAbortEval must be milliseconds >= 0 or a duration .*, got "soon"$/,
  );
  t.regex(
    refusal(() => parseThresholds({ unschedulable: { threshold: 'count==0', abort: true } })),
    /^option thresholds\.unschedulable\.abort must be one of threshold, abortOnFail, delayAbortEval, got "abort"$/,
  );
  t.regex(
    refusal(() => parseThreshold('unschedulable: {threshold: "count==0', '--threshold')),
    /^--threshold must be an expression such as .*, or \{ threshold, abortOnFail, delayAbortEval \}, got "\{threshold/,
  );
  t.is(
    refusal(() => parseThresholds(['count==0'])),
    'thresholds must be a mapping of metrics to expressions such as "p(99)<5000", got ["count==0"]',
  );
  t.is(
    refusal(() => parseThreshold(7 as unknown as string)),
    'threshold must be METRIC: EXPRESSION, such as "pod_startup_ms: p(99)<5000", got 7',
  );
});

test('no name of a metric is the beginning of another: harnesses replace names by text', (t) => {
  const pairs = METRIC_NAMES.flatMap((name) =>
    METRIC_NAMES.filter((other) => other !== name && other.startsWith(name)).map((other) => [name, other]),
  );
  t.deepEqual(pairs, []);
});
