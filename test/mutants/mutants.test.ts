import { existsSync } from 'node:fs';
import test from 'ava';
import { environmentOf } from './finders.js';
import { mutatedModules, mutatedSource, readMutants, SEARCH, testFileOf, type Mutant } from './mutant.js';

const MUTANTS = readMutants();
/** Rooms of the product that none may be without. */
const ROOMS = [
  'apiserver',
  'bus',
  'controllers',
  'kubelet',
  'scheduler/cache',
  'scheduler/queue',
  'scheduler/framework',
];
const CONTROLLERS = [
  'attach-detach',
  'cron-job',
  'daemon-set',
  'deployment',
  'disruption',
  'endpoint-slice',
  'garbage-collector',
  'job',
  'namespace',
  'node-lifecycle',
  'persistent-volume-binder',
  'pod-gc',
  'replica-set',
  'stateful-set',
  'taint-eviction',
  'ttl-after-finished',
];

test('mutants › each still fits the program, and is a program', (t) => {
  const modules = mutatedModules(MUTANTS);
  const originals = mutatedModules(MUTANTS.map((mutant) => ({ ...mutant, to: mutant.from })));
  for (const [index, { bug }] of MUTANTS.entries()) t.not(modules[index], originals[index], bug);
});

test('mutants › each has a name of its own and finders that there are', (t) => {
  t.is(new Set(MUTANTS.map(({ bug }) => bug)).size, MUTANTS.length);
  for (const { bug, by } of MUTANTS) {
    t.true(by.length > 0, bug);
    for (const name of by) t.true(name === SEARCH || existsSync(testFileOf(name)), `${bug}: ${name}`);
  }
});

test('mutants › there are sixty at least, in every room', (t) => {
  t.true(MUTANTS.length >= 60);
  const isIn = (room: string): boolean => MUTANTS.some(({ file }) => file.startsWith(`${room}/`));
  t.deepEqual(
    [...ROOMS, ...CONTROLLERS.map((name) => `controllers/${name}`)].filter((room) => !isIn(room)),
    [],
  );
});

const FIT: Mutant = {
  bug: 'a wrong limit',
  file: 'observers/invariants/invariants.ts',
  from: 'export const INVARIANTS',
  to: 'export const INVARIANTS_',
  by: [],
};

test('mutants › one that does not fit any more is refused, with what and where', (t) => {
  t.throws(() => mutatedSource({ ...FIT, from: 'no such text' }), {
    message:
      'a wrong limit: must stand in src/observers/invariants/invariants.ts exactly once, and stands there 0 times: no such text',
  });
  t.throws(() => mutatedSource({ ...FIT, from: 'INVARIANTS' }), {
    message: /exactly once, and stands there \d\d times/,
  });
  t.throws(() => environmentOf({ ...FIT, to: 'export const (' }, '.'));
});
