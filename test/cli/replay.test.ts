import { join } from 'node:path';
import test from 'ava';
import { createCluster, readCluster } from '../../src/index.js';
import { inputFile, kubeloom } from './command.js';

const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: { replicas: 3, selector: { matchLabels: { a: 'b' } }, template: TEMPLATE },
};
const TRACE = inputFile(
  'groups-trace.json',
  JSON.stringify({
    version: 2,
    config: { trackedObjects: { 'apps/v1.Deployment': { podSpecTemplatePaths: ['/spec/template'] } } },
    events: [
      { ts: 10, applied_objs: [], deleted_objs: [] },
      { ts: 20, applied_objs: [WEB], deleted_objs: [] },
    ],
    index: {},
    pod_lifecycles: {},
  }),
);
const EXISTING = inputFile(
  'groups-node.json',
  JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'there' } }),
);

test('kubeloom replay › nodes of a recording are groups in detail, on top of those that are taken over', async (t) => {
  const groups = inputFile(
    'groups.yaml',
    '- { count: 2, namePrefix: big-, zones: [x, y] }\n- { count: 1, namePrefix: small- }\n',
  );
  const alone = await kubeloom('replay', TRACE, '--node-groups', groups, '--json');
  t.is(alone.status, 0, alone.stderr);
  const { nodes, pods } = JSON.parse(alone.stdout) as {
    readonly nodes: number;
    readonly pods: { readonly Running: number };
  };
  t.deepEqual([nodes, pods.Running], [3, 3]);
  const beside = await kubeloom('replay', TRACE, '--node-groups', groups, '--from', EXISTING, '--json');
  t.is((JSON.parse(beside.stdout) as { readonly nodes: number }).nodes, 4, beside.stderr);
});

test('kubeloom replay › groups that are none are refused in one line', async (t) => {
  const refusal = async (...args: readonly string[]): Promise<string> => {
    const { status, stderr } = await kubeloom('replay', TRACE, ...args);
    t.is(status, 2, stderr);
    return stderr;
  };
  const none = inputFile('no-groups.yaml', '{}\n');
  t.regex(
    await refusal('--node-groups', none),
    /^kubeloom: --node-groups .* must be a list of groups, such as [^\n]*\n$/,
  );
  t.regex(
    await refusal('--node-groups', inputFile('broken.yaml', 'a: [\n')),
    /^kubeloom: --node-groups .*broken\.yaml:\d+: [^\n]*\n$/,
  );
  t.regex(await refusal('--node-groups', inputFile('odd.yaml', '[{ count: -1 }]')), /^kubeloom: [^\n]*count[^\n]*\n$/);
  t.regex(
    await refusal('--node-groups', none, '--nodes', '3'),
    /^kubeloom: --nodes cannot be given with --node-groups/,
  );
  t.regex(
    await refusal('--node-groups', '/nowhere/groups.yaml'),
    /^kubeloom: --node-groups: cannot read \/nowhere\/groups.yaml: no such file\n$/,
  );
});

test('kubeloom replay › options of other recordings are refused for what kubeloom serve has recorded', async (t) => {
  const head = { recording: 'kubeloom.dev/requests/v1', epoch: '2030-01-01T00:00:00Z', flags: { nodes: 1 } };
  const file = inputFile('served.jsonl', `${JSON.stringify(head)}\n`);
  const { status, stderr } = await kubeloom('replay', file, '--node-groups', 'groups.yaml');
  t.is(status, 2);
  t.regex(
    stderr,
    /^kubeloom: --node-groups is of recordings of other clusters: this file has everything that its run needs$/m,
  );
});

test('kubeloom replay › what it came to is saved, and goes on', async (t) => {
  const saved = join(inputFile('replayed', ''), '..', 'replayed.json.gz');
  const { status, stderr } = await kubeloom('replay', TRACE, '--nodes', '2', '--save', saved, '--json');
  t.is(status, 0, stderr);
  const cluster = createCluster({ from: readCluster(saved), nodes: 0 });
  const placed = (): readonly unknown[] =>
    cluster.list('Pod', { namespace: 'default' }).map(({ metadata, spec }) => [metadata.name, spec.nodeName]);
  const before = placed();
  await cluster.run({ limit: '5m' });
  t.deepEqual(placed(), before);
  t.deepEqual(
    cluster
      .list('Pod', { namespace: 'default' })
      .map(({ status: { phase }, spec }) => [phase, spec.nodeName !== undefined]),
    Array.from({ length: 3 }, () => ['Running', true]),
  );
  await cluster.dispose();
});

test('kubeloom replay › a file to save to that cannot be is refused before anything is played', async (t) => {
  const { status, stderr } = await kubeloom('replay', TRACE, '--save', '/nowhere/at-all.json');
  t.is(status, 2);
  t.regex(stderr, /^kubeloom: --save[^\n]*\/nowhere[^\n]*\n$/);
});
