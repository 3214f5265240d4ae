import test from 'ava';
import { map, take, toArray } from 'rxjs';
import type { Delivery } from '../../src/bus/bus-types.js';
import { createScene, label, nodeDraft, podDraft } from './scene.js';

/** `<type> <names>@<simulated time of arrival>`. */
const note = (delivery: Delivery, nowMs: number): string => {
  const names = 'items' in delivery ? delivery.items : 'object' in delivery ? [delivery.object] : [];
  return `${[delivery.type, ...names.map(({ metadata }) => metadata.name)].join(' ')}@${nowMs}`;
};

test('a watch tells the current state, then each change a latency after it happened', async (t) => {
  const { clock, server, bus, run } = createScene();
  const seen: string[] = [];
  server.create('Node', nodeDraft('a'));
  bus
    .connect('p')
    .watch('Node')
    .subscribe((delivery) => seen.push(note(delivery, clock.now())));
  await run(20);
  server.create('Node', nodeDraft('b'));
  label(server, 'a', '1');
  await run(2);
  server.delete('Node', { name: 'b' });
  await run(10);
  t.deepEqual(seen, ['LISTED a@6', 'ADDED b@23', 'MODIFIED a@23', 'DELETED b@25']);
});

test('changes between the list and the watch are not missed', async (t) => {
  const { clock, server, bus, run } = createScene({ latency: 10 });
  const seen: string[] = [];
  bus
    .connect('p')
    .watch('Node')
    .subscribe((delivery) => seen.push(note(delivery, clock.now())));
  await run(15);
  server.create('Node', nodeDraft('between'));
  await run(30);
  t.deepEqual(seen, ['LISTED@20', 'ADDED between@40']);
});

test('a delivery carries the version, the time and the writer of the change, not the time of its arrival', async (t) => {
  const { server, bus, run } = createScene();
  const seen: Delivery[] = [];
  bus
    .connect('p')
    .watch('Node')
    .subscribe((delivery) => seen.push(delivery));
  await run(20);
  const object = server.create('Node', nodeDraft('a'));
  await run(10);
  bus.connect('q').client.update('Node', { ...object, metadata: { ...object.metadata, labels: { value: 'x' } } });
  await run(20);
  const updated = server.get('Node', { name: 'a' });
  const version = Number(object.metadata.resourceVersion);
  t.deepEqual(seen, [
    { type: 'LISTED', kind: 'Node', items: [], version: version - 1, atMs: 6, renewals: undefined },
    { type: 'ADDED', kind: 'Node', object, version, atMs: 20, by: 'user', named: undefined },
    {
      type: 'MODIFIED',
      kind: 'Node',
      object: updated,
      version: version + 1,
      atMs: 33,
      by: 'q',
      named: String(version),
    },
  ]);
});

test('a cut stops the stream; after the restoration it goes on from the last delivered version', async (t) => {
  const { clock, server, bus, run } = createScene();
  const { link, watch } = ((connection) => ({
    link: connection.link,
    watch: connection.watch('Node'),
  }))(bus.connect('p'));
  const seen: string[] = [];
  watch.subscribe((delivery) => seen.push(note(delivery, clock.now())));
  await run(20);
  server.create('Node', nodeDraft('delivered'));
  await run(10);
  server.create('Node', nodeDraft('under-way'));
  await run(1);
  link.cut();
  server.create('Node', nodeDraft('missed'));
  server.delete('Node', { name: 'delivered' });
  await run(969);
  t.deepEqual(seen, ['LISTED@6', 'ADDED delivered@23', 'BROKEN@31']);
  link.restore();
  await run(20);
  t.deepEqual(seen.slice(3), ['ADDED under-way@1006', 'ADDED missed@1006', 'DELETED delivered@1006']);
});

