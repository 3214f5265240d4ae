/** What no program can look at, or print: one error that names the place, in one line of a readable length. */
import test from 'ava';
import { createCluster, durationMs, isPlainKind, type ClusterOptions } from '../../src/index.js';
import { errorOf } from '../error-of.js';

type Untyped = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

const POD = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const LONGEST_LINE = 1200;

function create(options: unknown): void {
  createCluster(options as ClusterOptions);
}

function fail(): never {
  throw new Error('do not look');
}

function unreadable(): readonly object[] {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return [
    proxy,
    new Proxy({}, { get: fail, has: fail, ownKeys: fail }),
    Object.defineProperty({}, 'name', { get: fail, enumerable: true }),
  ];
}

test('what throws while it is looked at is refused by the name of its place', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  const methods = cluster as unknown as Untyped;
  const faults = cluster.faults as unknown as Untyped;
  for (const value of unreadable()) {
    const refusals: readonly (readonly [string, () => unknown])[] = [
      ['OptionError: options', () => create(value)],
      ['OptionError: options.runtime.imagePull', () => create({ runtime: { imagePull: value } })],
      ['OptionError: options.kubelet.evictionHard', () => create({ kubelet: { evictionHard: value } })],
      ['OptionError: options.nodes[0].labels', () => create({ nodes: [{ count: 1, labels: value }] })],
      ['OptionError: options.schedulerConfig', () => create({ schedulerConfig: value })],
      ['OptionError: nodes[0]', () => methods['addNodes']?.([value])],
      ['OptionError: behaviour', () => methods['registerImage']?.('a', value)],
      ['OptionError: object must be', () => methods['get']?.('Pod', value)],
      ['OptionError: draft must be', () => methods['create']?.('Pod', value)],
      ['OptionError: object must be plain data', () => methods['apply']?.({ kind: 'Pod', metadata: value })],
      ['OptionError: options', () => methods['list']?.('Pod', value)],
      ['FaultError: fault.cut', () => faults['inject']?.({ cut: value })],
      ['FaultError: fault.for', () => faults['inject']?.({ powerOff: { node: 'node-0' }, for: value })],
    ];
    for (const [message, work] of refusals) {
      const got = errorOf(work);
      t.true(got.startsWith(message), got);
      t.notRegex(got, /do not look|revoked/);
    }
    await t.throwsAsync(async () => void (await methods['listen']?.(value)), { name: 'ListenError' });
  }
  await cluster.dispose();
});

test('options of no plain data and of any length are printed in one line', (t) => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const values = [5n, circle, 'x'.repeat(1_000_000), Symbol('s'), () => 1, Object.create(null), /x/, [null]];
  const makers: readonly ((value: unknown) => unknown)[] = [
    (kubelet) => ({ kubelet: { maxPods: kubelet } }),
    (kubelet) => ({ kubelet: { evictionHard: { 'memory.available': kubelet } } }),
    (kubelet) => ({ kubelet: { shutdownGracePeriodByPodPriority: kubelet } }),
    (limit) => ({ kubelet: { kubeAPIQPS: limit } }),
    (config) => ({ schedulerConfig: { profiles: [{ pluginConfig: [{ name: config }] }] } }),
  ];
  for (const value of values) {
    for (const make of makers) {
      const got = errorOf(() => create(make(value)));
      t.regex(got, /^(OptionError|KubeletConfigurationError|SchedulerConfigError): /);
      if (typeof value !== 'string') t.true(got.length < LONGEST_LINE && !got.includes('\n'), got.slice(0, 300));
    }
  }
  t.is(
    errorOf(() => create({ kubelet: { maxPods: Number.NaN } })),
    'OptionError: kubelet.maxPods must be an integer in 1..2147483647, got NaN',
  );
  for (const config of [null, 5, [], /x/.exec('x')]) {
    t.regex(
      errorOf(() => create({ schedulerConfig: config })),
      /^OptionError: schedulerConfig must be a KubeSchedulerConfiguration as text or plain data, got /,
    );
  }
  t.regex(
    errorOf(() => create({ controllers: [undefined] })),
    /^OptionError: controllers must be among .*, got undefined$/,
  );
});

test('kinds and names are printed as the API server prints them', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const methods = cluster as unknown as Untyped;
  t.is(
    errorOf(() => cluster.get('Pod', 'a\n"b"')),
    String.raw`ApiError: pods "a\n\"b\"" not found`,
  );
  for (const kind of ['x'.repeat(1_000_000), Object.create(null), Symbol('s'), 5]) {
    const got = errorOf(() => methods['create']?.(kind, POD));
    t.regex(got, /^ApiError: the server could not find the requested resource: kind .* is not known, known are Pod, /);
    t.true(got.length < 2 * LONGEST_LINE);
  }
  await cluster.dispose();
});

