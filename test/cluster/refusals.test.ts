/** What programs without types may hand in: each mistake is one error that names the place. */
import test from 'ava';
import { createCluster, type Cluster, type ClusterOptions, type Kind } from '../../src/index.js';
import { errorOf } from '../error-of.js';

const POD = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };

/** As a program in JavaScript sees the cluster. */
type Untyped = Readonly<Record<Exclude<keyof Cluster, symbol>, (...args: readonly unknown[]) => unknown>>;

function optionsError(options: unknown): string {
  return errorOf(() => createCluster(options as ClusterOptions));
}

function untyped(cluster: Cluster): Untyped {
  return cluster as unknown as Untyped;
}

test('every request of an unknown kind gives one ApiError that names the known ones', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const requests: readonly ((kind: Kind) => unknown)[] = [
    (kind) => cluster.get(kind, 'a'),
    (kind) => cluster.list(kind),
    (kind) => cluster.create(kind, POD),
    (kind) => cluster.patch(kind, 'a', {}),
    (kind) => cluster.update(kind, POD),
    (kind) => cluster.updateStatus(kind, POD),
    (kind) => cluster.delete(kind, 'a'),
    (kind) => cluster.scale(kind as 'Deployment', 'a', 1),
    (kind) => cluster.watch(kind),
    (kind) => cluster.submit([{ atMs: 0, kind, draft: POD }]),
  ];
  for (const kind of ['Deploymet', 'deployments', 'constructor', 'toString'] as readonly string[]) {
    for (const request of requests) {
      t.regex(
        errorOf(() => request(kind as Kind)),
        new RegExp(
          `^ApiError: the server could not find the requested resource: kind "${kind}" is not known, known are Pod, `,
        ),
      );
    }
  }
  t.regex(
    errorOf(() => cluster.list('Deploymet' as Kind)),
    /did you mean Deployment\?$/,
  );
  t.regex(
    errorOf(() => cluster.list('deployments' as Kind)),
    /did you mean Deployment\?$/,
  );
  t.regex(
    errorOf(() => cluster.scale('ConfigMap' as 'Deployment', 'a', 1)),
    /ConfigMap has no scale, only Deployment, ReplicaSet, ReplicationController, StatefulSet, NodePool have$/,
  );
  await cluster.dispose();
});

test('a controller that watches an unknown kind ends the run with that ApiError', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.addController({
    name: 'mine',
    setup: (context) => context.watch('Podd' as Kind, {}),
    reconcile: () => undefined,
  });
  const error = await t.throwsAsync(cluster.run({ limit: '1s' }), { name: 'ApiError' });
  t.regex(error.message, /kind "Podd" is not known, known are Pod, .*; did you mean Pod\?$/);
  await cluster.dispose();
});

test('Cluster.submit › refuses times that are none or fall, and names the arrival', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const { submit } = { submit: untyped(cluster).submit.bind(cluster) };
  const at = (...times: readonly unknown[]): string =>
    errorOf(() => submit(times.map((atMs) => ({ atMs, kind: 'Pod', draft: POD }))));
  t.is(at(0, Number.NaN), 'ArrivalError: arrivals[1].atMs must be milliseconds >= 0, got NaN');
  t.is(at(Number.POSITIVE_INFINITY), 'ArrivalError: arrivals[0].atMs must be milliseconds >= 0, got Infinity');
  t.is(at('5'), 'ArrivalError: arrivals[0].atMs must be milliseconds >= 0, got "5"');
  t.is(at(7, 5), 'ArrivalError: arrivals[1].atMs must be at least 7, that of the arrival before it, got 5');
  t.is(
    errorOf(() => submit([{ atMs: 0, kind: 'Pod', draft: POD, at: 1 }])),
    'ArrivalError: arrivals[0].at is not known; known are atMs, kind, draft',
  );
  t.is(
    errorOf(() => submit([{ atMs: 0, kind: 'Pod' }])),
    'ArrivalError: arrivals[0].draft must be an object, got nothing',
  );
  t.regex(
    errorOf(() => submit(5)),
    /^ArrivalError: arrivals must be a list or another iterable/,
  );
  t.deepEqual(await cluster.run({ limit: '1s' }), { end: 'limit', nowMs: 1000 });
  t.deepEqual(cluster.list('Pod'), []);
  await cluster.dispose();
});

