import test from 'ava';
import { REJECTED } from '../../../../src/scheduler/cycle/attempt/outline.js';
import { randomStream } from '../../../../src/kernel/random.js';
import { createColumnArrays, NodeColumns } from '../../../../src/scheduler/framework/node-columns.js';
import {
  canKeep,
  entryOf,
  NodeTable,
  type GroupTable,
  type NodeJudge,
  type StaleNodes,
} from '../../../../src/scheduler/cycle/table/node-table.js';
import { GroupWalk } from '../../../../src/scheduler/cycle/table/group-walk.js';

/** Judges by a list of scores by position, and counts the nodes that it was asked about. */
class ListJudge implements NodeJudge {
  asked = 0;

  constructor(readonly scores: number[]) {}

  judge({ positions, entries, count }: StaleNodes, groups: GroupTable): boolean {
    this.asked += count;
    const group = groups.theOne();
    for (const [index, at] of positions.subarray(0, count).entries()) {
      const score = this.scores[at] as number;
      if (score !== REJECTED && !canKeep(score)) return false;
      entries[index] = score === REJECTED ? REJECTED : entryOf(group, score);
    }
    return true;
  }
}

/** 100 nodes, of which every fifth is rejected; the scores of the others go from 0 to 6. */
class Scene {
  readonly judge = new ListJudge(Array.from({ length: 100 }, (_, at) => (at % 5 === 0 ? REJECTED : at % 7)));
  readonly walk = new GroupWalk();
  readonly columns: NodeColumns;
  readonly #table = new NodeTable(this.judge);

  constructor() {
    const { length } = this.judge.scores;
    const arrays = createColumnArrays(length);
    for (let at = 0; at < length; at += 1) {
      // Slots go the other way round.
      arrays.order[at] = length - 1 - at;
      arrays.position[length - 1 - at] = at;
    }
    this.columns = new NodeColumns(arrays, { labelSets: [], taintSets: [], imageSets: [] }, undefined);
    this.columns.nodeCount = length;
  }

  run(start: number, target: number): boolean {
    const { columns, walk } = this;
    return walk.run({ columns, nodes: this.#table, filters: [], special: undefined, start, target, attempt: this });
  }

  /** The node at a position gets another score. */
  write(at: number, score: number): void {
    this.judge.scores[at] = score;
    this.columns.written.note(this.columns.arrays.order[at] as number);
  }

  /** What a walk from node to node finds: positions. */
  walked(start: number, target: number): { readonly fit: number[]; readonly rejected: number[] } {
    const { scores } = this.judge;
    const fit: number[] = [];
    const rejected: number[] = [];
    for (let step = 0; step < scores.length; step += 1) {
      const at = (start + step) % scores.length;
      if (scores[at] === REJECTED) rejected.push(at);
      else if (fit.length === target) break;
      else fit.push(at);
    }
    return { fit, rejected };
  }
}

test('the table › a walk by blocks finds what a walk from node to node finds, wherever it begins and ends', (t) => {
  const scene = new Scene();
  const { walk, judge, columns } = scene;
  const random = randomStream('table', 'ties');
  for (const start of [0, 7, 16, 50, 99]) {
    for (const target of [1, 10, 33, 79, 80]) {
      t.true(scene.run(start, target));
      const { fit, rejected } = scene.walked(start, target);
      t.deepEqual([walk.visited, walk.feasible], [fit.length + rejected.length, fit.length]);
      const total = Math.max(...fit.map((at) => judge.scores[at] as number));
      const best = fit.filter((at) => judge.scores[at] === total);
      const choice = walk.choose(Float64Array.of(1000), random);
      const at = columns.arrays.position[choice.slot] as number;
      t.deepEqual([choice.total, choice.ties], [total + 1000, best.length]);
      t.deepEqual([best[choice.drawn], fit[choice.position]], [at, at]);
      const found = new Int32Array(100);
      t.deepEqual([...found.subarray(0, walk.findRejected(found))], rejected);
    }
  }
});

test('the table › only what was written since is judged anew, and its block summed up anew', (t) => {
  const scene = new Scene();
  const { walk, judge } = scene;
  scene.run(0, 100);
  t.is(judge.asked, 100);
  scene.run(40, 100);
  t.is(judge.asked, 100);
  scene.write(3, REJECTED);
  scene.write(64, 9);
  scene.run(40, 100);
  t.is(judge.asked, 102);
  const choice = walk.choose(Float64Array.of(0), randomStream('table', 'ties'));
  t.deepEqual([walk.feasible, choice.total, choice.ties], [79, 9, 1]);
  t.is(scene.columns.arrays.position[choice.slot], 64);
});

test('the table › a walk that ends early judges little beyond its end', (t) => {
  const scene = new Scene();
  scene.run(0, 10);
  t.true(scene.judge.asked <= 64, `${scene.judge.asked} of 100 nodes`);
});

test('the table › a total that cannot be kept ends the walk', (t) => {
  const scene = new Scene();
  scene.write(3, 0.5);
  t.false(scene.run(0, 10));
});
