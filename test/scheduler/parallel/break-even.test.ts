import test from 'ava';
import { BreakEven } from '../../../src/scheduler/parallel/break-even.js';

/** What a machine needs for one new shape, milliseconds. */
interface Costs {
  /** That the decision judges. */
  own: number;
  /** That was judged before. */
  taken: number;
  readonly handOver: number;
  /** That the decision judges while the workers have all they can do. @defaultValue `own` */
  readonly ownBeside?: number;
}

interface Machine {
  /** The ways of so many batches, such as `own 5, pool 3`. */
  readonly play: (batches: number, shapes?: number) => string;
  readonly setWorkersUp: (isUp: boolean) => void;
}

/** Shapes that are judged ahead in each way; when all are handed over, the workers get to every other one. */
const AHEAD = { own: 0, rehearsal: 4, 'warm-up': 16, pool: 32 };

/** Plays batches of 64 pods, of which none is like another unless told so. */
function machine(costs: Costs): Machine {
  let nowMs = 0;
  let areWorkersUp = true;
  const breakEven = new BreakEven(() => nowMs);
  const playBatch = (shapes: number): string => {
    const way = breakEven.next();
    if (way === 'warm-up' || way === 'pool') {
      breakEven.handOver(() => {
        nowMs += costs.handOver * (way === 'pool' ? shapes : AHEAD[way]);
      });
    }
    const taken = areWorkersUp || way === 'rehearsal' ? AHEAD[way] : 0;
    for (let index = 0; index < shapes; index += 1) {
      breakEven.beginShape();
      if (index < taken) breakEven.noteTaken();
      nowMs += index < taken ? costs.taken : way === 'pool' ? (costs.ownBeside ?? costs.own) : costs.own;
    }
    // What the engine does between two batches is no batch's cost.
    nowMs += 1000;
    return way;
  };
  return {
    setWorkersUp: (isUp) => {
      areWorkersUp = isUp;
    },
    play: (batches, shapes = 64) => {
      const runs: [way: string, length: number][] = [];
      for (let batch = 0; batch < batches; batch += 1) {
        const way = playBatch(shapes);
        const last = runs.at(-1);
        if (last?.[0] === way) last[1] += 1;
        else runs.push([way, 1]);
      }
      return runs.map(([way, length]) => `${way} ${length}`).join(', ');
    },
  };
}

test('short runs do without: nothing is tried before the engine has spent 150 ms on new shapes', (t) => {
  // 63 intervals of a batch count: its last shape has no end.
  t.is(machine({ own: 1, taken: 0.1, handOver: 0.01 }).play(4), 'own 3, rehearsal 1');
  t.is(machine({ own: 0.1, taken: 0.01, handOver: 0.001 }).play(25), 'own 24, rehearsal 1');
});

test('a rehearsal, a warm-up, a trial, then the pool, with a look at the engine alone every 512 batches', (t) => {
  const { play } = machine({ own: 1, taken: 0.1, handOver: 0.01 });
  t.is(play(1100), 'own 3, rehearsal 4, warm-up 2, pool 522, own 10, pool 514, own 10, pool 35');
});

test('where a rehearsal shows no gain no thread is started, and each next one is twice as far away', (t) => {
  const { play } = machine({ own: 1, taken: 0.8, handOver: 0.01 });
  t.is(play(3700), 'own 3, rehearsal 4, own 514, rehearsal 4, own 1026, rehearsal 4, own 2050, rehearsal 4, own 91');
});

test('a pool that slows the engine down more than it helps is left again', (t) => {
  const { play } = machine({ own: 1, taken: 0.7, handOver: 0.01, ownBeside: 1.3 });
  t.is(play(700), 'own 3, rehearsal 4, warm-up 2, pool 10, own 514, rehearsal 4, pool 10, own 153');
});

test('a pool that costs as much to feed as it helps is left again', (t) => {
  t.is(machine({ own: 1, taken: 0.1, handOver: 0.6 }).play(60), 'own 3, rehearsal 4, warm-up 2, pool 10, own 41');
});

test('once batches cost half as much again, which decisions do in a cluster that fills, the other way is looked at', (t) => {
  const costs = { own: 1, taken: 0.8, handOver: 0.01 };
  const { play } = machine(costs);
  t.is(play(20), 'own 3, rehearsal 4, own 13');
  costs.own = 1.4;
  t.is(play(20), 'own 20');
  costs.own = 1.6;
  t.is(play(24), 'own 4, rehearsal 4, warm-up 2, pool 14');
  costs.taken = 3;
  t.is(play(30), 'pool 4, own 26');
});

test('batches with few new shapes are neither handed over nor measured', (t) => {
  const { play } = machine({ own: 1, taken: 0.1, handOver: 0.01 });
  t.is(play(100, 7), 'own 100');
  play(60);
  t.is(play(3, 7), 'pool 1, own 2');
  t.is(play(3), 'own 1, pool 2');
});

test('the pool is not tried before the threads are there', (t) => {
  const { play, setWorkersUp } = machine({ own: 1, taken: 0.1, handOver: 0.01 });
  setWorkersUp(false);
  t.is(play(100), 'own 3, rehearsal 4, warm-up 93');
  setWorkersUp(true);
  t.is(play(40), 'warm-up 2, pool 38');
});

test('threads that never come up are not waited for longer than 512 batches', (t) => {
  const { play, setWorkersUp } = machine({ own: 1, taken: 0.1, handOver: 0.01 });
  setWorkersUp(false);
  t.is(play(600), 'own 3, rehearsal 4, warm-up 512, own 81');
});
