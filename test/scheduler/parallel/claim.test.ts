import test from 'ava';
import { Claim } from '../../../src/scheduler/parallel/claim.js';

/** The engine's and a worker's view of one claim. */
function sharedClaim(): { engine: Claim; worker: Claim } {
  const engine = new Claim();
  return { engine, worker: new Claim(engine.memory) };
}

test('a worker that comes first has the block to itself, and the engine gets what it judged', (t) => {
  const { engine, worker } = sharedClaim();
  const ticket = engine.open();
  t.true(worker.take(ticket));
  t.false(worker.take(ticket));
  worker.close(ticket, true);
  t.is(engine.settle(ticket, 0), 'done');
});

test('when the engine comes first no worker can take the block any more', (t) => {
  const { engine, worker } = sharedClaim();
  const ticket = engine.open();
  t.is(engine.settle(ticket, 0), 'left');
  t.false(worker.take(ticket));
});

test('a batch that a worker could not judge is left to the engine', (t) => {
  const { engine, worker } = sharedClaim();
  const ticket = engine.open();
  worker.take(ticket);
  worker.close(ticket, false);
  t.is(engine.settle(ticket, 0), 'left');
});

test('the engine does not wait longer than it wants to, and the block cannot be used again', (t) => {
  const { engine, worker } = sharedClaim();
  const ticket = engine.open();
  worker.take(ticket);
  t.is(engine.settle(ticket, 0), 'late');
  t.throws(() => engine.open(), { message: /a block that a worker writes to must not be used for another shape/ });
});

test('the ticket of an earlier shape opens nothing', (t) => {
  const { engine, worker } = sharedClaim();
  const first = engine.open();
  engine.settle(first, 0);
  const second = engine.open();
  t.not(second, first);
  t.false(worker.take(first));
  t.true(worker.take(second));
});
