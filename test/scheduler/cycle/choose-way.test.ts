import test from 'ava';
import { chooseWay, type Prepared, type WayFacts, type WaySteps } from '../../../src/scheduler/cycle/choose-way.js';
import type { TakenWay } from '../../../src/scheduler/cycle/attempt/way.js';

const FACTS: WayFacts = {
  nodeCount: 5000,
  target: 500,
  isPlain: false,
  namesNode: false,
  isNominated: false,
  hasNominations: false,
};

interface Scene {
  readonly facts?: Partial<WayFacts>;
  /** What PreFilter and the nominated node leave. @defaultValue `open` */
  readonly prepared?: Prepared;
  readonly isFirst?: boolean;
  /** Reasons of the ways that do not step aside. */
  readonly stands?: readonly string[];
}

/** The way that is taken, and the reasons of all that were tried. */
function chosen({ facts, prepared = 'open', isFirst = false, stands = [] }: Scene): readonly [string, ...string[]] {
  const tried: string[] = [];
  const steps: WaySteps = {
    prepare: () => prepared,
    isFirst: () => isFirst,
    tries: ({ reason }: TakenWay) => {
      tried.push(reason);
      return stands.includes(reason);
    },
  };
  const { way, reason } = chooseWay({ ...FACTS, ...facts }, steps);
  return [`${way}: ${reason}`, ...tried];
}

test('chooseWay › goes from the shortest way to the longest, and ends at the plugins', (t) => {
  t.deepEqual(chosen({}), [
    'reference: nodes are looked at one by one',
    'totals are kept',
    'few nodes are enough',
    'all nodes refused before',
    'nodes are kept by group',
    'nodes are looked at one by one',
  ]);
  t.deepEqual(chosen({ stands: ['totals are kept'] }), ['table: totals are kept', 'totals are kept']);
});

test('chooseWay › walks where few nodes are enough, and else for the first pod of its shape alone', (t) => {
  const stands = ['few nodes are enough', 'first of its shape'];
  t.is(chosen({ stands })[0], 'walk: few nodes are enough');
  const facts = { target: 5000 };
  t.is(chosen({ facts, stands, isFirst: true })[0], 'walk: first of its shape');
  t.false(chosen({ facts, stands }).includes('first of its shape'));
});

test('chooseWay › while pods are nominated to nodes, neither totals nor walks stand for what is there', (t) => {
  t.deepEqual(chosen({ facts: { hasNominations: true }, stands: ['nodes are kept by group'] }), [
    'table: nodes are kept by group',
    'all nodes refused before',
    'nodes are kept by group',
  ]);
});

test('chooseWay › a nominated pod has its node asked first; after that has refused there is no walk', (t) => {
  const facts = { isNominated: true };
  t.deepEqual(chosen({ facts, prepared: 'nominated' }), ['reference: its nominated node fits']);
  t.false(chosen({ facts, prepared: 'judged' }).includes('few nodes are enough'));
});

test('chooseWay › what PreFilter decides is its decision, whichever way goes over the nodes that it has left', (t) => {
  t.deepEqual(chosen({ prepared: 'refused' }), ['reference: PreFilter has decided', 'totals are kept']);
  t.is(chosen({ prepared: 'narrowed', stands: ['nodes are kept by group'] })[0], 'reference: PreFilter has decided');
});

test('chooseWay › a pod that names a node, and one for which the reference is asked for, use nothing of their shape', (t) => {
  t.is(chosen({ facts: { namesNode: true } })[0], 'reference: it names a node');
  t.is(chosen({ facts: { isPlain: true } })[0], 'reference: asked for');
  t.is(chosen({ facts: { nodeCount: 0 } })[0], 'reference: no nodes');
});
