import test from 'ava';
import { InvariantError } from '../../../../src/kernel/assert.js';
import { fitErrorText, NodeStatuses } from '../../../../src/scheduler/cycle/attempt/node-statuses.js';
import type { Diagnosis } from '../../../../src/scheduler/cycle/attempt/node-statuses.js';
import { Code, createStatus } from '../../../../src/scheduler/framework/status.js';
import { Algorithm } from '../../support/algorithm.js';
import { testNode, testPod } from '../../support/objects.js';

const SMALL = { cpu: '1', memory: '8Gi', pods: '110' };
const CORDONED = 'node(s) were unschedulable';

/** Two full nodes, a cordoned one and a small one: none takes a pod of two cores. */
function fullCluster(): Algorithm {
  const algorithm = new Algorithm();
  algorithm.addNodes([
    testNode('full1'),
    testNode('cordoned', { unschedulable: true }),
    testNode('full2'),
    testNode('small', { allocatable: SMALL }),
  ]);
  for (const name of ['full1', 'full2']) algorithm.place(testPod(`on-${name}`, { requests: { cpu: '3' } }), name);
  return algorithm;
}

function rejectedBy(algorithm: Algorithm, name: string, nominatedNodeName?: string): Diagnosis {
  const status = nominatedNodeName === undefined ? {} : { nominatedNodeName };
  const decision = algorithm.decide(testPod(name, { requests: { cpu: '2' }, status }));
  if (decision.kind !== 'unfit') throw new RangeError(`${name} must fit nowhere, got ${decision.kind}`);
  return decision.diagnosis;
}

function slotsWith(algorithm: Algorithm, { nodeToStatus }: Diagnosis, code: Code): string[] {
  const { snapshot } = algorithm;
  const { slots, count } = nodeToStatus.findSlots(code, snapshot, new Int32Array(snapshot.size));
  return [...slots.subarray(0, count)].map((slot) => snapshot.nodeAt(slot).name);
}

test('node statuses › those of a scan are told by node in its order, by code, and by how many there are', (t) => {
  const algorithm = fullCluster();
  const diagnosis = rejectedBy(algorithm, 'p');
  const { nodeToStatus } = diagnosis;
  t.deepEqual(
    [...nodeToStatus.entries()].map(([name, { code, reasons }]) => [name, code, ...reasons]),
    [
      ['full1', Code.Unschedulable, 'Insufficient cpu'],
      ['cordoned', Code.UnschedulableAndUnresolvable, CORDONED],
      ['full2', Code.Unschedulable, 'Insufficient cpu'],
      ['small', Code.UnschedulableAndUnresolvable, 'Insufficient cpu'],
    ],
  );
  t.is(nodeToStatus.size, 4);
  t.deepEqual(slotsWith(algorithm, diagnosis, Code.Unschedulable), ['full1', 'full2']);
  t.deepEqual(slotsWith(algorithm, diagnosis, Code.UnschedulableAndUnresolvable), ['cordoned', 'small']);
  t.deepEqual(nodeToStatus.get('cordoned').reasons, [CORDONED]);
  t.is(nodeToStatus.get('nowhere'), nodeToStatus.absentStatus);
  t.is(fitErrorText(diagnosis, 4), `0/4 nodes are available: 1 ${CORDONED}, 3 Insufficient cpu.`);
});

test('node statuses › when one code is that of all nodes they are told as they were visited', (t) => {
  const algorithm = new Algorithm();
  algorithm.addNodes(['n1', 'n2', 'n3'].map((name) => testNode(name)));
  for (const name of ['n1', 'n2', 'n3']) algorithm.place(testPod(`on-${name}`, { requests: { cpu: '3' } }), name);
  algorithm.start.index = 1;
  const diagnosis = rejectedBy(algorithm, 'p');
  t.deepEqual(slotsWith(algorithm, diagnosis, Code.Unschedulable), ['n2', 'n3', 'n1']);
  t.deepEqual(slotsWith(algorithm, diagnosis, Code.UnschedulableAndUnresolvable), []);
});

test('node statuses › the nominated node, which is tried first, stands first and counts once', (t) => {
  const algorithm = fullCluster();
  const diagnosis = rejectedBy(algorithm, 'p', 'full2');
  t.deepEqual(
    [...diagnosis.nodeToStatus.entries()].map(([name]) => name),
    ['full2', 'full1', 'cordoned', 'small'],
  );
  t.is(diagnosis.nodeToStatus.size, 4);
  t.deepEqual(slotsWith(algorithm, diagnosis, Code.Unschedulable), ['full2', 'full1']);
  t.is(fitErrorText(diagnosis, 4), `0/4 nodes are available: 1 ${CORDONED}, 3 Insufficient cpu.`);
});

test('node statuses › without a scan only those that were set are told', (t) => {
  const statuses = new NodeStatuses();
  const status = createStatus(Code.Unschedulable, 'Quota', 'no');
  statuses.set('n1', status);
  t.deepEqual([...statuses.entries()], [['n1', status]]);
  t.deepEqual([...statuses.counts()], [[status, 1]]);
  t.is(statuses.size, 1);
  t.is(statuses.get('n1'), status);
});

test('node statuses › what an attempt knows of the nodes cannot be asked for once the next one has begun', (t) => {
  const algorithm = fullCluster();
  const { nodeToStatus } = rejectedBy(algorithm, 'p');
  rejectedBy(algorithm, 'q');
  const error = t.throws(() => nodeToStatus.size, { instanceOf: InvariantError });
  t.regex(error.message, /^the verdicts of an attempt must be read before the next scan, got \d+ for scan \d+$/u);
});