test('Cluster.submit › what an iterator gives is refused when it is given: the run ends with the error', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.submit(
    (function* () {
      yield { atMs: 10, kind: 'Pod', draft: POD } as const;
      yield { atMs: Number.NaN, kind: 'Pod', draft: POD } as const;
    })(),
  );
  await t.throwsAsync(cluster.run({ limit: '1s' }), {
    name: 'ArrivalError',
    message: 'arrivals[1].atMs must be milliseconds >= 0, got NaN',
  });
  await cluster.dispose();
});

test('Cluster.submit › an iterator without end at one moment is refused: the limit ends every run', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const arrival = { atMs: 10, kind: 'Pod', draft: POD } as const;
  cluster.submit(
    (function* () {
      for (;;) yield arrival;
    })(),
  );
  await t.throwsAsync(cluster.run({ limit: '1s' }), {
    name: 'ArrivalError',
    message: 'arrivals must be at most 1000000 at one moment, got more at 10 ms',
  });
  await cluster.dispose();
});

test('unknown keys and wrong types of the options of requests are refused', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const anyCluster = untyped(cluster);
  const refuses = (message: string, work: () => unknown): void => {
    t.is(errorOf(work), `OptionError: ${message}`);
  };
  refuses(
    'option labelselector must be one of namespace, labelSelector, fieldSelector, resourceVersion, resourceVersionMatch, limit, continue, got "labelselector"',
    () => anyCluster.list('Pod', { labelselector: 'a' }),
  );
  refuses('labelSelector must be a text, got 5', () => anyCluster.list('Pod', { labelSelector: 5 }));
  refuses('options must be an object, got null', () => anyCluster.list('Pod', null));
  refuses('option name must be one of namespace, labelSelector, fieldSelector, got "name"', () =>
    anyCluster.watch('Pod', { name: 'a' }),
  );
  refuses('object must be a name, namespace/name or {namespace, name}, got undefined', () => anyCluster.get('Pod'));
  refuses('draft must be an object, got undefined', () => anyCluster.create('Pod'));
  refuses('draft must be an object, got "p"', () => anyCluster.update('Pod', 'p'));
  refuses('force must be true or false, got 1', () => anyCluster.delete('Pod', 'a', { force: 1 }));
  refuses('option preconditions.id must be one of uid, resourceVersion, got "id"', () =>
    anyCluster.delete('Pod', 'a', { preconditions: { id: 'x' } }),
  );
  refuses('gracePeriodSeconds must be an integer, got "1"', () => anyCluster.evict('a', { gracePeriodSeconds: '1' }));
  refuses('force must be true or false, got "yes"', () => anyCluster.drain('n', { force: 'yes' }));
  refuses(
    'option ignoreDaemonsets must be one of force, ignoreDaemonSets, deleteEmptyDirData, disableEviction, gracePeriodSeconds, timeout, podSelector, got "ignoreDaemonsets"',
    () => anyCluster.drain('n', { ignoreDaemonsets: true }),
  );
  refuses('option name must be one of namespace, namePrefix, got "name"', () => anyCluster.timeline({ name: 'a' }));
  refuses(
    'option controller.workers must be one of name, component, concurrentSyncs, maxRetries, retryDelays, setup, reconcile, holdsClock, clientLimit, got "workers"',
    () => anyCluster.addController({ name: 'a', setup: () => 0, reconcile: () => 0, workers: 2 }),
  );
  refuses('controller.concurrentSyncs must be an integer in 1..1000000, got "2"', () =>
    anyCluster.addController({ name: 'a', setup: () => 0, reconcile: () => 0, concurrentSyncs: '2' }),
  );
  t.regex(
    errorOf(() => anyCluster.patch('Node', 'n', {}, 'yaml')),
    /^ApiError: nodes "n" not found$/,
  );
  await cluster.dispose();
});

