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

/**
 * The first find in which one of these promises is broken, among 200 seeds. Another may come before it: what an operator
 * that was killed had sent arrives late, which none of its kind is safe from, and when is up to real time.
 */
async function findOf(operator: OperatorSubject, promises: readonly string[]): Promise<OperatorFind | undefined> {
  for (let from = 1; from <= 200;) {
    const finds = await searchOperator({ ...tenantSearch(operator), from, seeds: 201 - from, shrinks: false });
    const [find] = finds;
    if (find === undefined || promises.includes(brokenOf(finds) ?? '')) return find;
    from = find.seed + 1;
  }
  return undefined;
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
    const find = await findOf(operatorOf(bug), breaks);
    t.truthy(find);
    t.log(`seed ${find?.seed}: ${find?.play.violations[0]?.text}`);
  });
}

test.serial('searchOperator › the operator without them keeps what it promises, whatever befalls it', async (t) => {
  t.timeout(600_000);
  t.deepEqual(await searchOperator({ ...tenantSearch(operatorOf('none')), seeds: 15 }), []);
});

test.serial('searchOperator › a program of its own is found out, and its writes are told', async (t) => {
  t.timeout(600_000);
  const play = (await findOf(programOf('stale-read'), ['one-secret']))?.play;
  t.deepEqual(play?.failures, []);
  t.true(play?.writes.some(({ method, path }) => method === 'POST' && path.endsWith('/billing/configmaps')));
});
