import test from 'ava';
import { ApiError } from '../../src/api/errors/api-error.js';
import type { Pod } from '../../src/api/objects/objects.js';
import type { PodDisruptionBudget } from '../../src/api/objects/workload-objects.js';
import type { Eviction, WatchEvent } from '../../src/apiserver/store/server-types.js';
import { createFixture, podDraft, type Fixture } from './fixtures.js';

interface PodTraits {
  readonly phase?: Pod['status']['phase'];
  readonly isReady?: boolean;
}

/** A pod on a node, Running and Ready unless said otherwise. */
function createPod({ server }: Fixture, name: string, { phase = 'Running', isReady = true }: PodTraits = {}): void {
  server.create('Pod', podDraft(name, { nodeName: 'n' }, { labels: { app: 'web' } }));
  const ready = { type: 'Ready', status: isReady ? 'True' : 'False' } as const;
  server.change(
    'Pod',
    { namespace: 'default', name },
    (pod) => ({ ...pod, status: { ...pod.status, phase, conditions: [ready] } }),
    { subresource: 'status' },
  );
}

/** A budget with a status as the disruption controller would have written it. */
function createBudget(
  { server }: Fixture,
  status: Partial<PodDisruptionBudget['status']>,
  { name = 'b', ...spec }: { readonly name?: string; readonly unhealthyPodEvictionPolicy?: string } = {},
): void {
  server.create('PodDisruptionBudget', {
    metadata: { name, namespace: 'default' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } }, ...spec },
  });
  const full = { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 2 };
  server.change(
    'PodDisruptionBudget',
    { namespace: 'default', name },
    (budget) => ({ ...budget, status: { ...full, ...status } }),
    { subresource: 'status' },
  );
}

const P: Eviction = { metadata: { namespace: 'default', name: 'p' } };

/** The answer's code, reason, message and details, or `Success`. */
function answer({ server }: Fixture, eviction: Eviction = P): unknown {
  try {
    server.evict(eviction);
    return 'Success';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, reason, message, details } = error;
    return [code, reason, message, details?.causes?.map((cause) => cause.message), details?.retryAfterSeconds];
  }
}

const REFUSED = "Cannot evict pod as it would violate the pod's disruption budget.";

test('6.8 › a granted eviction writes the budget, then the condition, then the DELETE', (t) => {
  const fixture = createFixture();
  createPod(fixture, 'p');
  createBudget(fixture, { disruptionsAllowed: 1, currentHealthy: 2 });
  const log: unknown[] = [];
  const note = ({ type, kind, ...event }: WatchEvent): void => {
    if (type === 'BOOKMARK') return;
    const { object } = event as { readonly object: Pod | PodDisruptionBudget };
    const conditions = (object.status.conditions ?? []).filter(({ type: name }) => name.startsWith('Disruption'));
    const told = conditions.map(({ status, reason, message }) => [status, reason, message]);
    log.push([type, kind, told, object.metadata.deletionGracePeriodSeconds]);
  };
  const resourceVersion = String(fixture.server.version);
  fixture.server.watch('Pod', { resourceVersion }, (event) => note(event as WatchEvent));
  fixture.server.watch('PodDisruptionBudget', { resourceVersion }, (event) => note(event as WatchEvent));
  t.is(answer(fixture), 'Success');
  const target = ['True', 'EvictionByEvictionAPI', 'Eviction API: evicting'];
  t.deepEqual(log, [
    ['MODIFIED', 'PodDisruptionBudget', [['False', 'InsufficientPods', '']], undefined],
    ['MODIFIED', 'Pod', [target], undefined],
    ['MODIFIED', 'Pod', [target], 30],
  ]);
  const { status } = fixture.server.get('PodDisruptionBudget', { namespace: 'default', name: 'b' });
  t.is(status.disruptionsAllowed, 0);
  t.deepEqual(status.disruptedPods, { p: '2030-01-01T00:00:00Z' });
});

test('6.8 › the condition of an evicted pod names no generation, whatever its pod has', (t) => {
  const fixture = createFixture();
  createPod(fixture, 'p');
  fixture.server.patch('Pod', P.metadata, { type: 'merge', body: { spec: { activeDeadlineSeconds: 1000 } } });
  t.is(answer(fixture), 'Success');
  const { metadata, status } = fixture.server.get('Pod', P.metadata);
  t.is(metadata.generation, 3);
  t.deepEqual(status.conditions?.at(-1), {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: '2030-01-01T00:00:00Z',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  });
});

test('6.8 › a budget that allows nothing refuses with 429 and says what it needs, without Retry-After', (t) => {
  const fixture = createFixture();
  createPod(fixture, 'p');
  createBudget(fixture, {});
  const cause = 'The disruption budget b needs 1 healthy pods and has 1 currently';
  t.deepEqual(answer(fixture), [429, 'TooManyRequests', REFUSED, [cause], undefined]);
  t.is(fixture.server.get('Pod', P.metadata).metadata.deletionTimestamp, undefined);
});

