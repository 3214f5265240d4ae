import test from 'ava';
import { keyOf } from '../../src/api/objects/objects.js';
import { BY_NAMESPACE, BY_NODE, BY_OWNER } from '../../src/bus/object-index.js';
import { InvariantError } from '../../src/kernel/assert.js';
import { createScene, label, nodeDraft, noting, podDraft } from './scene.js';

test('an informer lists, then follows; handlers see a cache that is up to date', async (t) => {
  const { clock, server, bus, run } = createScene();
  const { informers } = bus.connect('p');
  const nodes = informers.informer('Node');
  const told: string[] = [];
  nodes.addHandler({
    onAdd: (node) => told.push(`add ${nodes.get(node.metadata) === node} @${clock.now()}`),
    onUpdate: (previous, node) =>
      told.push(`update ${previous.metadata.labels?.['value']} ${nodes.get(node.metadata) === node}`),
    onDelete: (node) => told.push(`delete ${nodes.get(node.metadata) === undefined}`),
  });
  server.create('Node', nodeDraft('a', { value: '0' }));
  await run(20);
  t.deepEqual([told, nodes.hasSynced, nodes.size], [[], false, 0]);
  informers.start();
  await run(20);
  label(server, 'a', '1');
  server.delete('Node', { name: 'a' });
  await run(20);
  t.deepEqual(told, ['add true @26', 'update 0 true', 'delete true']);
  t.is(nodes.version, server.version);
});

test('whenSynced waits for the first list, after its handlers, and is immediate from then on', async (t) => {
  const { server, bus, run } = createScene();
  const { informers } = bus.connect('p');
  const told: string[] = [];
  const nodes = informers.informer('Node');
  const pods = informers.informer('Pod');
  server.create('Node', nodeDraft('a'));
  informers.whenSynced(() => told.push('all synced'));
  nodes.whenSynced(() => told.push('nodes synced'));
  nodes.addHandler(noting(told));
  informers.start();
  await run(5);
  t.deepEqual(told, []);
  await run(10);
  t.deepEqual(told, ['add a', 'nodes synced', 'all synced']);
  t.true(pods.hasSynced);
  nodes.whenSynced(() => told.push('now'));
  informers.whenSynced(() => told.push('all now'));
  t.deepEqual(told.slice(3), ['now', 'all now']);
});

test('handlers are told in order of registration; a late one first hears of what is there', async (t) => {
  const { server, bus, run } = createScene();
  const nodes = bus.connect('p').informers.informer('Node');
  const told: string[] = [];
  nodes.addHandler(noting(told, '1 '));
  const remove = nodes.addHandler(noting(told, '2 '));
  nodes.start();
  server.create('Node', nodeDraft('a'));
  await run(20);
  t.deepEqual(told.splice(0), ['1 add a', '2 add a']);
  nodes.addHandler(noting(told, '3 '));
  t.deepEqual(told.splice(0), ['3 add a']);
  remove();
  label(server, 'a', '1');
  await run(20);
  t.deepEqual(told, ['1 update a', '3 update a']);
});

test('informers of a kind are one per connection, with the indexes of all its users', async (t) => {
  const { server, bus, run } = createScene();
  const { informers } = bus.connect('p');
  const pods = informers.informer('Pod', BY_NODE);
  t.is(informers.informer('Pod', BY_NAMESPACE), pods);
  informers.start();
  server.create('Pod', podDraft('a', 'n1'));
  server.create('Pod', podDraft('b'));
  await run(20);
  const names = (index: string, value: string): string[] =>
    [...pods.byIndex(index, value)].map(({ metadata }) => metadata.name);
  t.deepEqual(names('node', 'n1'), ['a']);
  t.deepEqual(names('node', ''), ['b']);
  t.deepEqual(names('namespace', 'default'), ['a', 'b']);
  t.deepEqual(names('namespace', 'other'), []);
  informers.informer('Pod', BY_OWNER);
  t.deepEqual(names('owner', 'uid'), []);
  t.throws(() => pods.byIndex('color', 'red'), { instanceOf: InvariantError, message: /^index color must be/u });
});

test('an index follows its objects as they change and vanish, in order of arrival', async (t) => {
  const { server, bus, run } = createScene();
  const pods = bus.connect('p').informers.informer('Pod', BY_NODE);
  const names = (value: string): string[] => [...pods.byIndex('node', value)].map(keyOf);
  pods.start();
  for (const name of ['a', 'b', 'c']) server.create('Pod', podDraft(name));
  await run(20);
  server.create('Node', nodeDraft('n1'));
  for (const name of ['c', 'a']) server.bind({ metadata: { namespace: 'default', name }, target: { name: 'n1' } });
  await run(20);
  t.deepEqual([names(''), names('n1')], [['default/b'], ['default/c', 'default/a']]);
  server.delete('Pod', { namespace: 'default', name: 'c' }, { gracePeriodSeconds: 0 });
  await run(20);
  t.deepEqual([names(''), names('n1')], [['default/b'], ['default/a']]);
  pods.stop();
  t.deepEqual([names(''), names('n1'), pods.size], [[], [], 0]);
});

test('an informer of one node hears of its pods only', async (t) => {
  const { server, bus, run } = createScene();
  const told: string[] = [];
  const pods = bus.connect('kubelet/n1').select('Pod', { fieldSelector: 'spec.nodeName=n1' });
  pods.addHandler(noting(told));
  pods.start();
  server.create('Pod', podDraft('early', 'n1'));
  await run(20);
  server.create('Node', nodeDraft('n1'));
  server.create('Pod', podDraft('other', 'n2'));
  server.create('Pod', podDraft('bound-later'));
  server.bind({ metadata: { namespace: 'default', name: 'bound-later' }, target: { name: 'n1' } });
  await run(20);
  t.deepEqual(told, ['add early', 'add bound-later']);
  t.deepEqual([...pods.list('default')].map(keyOf), ['default/early', 'default/bound-later']);
  t.deepEqual([...pods.list('kube-system')], []);
});

