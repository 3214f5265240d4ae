import test from 'ava';
import { NodeTotals, REJECTED, type NodeJudge } from '../../../../src/scheduler/cycle/table/node-totals.js';

/** Judges by a list of totals, and counts the nodes that it was asked about. */
class ListJudge implements NodeJudge {
  readonly positions: Int32Array;
  asked = 0;

  constructor(readonly list: readonly number[]) {
    this.positions = new Int32Array(list.length);
  }

  judge({ totals }: NodeTotals, count: number): boolean {
    this.asked += count;
    for (const at of this.positions.subarray(0, count)) totals[at] = this.list[at] as number;
    return true;
  }
}

/** Totals of 100 nodes, of which every fifth is rejected; the others go from 0 to 6. */
const LIST = Array.from({ length: 100 }, (_, index) => (index % 5 === 0 ? REJECTED : index % 7));

/** What a walk from node to node finds. */
function walked(start: number, target: number): { readonly fit: number[]; readonly rejected: number[] } {
  const fit: number[] = [];
  const rejected: number[] = [];
  for (let step = 0; step < LIST.length; step += 1) {
    const at = (start + step) % LIST.length;
    if (LIST[at] === REJECTED) rejected.push(at);
    else if (fit.length === target) break;
    else fit.push(at);
  }
  return { fit, rejected };
}

function known(): { readonly totals: NodeTotals; readonly judge: ListJudge } {
  const totals = new NodeTotals(LIST.length);
  totals.onAll();
  return { totals, judge: new ListJudge(LIST) };
}

test('node totals › a scan by blocks finds what a walk from node to node finds, wherever it begins and ends', (t) => {
  const { totals, judge } = known();
  for (const start of [0, 7, 16, 50, 99]) {
    for (const target of [1, 10, 33, 79, 80]) {
      t.true(totals.scan(start, target, judge));
      const { fit, rejected } = walked(start, target);
      const best = Math.max(...fit.map((at) => LIST[at] as number));
      const ties = fit.filter((at) => LIST[at] === best);
      t.deepEqual(
        [totals.visited, totals.feasible, totals.best, totals.ties],
        [fit.length + rejected.length, fit.length, best, ties.length],
      );
      ties.forEach((at, index) => {
        t.is(totals.find(index), at);
        t.is(totals.foundAt, fit.indexOf(at));
      });
      const found = new Int32Array(LIST.length);
      t.deepEqual([...found.subarray(0, totals.findRejected(found))], rejected);
    }
  }
});

test('node totals › only what was written since is judged anew', (t) => {
  const { totals, judge } = known();
  totals.scan(0, 100, judge);
  t.is(judge.asked, 100);
  totals.scan(40, 100, judge);
  t.is(judge.asked, 100);
  totals.onNode(undefined as never, 3);
  totals.onNode(undefined as never, 4);
  totals.scan(40, 100, judge);
  t.is(judge.asked, 102);
});

test('node totals › a scan that ends early judges little beyond its end', (t) => {
  const { totals, judge } = known();
  totals.scan(0, 10, judge);
  t.true(judge.asked <= 48, `${judge.asked} of 100 nodes`);
});

test('node totals › a judge that cannot judge ends the scan', (t) => {
  const { totals } = known();
  t.false(totals.scan(0, 10, { positions: new Int32Array(100), judge: () => false }));
});
