/** Operators over the wire that are searched for bugs: each that is planted is found, and none in the one without. */
import test from 'ava';
import { startTenantOperator, type Bug } from '../../examples/tenants/tenant-operator.js';
import { tenantSearch } from '../../examples/tenants/tenant-trial.js';
import { searchOperator, type OperatorFind, type OperatorSubject } from '../../src/index.js';

/** In this process, over the network. */
function operatorOf(bug: Bug): OperatorSubject {
  return { name: 'tenants', start: ({ kubeconfig }) => startTenantOperator(kubeconfig, bug) };
}

/** As a program of its own. */
function programOf(bug: Bug): OperatorSubject {
  const command = [process.execPath, 'examples/tenants/tenant-operator.ts'];
  return { name: 'tenants', command, env: { BUG: bug, NODE_NO_WARNINGS: '1' } };
}

function brokenOf([find]: readonly OperatorFind[]): string | undefined {
  return find?.play.violations[0]?.name;
}

/** Which promise is broken first hangs on when the operator's requests come, which is real time's. */
const BUGS: readonly { readonly bug: Bug; readonly breaks: readonly string[] }[] = [
  { bug: 'missed-delete', breaks: ['billed'] },
  // The name of a Secret of a tenant that has gone may also be written into the next one of its name, which has none then.
  { bug: 'double-create', breaks: ['one-secret', 'secrets'] },
];

for (const { bug, breaks } of BUGS) {
  test.serial(`searchOperator › an operator over the wire with the bug ${bug} is found out`, async (t) => {
    t.timeout(600_000);
    const finds = await searchOperator({ ...tenantSearch(operatorOf(bug)), seeds: 200, shrinks: false });
    t.log(`seed ${finds[0]?.seed}: ${finds[0]?.play.violations[0]?.text}`);
    t.true(breaks.includes(brokenOf(finds) ?? ''), `got ${brokenOf(finds)}`);
  });
}

test.serial('searchOperator › the operator without them keeps what it promises, whatever befalls it', async (t) => {
  t.timeout(600_000);
  t.deepEqual(await searchOperator({ ...tenantSearch(operatorOf('none')), seeds: 15 }), []);
});

test.serial('searchOperator › a program of its own is found out, and its writes are told', async (t) => {
  t.timeout(600_000);
  const finds = await searchOperator({ ...tenantSearch(programOf('stale-read')), seeds: 200, shrinks: false });
  t.is(brokenOf(finds), 'one-secret');
  t.deepEqual(finds[0]?.play.failures, []);
  t.true(finds[0]?.play.writes.some(({ method, path }) => method === 'POST' && path.endsWith('/billing/configmaps')));
});