test('after a break an informer resumes; what happened meanwhile is told as it happened', async (t) => {
  const { server, bus, run } = createScene();
  const { link, informers } = bus.connect('p');
  const nodes = informers.informer('Node');
  const told: string[] = [];
  nodes.addHandler(noting(told));
  informers.start();
  for (const name of ['a', 'b']) server.create('Node', nodeDraft(name));
  await run(20);
  told.length = 0;
  link.cut();
  label(server, 'a', '1');
  label(server, 'a', '2');
  server.delete('Node', { name: 'b' });
  await run(1000);
  t.deepEqual(told, []);
  link.restore();
  await run(20);
  t.deepEqual(told, ['update a', 'update a', 'delete b']);
  t.is(nodes.version, server.version);
});

test('after lost history an informer relists: differences only, what is listed first, then deletions', async (t) => {
  const { server, bus, run } = createScene({ watchHistory: 2 });
  const { link, informers } = bus.connect('p');
  const nodes = informers.informer('Node');
  const told: string[] = [];
  for (const name of ['changed', 'deleted', 'recreated', 'same']) server.create('Node', nodeDraft(name));
  nodes.addHandler(noting(told));
  informers.start();
  await run(20);
  const recreated = nodes.get({ name: 'recreated' });
  nodes.addHandler({
    onDelete: ({ metadata }) => {
      told.push(`gone ${metadata.name}: ${nodes.get(metadata) === undefined}`);
      if (metadata.name === 'recreated') t.is(metadata.uid, recreated?.metadata.uid ?? '');
    },
  });
  told.length = 0;
  link.cut();
  for (const value of ['1', '2', '3']) label(server, 'changed', value);
  server.delete('Node', { name: 'deleted' });
  server.delete('Node', { name: 'recreated' });
  server.create('Node', nodeDraft('recreated'));
  server.create('Node', nodeDraft('added'));
  link.restore();
  await run(30);
  t.deepEqual(told, [
    'add added',
    'update changed',
    'delete recreated',
    'gone recreated: true',
    'add recreated',
    'delete deleted',
    'gone deleted: true',
  ]);
  t.deepEqual([...nodes.list()].map(keyOf).sort(), ['added', 'changed', 'recreated', 'same']);
  t.is(nodes.version, server.version);
});

test('cuts at any time leave a cache that equals the API server in the end', async (t) => {
  for (let cutMs = 0; cutMs < 40; cutMs += 1) {
    const { clock, server, bus, run } = createScene({ watchHistory: 4, latency: 5 });
    const { link, informers } = bus.connect('p');
    const nodes = informers.informer('Node');
    const known = new Set<string>();
    nodes.addHandler({
      onAdd: ({ metadata }) => t.false(known.has(metadata.name)) && known.add(metadata.name),
      onUpdate: (_previous, { metadata }) => t.true(known.has(metadata.name)),
      onDelete: ({ metadata }) => t.true(known.delete(metadata.name)),
    });
    informers.start();
    for (let index = 0; index < 10; index += 1) {
      clock.schedule(index * 3, () => server.create('Node', nodeDraft(`n${index}`)));
      clock.schedule(index * 3 + 8, () => label(server, `n${index}`, 'x'));
      if (index % 2 === 0) clock.schedule(index * 3 + 9, () => server.delete('Node', { name: `n${index}` }));
    }
    clock.schedule(cutMs, () => link.cut());
    clock.schedule(cutMs + 13, () => link.restore());
    await run(200);
    t.deepEqual([...nodes.list()].map(keyOf).sort(), ['n1', 'n3', 'n5', 'n7', 'n9'], `cut at ${cutMs}`);
    t.deepEqual([...known].sort(), ['n1', 'n3', 'n5', 'n7', 'n9']);
    t.deepEqual(
      [...nodes.list()].map(({ metadata }) => metadata.labels),
      Array.from({ length: 5 }, () => ({ value: 'x' })),
    );
    t.is(clock.pending, 0);
  }
});

test('a stopped informer hears nothing, forgets all, and lists anew when it is started again', async (t) => {
  const { server, bus, run } = createScene();
  const nodes = bus.connect('p').informers.informer('Node');
  const told: string[] = [];
  nodes.addHandler(noting(told));
  nodes.start();
  nodes.start();
  server.create('Node', nodeDraft('a'));
  await run(20);
  server.create('Node', nodeDraft('under-way'));
  await run(1);
  nodes.stop();
  t.deepEqual([nodes.size, nodes.hasSynced, nodes.version], [0, false, 0]);
  await run(20);
  t.deepEqual(told, ['add a']);
  nodes.start();
  await run(20);
  t.deepEqual(told, ['add a', 'add a', 'add under-way']);
  t.true(nodes.hasSynced);
});

test('a handler may stop the informer, and a task may be told by another link meanwhile', async (t) => {
  const { clock, server, bus, run } = createScene();
  const nodes = bus.connect('p').informers.informer('Node');
  const others = bus.connect('q').informers.informer('Node');
  const told: string[] = [];
  nodes.addHandler({ onAdd: () => nodes.stop() });
  nodes.whenSynced(() => t.fail());
  others.addHandler(noting(told));
  nodes.start();
  others.start();
  server.create('Node', nodeDraft('a'));
  await run(20);
  t.deepEqual([nodes.size, nodes.hasSynced, told], [0, false, ['add a']]);
  t.is(clock.pending, 0);
});
