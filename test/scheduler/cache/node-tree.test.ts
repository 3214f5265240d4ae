import test from 'ava';
import { zoneKeyOf } from '../../../src/api/objects/node-zone.js';
import { NodeTree } from '../../../src/scheduler/cache/node-tree.js';
import { testNode } from '../support/objects.js';

function treeOf(...nodes: readonly (readonly [name: string, zone: string])[]): NodeTree {
  const tree = new NodeTree();
  for (const [name, zone] of nodes) tree.set(testNode(name, { zone }));
  return tree;
}

test('NodeTree › lists the first node of each zone, then the second of each, skipping zones that are used up', (t) => {
  const tree = treeOf(['a1', 'a'], ['a2', 'a'], ['a3', 'a'], ['b1', 'b'], ['c1', 'c'], ['c2', 'c']);
  t.deepEqual(tree.list(), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

test('NodeTree › a zone that emptied and came back stands last', (t) => {
  const tree = treeOf(['a1', 'a'], ['b1', 'b']);
  tree.remove('a1');
  tree.set(testNode('a2', { zone: 'a' }));
  t.deepEqual(tree.list(), ['b1', 'a2']);
});

test('NodeTree › a node that changes its zone moves to the end of the new one', (t) => {
  const tree = treeOf(['a1', 'a'], ['a2', 'a'], ['b1', 'b']);
  tree.set(testNode('a1', { zone: 'b' }));
  t.deepEqual(tree.list(), ['a2', 'b1', 'a1']);
  t.is(tree.size, 3);
});

test('zoneKeyOf › prefers the beta labels, joins region and zone, and is empty without both', (t) => {
  t.is(zoneKeyOf(testNode('n')), '');
  t.is(zoneKeyOf(testNode('n', { zone: 'z' })), ':\u0000:z');
  const labels = {
    'failure-domain.beta.kubernetes.io/zone': 'old',
    'topology.kubernetes.io/zone': 'new',
    'topology.kubernetes.io/region': 'r',
  };
  t.is(zoneKeyOf(testNode('n', { labels })), 'r:\u0000:old');
});