test('6.8 › a budget that its controller has not seen yet refuses with 429 for ten seconds', (t) => {
  const fixture = createFixture();
  createPod(fixture, 'p');
  createBudget(fixture, { observedGeneration: 0, disruptionsAllowed: 1 });
  const cause = 'The disruption budget b is still being processed by the server.';
  t.deepEqual(answer(fixture), [429, 'TooManyRequests', REFUSED, [cause], 10]);
});

test('6.8 › a budget with too many unconfirmed disruptions is forbidden to grant', (t) => {
  const fixture = createFixture();
  createPod(fixture, 'p');
  const many = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`x${index}`, '2030-01-01T00:00:00Z']));
  createBudget(fixture, { disruptionsAllowed: 1, disruptedPods: many });
  const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
  const names = 'poddisruptionbudget.policy "b"';
  t.deepEqual(answer(fixture), [403, 'Forbidden', `${names} is forbidden: ${why}`, undefined, undefined]);
});

test('6.6 › no budget is asked for pods that are pending, ended or terminating', (t) => {
  for (const phase of ['Pending', 'Succeeded', 'Failed'] as const) {
    const fixture = createFixture();
    createPod(fixture, 'p', { phase });
    createBudget(fixture, {});
    t.is(answer(fixture), 'Success', phase);
  }
  const fixture = createFixture();
  createPod(fixture, 'p');
  createBudget(fixture, {});
  fixture.server.delete('Pod', P.metadata);
  t.is(answer(fixture), 'Success');
});

test('6.6 › two budgets for one pod are an internal error; none is a plain deletion; an unknown pod is 404', (t) => {
  const fixture = createFixture();
  createPod(fixture, 'p');
  createBudget(fixture, { disruptionsAllowed: 1 });
  createBudget(fixture, { disruptionsAllowed: 1 }, { name: 'c' });
  const text = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
  t.deepEqual(answer(fixture), [500, undefined, text, undefined, undefined]);
  for (const name of ['b', 'c']) fixture.server.delete('PodDisruptionBudget', { namespace: 'default', name });
  t.is(answer(fixture), 'Success');
  const missing = { metadata: { namespace: 'default', name: 'q' } };
  t.deepEqual(answer(fixture, missing), [404, 'NotFound', 'pods "q" not found', undefined, undefined]);
});

test('6.6 › grace and preconditions of the body are honoured; a dry run writes nothing', (t) => {
  const fixture = createFixture();
  createPod(fixture, 'p');
  createBudget(fixture, { disruptionsAllowed: 2, currentHealthy: 3 });
  const before = fixture.server.version;
  t.is(answer(fixture, { ...P, dryRun: true }), 'Success');
  t.is(fixture.server.version, before);
  t.is(answer(fixture, { ...P, deleteOptions: { dryRun: ['All'] } }), 'Success');
  t.is(fixture.server.version, before);
  t.deepEqual(answer(fixture, { ...P, deleteOptions: { dryRun: ['Some'] } }), [
    422,
    'Invalid',
    'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
    ['Unsupported value: ["Some"]: supported values: "All"'],
    undefined,
  ]);
  const wrong = { ...P, deleteOptions: { preconditions: { uid: 'other' } } };
  t.deepEqual((answer(fixture, wrong) as unknown[]).slice(0, 2), [409, 'Conflict']);
  t.is(answer(fixture, { ...P, deleteOptions: { gracePeriodSeconds: 7 } }), 'Success');
  t.is(fixture.server.get('Pod', P.metadata).metadata.deletionGracePeriodSeconds, 7);
});

test('6.7 › an unready pod goes without a grant while enough others are healthy, or always if the policy says so', (t) => {
  const cases = [
    { healthy: 1, policy: {}, isGranted: true },
    { healthy: 0, policy: {}, isGranted: false },
    { healthy: 0, policy: { unhealthyPodEvictionPolicy: 'AlwaysAllow' }, isGranted: true },
    { healthy: 0, policy: { unhealthyPodEvictionPolicy: 'IfHealthyBudget' }, isGranted: false },
  ];
  for (const { healthy, policy, isGranted } of cases) {
    const fixture = createFixture();
    createPod(fixture, 'p', { isReady: false });
    createBudget(fixture, { currentHealthy: healthy }, policy);
    t.is(answer(fixture) === 'Success', isGranted);
    const { status } = fixture.server.get('PodDisruptionBudget', { namespace: 'default', name: 'b' });
    t.is(status.disruptedPods, undefined);
  }
});