test('unknown keys and wrong types of a run are refused', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const run = async (options: unknown): Promise<string> => {
    const error = await t.throwsAsync(cluster.run(options as object), { name: 'OptionError' });
    return error.message;
  };
  t.is(await run({ untill: () => true }), 'option untill must be one of until, limit, signal, got "untill"');
  t.is(await run({ until: 5 }), 'until must be a function, an Observable or a goal such as {readyPods: 10}, got 5');
  t.is(await run({ until: { readyPods: 1, of: 'x' } }), 'option until.of must be one of readyPods, got "of"');
  t.is(await run({ signal: {} }), 'signal must be an AbortSignal, got {}');
  t.is(await run(null), 'options must be an object, got null');
  await cluster.dispose();
});

test('unknown keys and wrong types of nested options of a cluster are refused', (t) => {
  const known =
    'count, namePrefix, zones, region, provisioningDelay, autoscaling, labels, annotations, taints, capacity, allocatable, images, kubelet, staticPods, devices';
  t.is(
    optionsError({ nodes: [{ count: 1 }, { count: 1, zone: 'a' }] }),
    `NodeGroupError: nodes[1]: zone is not known here; known are ${known}; did you mean zones?`,
  );
  t.is(
    optionsError({ nodes: [{ count: 1, zones: 'abc' }] }),
    'NodeGroupError: nodes[0]: zones must be a list of texts, got "abc"',
  );
  t.is(
    optionsError({ nodes: [{ count: 1, labels: { a: 5 } }] }),
    'NodeGroupError: nodes[0]: labels must be a mapping of texts, got a mapping',
  );
  t.is(
    optionsError({ nodes: [{ name: 'a' }] }),
    'NodeGroupError: nodes[0]: labels must be a mapping of texts, got nothing',
  );
  t.is(
    optionsError({ nodes: [5] }),
    'NodeGroupError: nodes[0]: must be a group with a count or a node with a name, got 5',
  );
  t.is(
    optionsError({ nodes: [{ count: 1, taints: [{ key: 'a', efect: 'NoSchedule' }] }] }),
    'NodeGroupError: nodes[0]: taints[0].efect is not known here; known are key, value, effect, timeAdded',
  );
  t.is(optionsError(null), 'OptionError: options must be an object, got null');
  t.is(
    optionsError({ epoch: '2030-13-99T00:00:00Z' }),
    'OptionError: epoch must be a timestamp such as 2030-01-01T00:00:00Z, got "2030-13-99T00:00:00Z"',
  );
  t.regex(optionsError({ epoch: '2030-02-30T00:00:00Z' }), /^OptionError: epoch must be a timestamp/);
  t.is(optionsError({ runtime: 5 }), 'OptionError: runtime must be an object, got 5');
  t.is(optionsError({ kubelet: 5 }), 'OptionError: kubelet must be an object, got 5');
  t.is(optionsError({ scheduler: null }), 'OptionError: scheduler must be an object, got null');
  t.is(
    optionsError({ schedulerPlugins: { mine: 5 } }),
    'OptionError: schedulerPlugins.mine must be a function that makes a plugin, got 5',
  );
  t.is(optionsError({ stopwatch: {} }), 'OptionError: stopwatch must be an object with start and stop, got {}');
  t.is(optionsError({ controllerManager: 5 }), 'OptionError: controllerManager must be an object, got 5');
  t.is(optionsError({ fencing: null }), 'OptionError: fencing must be an object, got null');
  t.regex(
    optionsError({ fencing: { action: { name: 'a', fence: 5 } } }),
    /^OptionError: fencing\.action must be one of/,
  );
});

