/** Options and arguments of the library's functions, as programs without types may hand them in. */
import test, { type ExecutionContext } from 'ava';
import * as kubeloom from '../../src/index.js';
import { createCluster, hostCluster, OptionError } from '../../src/index.js';

/** As a program in JavaScript sees the library. */
type Untyped = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

const library = kubeloom as unknown as Untyped;

const SCENARIO = kubeloom.parseScenario('cluster: { nodes: 1 }\nuntil: 1s\n', 's.yaml', () => '');
const PLAN = { title: 't', cluster: { seed: '1', nodes: 1 }, workloads: [], actions: [] };

/** Calls a function of the library, or a method of `of`, and expects one OptionError. */
async function refuses(
  t: ExecutionContext,
  message: string | RegExp,
  name: string,
  args: readonly unknown[],
  of = library,
) {
  const call = (): Promise<unknown> => Promise.resolve().then(() => of[name]?.(...args));
  await t.throwsAsync(call, { instanceOf: OptionError, message }, `${name}(…)`);
}

/** By function: arguments, and what is said of them. */
const REFUSED: Readonly<Record<string, readonly (readonly [args: readonly unknown[], message: string | RegExp])[]>> = {
  runScenario: [
    [[5], 'scenario must be a scenario of parseScenario, got 5'],
    [[{ actions: [] }], 'scenario must be a scenario of parseScenario, got {"actions":[]}'],
    [
      [SCENARIO, { sed: 1 }],
      'option sed must be one of seed, timeline, thresholds, measure, onMeasurement, onEntry, prepare, signal, atEnd, got "sed"',
    ],
    [[SCENARIO, { seed: 1.5 }], 'seed must be an integer or a non-empty text, got 1.5'],
    [[SCENARIO, { timeline: 'yes' }], 'timeline must be true or false, got "yes"'],
    [[SCENARIO, { onEntry: [] }], 'onEntry must be a function, got []'],
    [[SCENARIO, { signal: {} }], 'signal must be an AbortSignal, got {}'],
    [[SCENARIO, null], 'options must be an object, got null'],
  ],
  playPlan: [
    [[5], 'plan must be an object, got 5'],
    [[{ ...PLAN, action: [] }], /^option plan\.action must be one of title, cluster, /],
    [[{ ...PLAN, actions: 5 }], 'plan.actions must be a list of objects, got 5'],
    [[{ ...PLAN, workloads: undefined }], 'plan.workloads must be a list of objects, got undefined'],
    [[PLAN, { worker: 1 }], 'option worker must be one of prepare, invariants, onEntry, workers, signal, got "worker"'],
    [[PLAN, { workers: '1' }], 'workers must be an integer in 0..64, got "1"'],
    [[PLAN, { invariants: [null] }], 'invariants[0] must be an object, got null'],
  ],
  search: [
    [[], 'options must be an object, got undefined'],
    [[{}], 'seeds must be an integer >= 0, got undefined'],
    [[{ seeds: Number.NaN }], 'seeds must be an integer >= 0, got NaN'],
    [[{ seeds: 1, from: -1 }], 'from must be an integer >= 0, got -1'],
    [[{ seeds: 1, stopAtFirst: true }], /^option stopAtFirst must be one of /],
    [[{ seeds: 1, bounds: { node: [1, 1] } }], /^option bounds\.node must be one of nodes, faults, /],
    [
      [{ seeds: 1, bounds: { nodes: [3, 2] } }],
      'bounds.nodes must be two integers in 1..1000, the lesser first, got [3,2]',
    ],
    [[{ seeds: 1, bounds: { kinds: ['cutt'] } }], /^bounds\.kinds must be a list with at least one of cut, /],
    [[{ seeds: 1, controllers: 'mine' }], 'controllers must be a list of texts, got "mine"'],
    [[{ seeds: 1, base: {} }], 'base must be the base that parseBase gives, got {}'],
  ],
  defaultScene: [
    [[{ nodes: 1 }], 'size.pods must be an integer in 0..10000000, got undefined'],
    [[{ nodes: -1, pods: 1 }], 'size.nodes must be an integer in 0..100000, got -1'],
    [[{ nodes: 1, pods: 1, zones: 1 }], 'option size.zones must be one of nodes, pods, got "zones"'],
  ],
  parseOpenb: [
    [[{ nodes: { text: '' } }], 'nodes must be an object with text and source, got {"text":""}'],
    [
      [{ nodes: { text: '', source: 'n' }, pods: { text: '', source: 'p' }, compression: 0 }],
      'compression must be a number > 0, got 0',
    ],
  ],
  parseScenario: [
    [[5, 's'], 'text must be a text, got 5'],
    [['a: b'], 'source must be a text, got undefined'],
  ],
  parseManifests: [[[5, 'm'], 'input must be a text or a list of objects, got 5']],
  validateFields: [[[[], 'loud', () => 0], 'validation must be one of strict, warn, ignore, got "loud"']],
  buildNodes: [[[{ count: 1 }], 'groups must be a list, got {"count":1}']],
  isPodReady: [[[5], 'pod must be a pod with a status, got 5']],
  keyOf: [[[{}], 'object must be an object with metadata and a name in it, got {}']],
  parseKey: [[[5], 'key must be a text, got 5']],
  cpuMillis: [[[null], 'quantity must be a quantity such as 500m or 128Gi, as a text or a number, got null']],
  compileLabelSelector: [[['a=b'], 'selector must be an object, null or absent, got "a=b"']],
  createStatus: [[[9, 'Mine'], 'code must be a value of Code, got 9']],
  explainNode: [[[{}, 'n'], 'attempt must be an attempt of an explanation, got {}']],
};