test('times beyond those of timestamps are refused, wherever they are said', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  const problem = 'must be at most 250000000000000 ms, which are 7,900 years, got 1e+308';
  const inject = (fault: object): string => errorOf(() => cluster.faults.inject(fault as never));
  t.is(inject({ powerOff: { node: 'node-0' }, for: 1e308 }), `FaultError: fault.for ${problem}`);
  t.is(
    inject({ failRuntime: { node: 'node-0', operation: 'pullImage', by: 1e308 } }),
    `FaultError: fault.failRuntime.by ${problem}`,
  );
  t.is(inject({ skewClock: { node: 'node-0', by: 1e308 } }), `FaultError: fault.skewClock.by ${problem}`);
  await cluster.dispose();
});

test('a script that asks for a time without end ends no run', async (t) => {
  const cluster = createCluster({ nodes: 1, runtime: { jobRunFor: 1e308, imagePull: 0 } });
  await cluster.ready();
  const annotations = { 'kubeloom.dev/run-for': '99999999999999999999999h' };
  cluster.create('Pod', { ...POD, metadata: { name: 'p', annotations } });
  const { end } = await cluster.run({ until: { readyPods: 1 }, limit: '1m' });
  t.is(end, 'done');
  t.is((await cluster.run({ limit: '1h' })).end, 'limit');
  await cluster.dispose();
});

test('options of serving and of driving, and metrics of the user, are refused by name', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const methods = cluster as unknown as Untyped;
  for (const value of [null, 5, 'x', [], true]) {
    await t.throwsAsync(async () => void (await methods['listen']?.(value)), {
      name: 'ListenError',
      message: /^options of listen must be an object, got /,
    });
  }
  await t.throwsAsync(async () => void (await methods['runByClock']?.()), {
    name: 'OptionError',
    message: 'signal must be an AbortSignal, got undefined',
  });
  const metrics = cluster.metrics as unknown as Untyped;
  const metric = (name: string, ...args: readonly unknown[]): string => errorOf(() => metrics[name]?.(...args));
  t.is(metric('counter', 'a b', 'help'), 'MetricError: name must be letters, digits, _ and :, got "a b"');
  t.is(metric('gauge', 'a'), 'MetricError: help must be a text, got undefined');
  t.is(metric('histogram', 'a', 'help', [2, 1]), 'MetricError: buckets must be a list of rising numbers, got [2,1]');
  t.is(metric('computed', 'a', 'help', 'gauge', 5), 'MetricError: read must be a function, got 5');
  t.is(typeof (await cluster.metrics.text()), 'string');
  t.regex(
    errorOf(() => durationMs(Symbol('s') as never, 1)),
    /^OptionError: field must be a text/,
  );
  t.regex(
    errorOf(() => isPlainKind(Object.create(null) as never)),
    /^OptionError: kind must be a text/,
  );
  await cluster.dispose();
});

test('functions of reports, thresholds, arrivals and load are refused what they cannot work with, by name', async (t) => {
  const door = (await import('../../src/index.js')) as unknown as Untyped;
  const wrong: readonly unknown[] = [undefined, null, 5, 'x', {}, [null], Symbol('s'), ...unreadable()];
  const calls: readonly (readonly [string, string])[] = [
    ['junitText', 'summary must be a summary of a run'],
    ['openMetricsText', 'summary must be a summary of a run'],
    ['otlpRequests', 'summary must be a summary of a run'],
    ['runPage', 'summary must be a summary of a run'],
    ['comparisonPage', 'before must be a list of summaries of runs'],
    ['differencesOf', 'before must be a list of summaries of runs'],
    ['summarize', 'reading must be what a measurement read'],
    ['otlpUrl', 'endpoint must be a URL such as http://127.0.0.1:4318'],
    ['thresholdText', 'result must be what became of a threshold'],
    ['arrivals', 'clock must be a cluster, or an object with a scheduler and a seed'],
  ];
  for (const value of wrong) {
    for (const [name, message] of calls) {
      const got = errorOf(() => door[name]?.(value));
      t.true(got.startsWith(`OptionError: ${message}, got `), `${name}: ${got}`);
    }
    for (const name of ['runBurner', 'runLoadTests']) {
      await t.throwsAsync(async () => void (await door[name]?.(value)), { name: 'OptionError' }, name);
    }
    const follow = createCluster({ nodes: 0 }).faults as unknown as Untyped;
    t.is(
      errorOf(() => follow['follow']?.(value)),
      'FaultError: fault follower must have the functions begun and healed',
    );
  }
  await t.throwsAsync(async () => void (await door['runBurner']?.({ config: 'a', readFile: () => '', confg: 1 })), {
    message: /^option confg must be one of /,
  });
  await t.throwsAsync(async () => void (await door['runLoadTests']?.({ readFile: () => '', configs: 'a' })), {
    message: 'configs must be a list of texts, got "a"',
  });
});