test('when the history is gone the whole selection is listed anew', async (t) => {
  const { clock, server, bus, run } = createScene({ watchHistory: 3 });
  const connection = bus.connect('p');
  const seen: string[] = [];
  for (const name of ['changed', 'deleted', 'recreated', 'same']) server.create('Node', nodeDraft(name));
  connection.watch('Node').subscribe((delivery) => seen.push(note(delivery, clock.now())));
  await run(20);
  seen.length = 0;
  connection.link.cut();
  label(server, 'changed', '1');
  server.delete('Node', { name: 'deleted' });
  server.delete('Node', { name: 'recreated' });
  server.create('Node', nodeDraft('recreated'));
  server.create('Node', nodeDraft('added'));
  connection.link.restore();
  await run(30);
  t.deepEqual(seen, ['BROKEN@20', 'BROKEN@26', 'LISTED added changed recreated same@32']);
});

test('a stream that was current at the cut does not lose the history to changes that did not concern it', async (t) => {
  const { clock, server, bus, run } = createScene({ watchHistory: 3 });
  const { link, watch } = ((connection) => ({
    link: connection.link,
    watch: connection.watch('Node', { fieldSelector: 'metadata.name=mine' }),
  }))(bus.connect('p'));
  const seen: string[] = [];
  server.create('Node', nodeDraft('mine'));
  watch.subscribe((delivery) => seen.push(note(delivery, clock.now())));
  await run(20);
  for (let index = 0; index < 10; index += 1) server.create('Node', nodeDraft(`other-${index}`));
  link.cut();
  label(server, 'mine', '1');
  link.restore();
  await run(30);
  t.deepEqual(seen, ['LISTED mine@6', 'BROKEN@20', 'MODIFIED mine@26']);
});

test('a watch that is opened over a cut link begins when it is restored', async (t) => {
  const { clock, server, bus, run } = createScene();
  const connection = bus.connect('p');
  const seen: string[] = [];
  server.create('Node', nodeDraft('a'));
  connection.link.cut();
  connection.watch('Node').subscribe((delivery) => seen.push(note(delivery, clock.now())));
  await run(100);
  connection.link.restore();
  await run(100);
  t.deepEqual(seen, ['BROKEN@100', 'LISTED a@106']);
});

test('objects that start or cease to match a selection appear and disappear', async (t) => {
  const { clock, server, bus, run } = createScene();
  const seen: string[] = [];
  server.create('Node', nodeDraft('a'));
  bus
    .connect('p')
    .watch('Node', { labelSelector: 'value=x' })
    .subscribe((delivery) => seen.push(note(delivery, clock.now())));
  await run(20);
  label(server, 'a', 'x');
  await run(10);
  label(server, 'a', 'y');
  await run(10);
  t.deepEqual(seen, ['LISTED@6', 'ADDED a@23', 'DELETED a@33']);
});

test('a refused selection is the error of the Observable', async (t) => {
  const { bus, run } = createScene();
  const errors: unknown[] = [];
  bus
    .connect('p')
    .watch('Node', { fieldSelector: 'spec.foo=1' })
    .subscribe({ error: (error: Error) => errors.push(error.message) });
  await run(20);
  t.deepEqual(errors, ['field label not supported: spec.foo']);
});

test('each subscription watches for itself, and unsubscribing closes its watch', async (t) => {
  const { server, bus, run } = createScene();
  const watch = bus.connect('p').watch('Pod');
  const first: string[] = [];
  const second: string[] = [];
  const subscription = watch.subscribe(({ type }) => first.push(type));
  watch.subscribe(({ type }) => second.push(type));
  await run(20);
  server.create('Pod', podDraft('a'));
  await run(1);
  subscription.unsubscribe();
  await run(20);
  t.deepEqual(first, ['LISTED']);
  t.deepEqual(second, ['LISTED', 'ADDED']);
});

