/** Operators are searched for bugs: over the wire, and as controllers of the program. test/long has further ones. */
import test from 'ava';
import { startTenantOperator } from '../../../examples/tenants/tenant-operator.js';
import { tenantSearch } from '../../../examples/tenants/tenant-trial.js';
import { carefulOperator, carelessOperator, RUNNER } from '../../../examples/operator/runner-operator.js';
import { searchOperator, type Draft, type OperatorFind, type OperatorSubject } from '../../../src/index.js';

function brokenOf([find]: readonly OperatorFind[]): string | undefined {
  return find?.play.violations[0]?.name;
}

test.serial('searchOperator › an operator over the wire that reads what is old is found out', async (t) => {
  t.timeout(600_000);
  const operator: OperatorSubject = {
    name: 'tenants',
    start: ({ kubeconfig }) => startTenantOperator(kubeconfig, 'stale-read'),
  };
  const finds = await searchOperator({ ...tenantSearch(operator), seeds: 200, shrinks: false });
  t.is(brokenOf(finds), 'one-secret');
});

const OWNER: Draft = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'ledger', labels: { [RUNNER]: 'postgres' } },
};

function searchRunner(operator: OperatorSubject): Promise<readonly OperatorFind[]> {
  return searchOperator({
    operator,
    prepare: (cluster) => void cluster.apply(OWNER),
    actions: [{ name: 'lose', act: (cluster) => cluster.delete('Pod', cluster.list('Pod')[0]?.metadata.name ?? '-') }],
    expectations: [
      { name: 'one-pod', holds: (cluster) => cluster.pods.total === 1 || `there are ${cluster.pods.total} pods` },
    ],
    bounds: { kinds: ['delayWatch', 'crashAfterWrites', 'cut'] },
    seeds: 60,
  });
}

test.serial('searchOperator › a controller of the program is searched by the same means', async (t) => {
  const finds = await searchRunner(carelessOperator);
  t.is(brokenOf(finds), 'one-pod');
  t.is(finds[0]?.shrunkPlay.violations[0]?.name, 'one-pod');
  t.true((finds[0]?.shrunk.length ?? 9) < (finds[0]?.steps.length ?? 0));
  t.deepEqual(await searchRunner(carefulOperator), []);
});