test('nodes that no API server would register are refused, in its words', (t) => {
  const refuses = (message: string, node: object, options: object = {}): void => {
    t.is(optionsError({ nodes: [{ count: 2, ...node }], ...options }), message);
  };
  refuses(
    `NodeGroupError: nodes[0]: metadata.labels: Invalid value: "c d": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    { labels: { a: 'c d' } },
  );
  t.regex(
    optionsError({ nodes: [{ count: 1, taints: [{ key: 'a b', effect: 'NoSchedule' }] }] }),
    /^NodeGroupError: nodes\[0\]: metadata\.taints\[0\]\.key: Invalid value: "a b": name part must consist of/,
  );
  refuses('NodeGroupError: nodes[0]: taints[0].value must be a text, got 5', {
    taints: [{ key: 'a', effect: 'NoSchedule', value: 5 }],
  });
  refuses('NodeGroupError: nodes[0]: images must be a list of images such as {names, sizeBytes}, got a list', {
    images: [{ names: 'nginx' }],
  });
  refuses('OptionError: staticPods[].metadata.name must be a text, got undefined', { staticPods: [{}] });
  refuses(
    'OptionError: kubelet.systemReserved must be a map of cpu, memory, ephemeral-storage, pid, got "cpuu"',
    {},
    { kubelet: { systemReserved: { cpuu: '5' } } },
  );
});

test('promises of the user with parts that are no functions are refused', (t) => {
  const mine = { name: 'mine', promise: 'all is well' };
  t.is(
    optionsError({ invariants: [{ ...mine, atRest: 5 }] }),
    'OptionError: invariants[0].atRest must be a function, got 5',
  );
  t.is(
    optionsError({ invariants: [{ ...mine, onWrites: {} }] }),
    'OptionError: option invariants[0].onWrites must be one of name, promise, onWrite, onProcess, onParting, atRest, got "onWrites"',
  );
  t.regex(
    optionsError({ invariants: [{ ...mine, onWrite: { Podd: () => undefined } }] }),
    /^OptionError: option invariants\[0\]\.onWrite\.Podd must be one of Pod, Node, /,
  );
});

test('a limit is at most as long as timestamps go, and no run with one goes beyond the year 9999', async (t) => {
  const cluster = createCluster({ nodes: 1, epoch: '9999-12-31T23:59:00Z', seed: 1 });
  await t.throwsAsync(cluster.run({ limit: 1e16 }), {
    name: 'OptionError',
    message: 'limit must be at most 250000000000000 ms, which are 7,900 years, got 10000000000000000',
  });
  t.deepEqual(await cluster.run({ limit: '10m' }), { end: 'limit', nowMs: 59_000 });
  await cluster.dispose();
});

test('a latency that is no time ends the run with an error that names it', async (t) => {
  for (const [wrong, got] of [
    [Number.NaN, 'NaN'],
    [-5, '-5'],
    ['5ms', '"5ms"'],
  ] as const) {
    const message = `latency(…) must be milliseconds in 0..3600000, got ${got}`;
    const play = async (): Promise<void> => {
      const cluster = createCluster({ nodes: 1, latency: () => wrong as number });
      await cluster.run({ limit: '1s' });
    };
    await t.throwsAsync(play, { name: 'OptionError', message });
  }
});

test('a mount of a part of a volume stays within the volume', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const create = (subPath: string): string =>
    errorOf(() =>
      cluster.create('Pod', {
        metadata: { name: 'p' },
        spec: {
          containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/a', subPath }] }],
          volumes: [{ name: 'v', emptyDir: {} }],
        },
      }),
    );
  const field = 'spec.containers[0].volumeMounts.subPath';
  t.is(
    create('a/../../b'),
    `ApiError: Pod "p" is invalid: ${field}: Invalid value: "a/../../b": must not contain '..'`,
  );
  t.is(create('/a'), `ApiError: Pod "p" is invalid: ${field}: Invalid value: "/a": must be a relative path`);
  t.is(create('a/..b'), 'accepted');
  await cluster.dispose();
});

test('requests, options of a deletion and arrivals of a wrong form are refused by name', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const anyCluster = untyped(cluster);
  for (const wrong of [undefined, null, 5, 'requests', {}, [5]]) {
    await t.throwsAsync(async () => void (await anyCluster.replayRequests(wrong)), {
      name: 'OptionError',
      message: /^requests must be a list of objects, got /,
    });
  }
  t.regex(
    errorOf(() => anyCluster.evict('p', null)),
    /^OptionError: .*, got null$/,
  );
  t.regex(
    errorOf(() => anyCluster.submit(Symbol('s'))),
    /^ArrivalError: arrivals must be a list .* got Symbol\(s\)$/,
  );
  await cluster.dispose();
});

test('a status that is left out is empty', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.create('Pod', POD);
  const { status } = cluster.updateStatus('Pod', { metadata: { name: 'p' } });
  t.is(status.phase, undefined as never);
  t.is(status.qosClass, 'BestEffort');
  await cluster.dispose();
});

test('objects that hold themselves, and what no JSON can hold, are refused in one line', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const anyCluster = untyped(cluster);
  const pod: Record<string, unknown> = { apiVersion: 'v1', kind: 'Pod', ...structuredClone(POD) };
  pod['self'] = { pod };
  t.is(
    errorOf(() => anyCluster.create('Pod', pod)),
    'OptionError: object.self.pod must not hold itself',
  );
  t.is(
    errorOf(() => anyCluster.patch('Pod', 'p', pod)),
    'OptionError: object.self.pod must not hold itself',
  );
  t.is(
    errorOf(() => anyCluster.apply(Object.freeze(pod))),
    'ManifestError: object[0]: self.pod must not hold itself',
  );
  t.is(
    errorOf(() => anyCluster.apply([{ apiVersion: 'v1', kind: 'Pod', ...POD, n: 5n }], { validate: 'ignore' })),
    'ManifestError: object[0]: n must be plain data, got a bigint',
  );
  t.is(
    errorOf(() => cluster.apply('apiVersion: v1\nkind: Pod\nmetadata: &a\n  name: x\n  self: *a\n')),
    'ManifestError: manifest:5: must not hold itself',
  );
  t.is(
    errorOf(() => cluster.apply('{"a":'.repeat(5000))),
    'ManifestError: manifest:1: must not nest deeper than 500',
  );
  t.regex(optionsError({ seed: pod }), /^OptionError: seed must be .* got an object that is no plain data$/);
  await cluster.dispose();
});

test('a cluster that is disposed can be read, and refuses what would change it', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  cluster.create('Pod', POD);
  await cluster.ready();
  const { traceHash, nowMs } = cluster;
  await cluster.dispose();
  t.deepEqual([cluster.traceHash, cluster.list('Pod').length], [traceHash, 1]);
  const refused = 'DisposedError: the cluster is disposed: nothing can be changed in it';
  const changes: readonly (() => unknown)[] = [
    () => cluster.create('Pod', POD),
    () => cluster.apply({ apiVersion: 'v1', kind: 'Pod', ...POD }),
    () => cluster.patch('Pod', 'p', {}),
    () => cluster.update('Pod', cluster.get('Pod', 'p')),
    () => cluster.updateStatus('Pod', cluster.get('Pod', 'p')),
    () => cluster.delete('Pod', 'p'),
    () => cluster.evict('p'),
    () => cluster.scale('Deployment', 'd', 1),
    () => cluster.submit([]),
    () => cluster.addNodes([{ count: 1 }]),
    () => cluster.registerImage('i', {}),
  ];
  for (const change of changes) t.is(errorOf(change), refused);
  await t.throwsAsync(cluster.listen({ port: 0 }), { message: /is disposed/ });
  await cluster.run({ limit: '1s' });
  t.is(cluster.nowMs, nowMs);
});