test('dispose completes every watch and leaves no timer', async (t) => {
  const { clock, server, bus, run } = createScene();
  const ends: string[] = [];
  const connections = ['p', 'q'].map((party) => bus.connect(party));
  for (const connection of connections) {
    connection.watch('Node').subscribe({ complete: () => ends.push(connection.link.party) });
  }
  await run(20);
  server.create('Node', nodeDraft('a'));
  t.is(clock.pending, 2);
  bus.dispose();
  t.deepEqual(ends, ['p', 'q']);
  t.is(clock.pending, 0);
  server.create('Node', nodeDraft('b'));
  t.is(clock.pending, 0);
  connections[0]?.watch('Node').subscribe({ complete: () => ends.push('late') });
  t.deepEqual(ends, ['p', 'q', 'late']);
});

test('a watch that is open goes on while only its requests are lost, and is opened anew without telling twice', async (t) => {
  const { clock, server, bus, run } = createScene();
  const connection = bus.connect('p');
  const { link } = connection;
  const seen: string[] = [];
  connection.watch('Node').subscribe((delivery) => seen.push(note(delivery, clock.now())));
  await run(20);
  link.cut('out');
  server.create('Node', nodeDraft('a'));
  await run(20);
  t.deepEqual(seen, ['LISTED@6', 'ADDED a@23']);
  // One that begins now cannot even ask.
  const late: string[] = [];
  connection.watch('Node').subscribe((delivery) => late.push(note(delivery, clock.now())));
  await run(60);
  server.create('Node', nodeDraft('b'));
  link.restore('out');
  await run(50);
  t.deepEqual(seen.slice(2), ['BROKEN@100', 'ADDED b@106']);
  t.deepEqual(late, ['BROKEN@100', 'LISTED a b@106']);
});

test('a watch whose events are lost is told all of them once they get through again', async (t) => {
  const { clock, server, bus, run } = createScene();
  const opened = bus.connect('p');
  const seen: string[] = [];
  opened.watch('Node').subscribe((delivery) => seen.push(note(delivery, clock.now())));
  await run(20);
  opened.link.cut('in');
  server.create('Node', nodeDraft('a'));
  await run(80);
  opened.link.restore('in');
  await run(20);
  t.deepEqual(seen, ['LISTED@6', 'BROKEN@20', 'ADDED a@106']);
});

test('an error that a listener of a component throws ends the run, as any other bug', async (t) => {
  const { server, bus, run } = createScene();
  const { informers } = bus.connect('p');
  informers.informer('Node').addHandler({
    onAdd: () => {
      throw new Error('of a handler');
    },
  });
  informers.start();
  server.create('Node', nodeDraft('a'));
  await t.throwsAsync(run(20), { message: 'of a handler' });
});

test('operators of RxJS work on deliveries', async (t) => {
  const { server, bus, run } = createScene();
  const seen: string[][] = [];
  const types$ = bus
    .connect('p')
    .watch('Node')
    .pipe(
      map(({ type }) => type),
      take(2),
      toArray(),
    );
  types$.subscribe((types) => seen.push(types));
  await run(20);
  for (const name of ['a', 'b']) server.create('Node', nodeDraft(name));
  await run(20);
  t.deepEqual(seen, [['LISTED', 'ADDED']]);
});

test('beside the API server a change is told within the request, what stood before with no writer', (t) => {
  const { server, bus } = createScene();
  const seen: string[] = [];
  const since: string[] = [];
  server.create('Node', nodeDraft('a'));
  const told = bus.lookout.watch('Node').subscribe(({ type, object, by = '-' }) => {
    seen.push(`${type} ${object.metadata.name} by ${by}`);
  });
  bus.lookout.changes('Node').subscribe(({ type, object }) => since.push(`${type} ${object.metadata.name}`));
  server.create('Node', nodeDraft('b'));
  server.as('kubectl', () => server.delete('Node', { name: 'a' }), undefined);
  told.unsubscribe();
  server.delete('Node', { name: 'b' });
  t.deepEqual(seen, ['ADDED a by -', 'ADDED b by user', 'DELETED a by kubectl']);
  t.deepEqual(since, ['ADDED b', 'DELETED a', 'DELETED b']);
});