for (const [name, cases] of Object.entries(REFUSED)) {
  test(`${name} › refuses what it cannot work with, by name`, async (t) => {
    for (const [args, message] of cases) await refuses(t, message, name, args);
  });
}

test('runScene › unknown names and wrong types of its plan and options are refused before anything is applied', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  };
  const cases: readonly (readonly [args: readonly unknown[], message: string | RegExp])[] = [
    [[5, {}], 'cluster must be a cluster of createCluster, got 5'],
    [[cluster, 5], 'plan must be an object, got 5'],
    [
      [cluster, { objects: [pod], update: [] }],
      'option plan.update must be one of objects, updates, arrivals, nodeGroups, got "update"',
    ],
    [[cluster, { objects: pod }], /^plan\.objects must be a list of objects, got \{"apiVersion"/],
    [
      [cluster, { objects: [pod], updates: [{ deployment: 'd', container: 'c', imag: 'i' }] }],
      'option plan.updates[0].imag must be one of deployment, container, image, got "imag"',
    ],
    [
      [cluster, { updates: [{ deployment: 'd', container: 'c' }] }],
      'plan.updates[0].image must be a text, got undefined',
    ],
    [
      [cluster, { objects: [pod] }, { limt: '1s' }],
      'option limt must be one of limit, onStage, signal, validate, got "limt"',
    ],
    [
      [cluster, {}, { limit: 'soon' }],
      'limit must be milliseconds >= 0 or a duration such as "90s", "10m" or "1h30m", got "soon"',
    ],
    [[cluster, {}, { validate: 'loud' }], 'validate must be one of strict, warn, ignore, got "loud"'],
  ];
  for (const [args, message] of cases) await refuses(t, message, 'runScene', args);
  t.deepEqual(cluster.list('Pod'), []);
  await cluster.dispose();
});

test('Cluster › arguments of a wrong type are refused by name', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  const methods = cluster as unknown as Untyped;
  const truth = cluster.truth as unknown as Untyped;
  await refuses(t, 'pod must be a pod, got 5', 'endsByItself', [5], methods);
  await refuses(t, 'pod must be a pod, got {"spec":{}}', 'endsByItself', [{ spec: {} }], methods);
  await refuses(t, 'node must be a text, got 5', 'drain', [5], methods);
  await refuses(t, 'pod must be a text, got 5', 'processes', [5], truth);
  await refuses(t, 'volume must be a text, got {}', 'mounts', [{}], truth);
  await refuses(t, 'node must be a text, got undefined', 'isOn', [], truth);
  t.throws(() => new kubeloom.BudgetWatch(5 as never), {
    message: 'cluster must be a cluster of createCluster, got 5',
  });
  await cluster.dispose();
});

function addNamelessController(cluster: kubeloom.Cluster): void {
  cluster.addController({ name: '', setup: () => undefined, reconcile: () => undefined });
}

test('search › a controller that cannot be is a mistake of the caller, not a find', async (t) => {
  await t.throwsAsync(kubeloom.search({ seeds: 1, prepare: addNamelessController }), {
    instanceOf: OptionError,
    message: 'controller.name must be a non-empty text, got ""',
  });
});

test('HostedCluster › what cannot cross to its thread is refused by its place', async (t) => {
  await t.throwsAsync(hostCluster({ latency: () => 1 }), {
    instanceOf: OptionError,
    message:
      'argument 1.latency of open must be plain data, got a function, which cannot cross to the thread of a hosted cluster',
  });
  const cluster = await hostCluster({ nodes: 0 });
  const methods = cluster as unknown as Untyped;
  const crossing = 'must be plain data, got a function, which cannot cross to the thread of a hosted cluster';
  await refuses(t, `argument 1.until of run ${crossing}`, 'run', [{ until: () => true }], methods);
  await refuses(t, `argument 2.a of create ${crossing}`, 'create', ['Pod', { a: () => 1 }], methods);
  await cluster.dispose();
});
