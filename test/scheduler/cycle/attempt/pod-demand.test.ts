import test from 'ava';
import {
  fitsRow,
  isFit,
  noDemand,
  readNeed,
  scoreRow,
  takeScore,
} from '../../../../src/scheduler/cycle/attempt/pod-demand.js';
import { CycleState } from '../../../../src/scheduler/framework/cycle-state.js';
import { AMOUNTS_SHIFT } from '../../../../src/scheduler/framework/node-amounts.js';
import { PodInfo } from '../../../../src/scheduler/framework/pod-info.js';
import { Algorithm } from '../../support/algorithm.js';
import { testNode, testPod } from '../../support/objects.js';

/** Nodes with different loads: full to the last millicore, byte or place, and one unit short of it. */
function loaded(): Algorithm {
  const algorithm = new Algorithm();
  const allocatable = { cpu: '2', memory: '4Gi', pods: '2' };
  const loads = [[], ['1500m'], ['1501m'], ['100m', '200m'], ['100m'], ['1900m']];
  algorithm.addNodes(loads.map((_load, index) => testNode(`n${index}`, { allocatable })));
  loads.forEach((requests, node) =>
    requests.forEach((cpu, index) =>
      algorithm.cache.addPod(
        testPod(`on${node}-${index}`, { requests: { cpu, memory: '1Gi' }, spec: { nodeName: `n${node}` } }),
      ),
    ),
  );
  algorithm.cache.updateSnapshot(algorithm.snapshot);
  return algorithm;
}

test('pod demand › says of each node what the plugins say', (t) => {
  const { framework, snapshot } = loaded();
  const { amounts } = snapshot.columns.arrays;
  const fit = framework.filters.find(isFit);
  for (const requests of [{ cpu: '500m', memory: '1Gi' }, { memory: '3Gi' }, { cpu: '100m' }, {}]) {
    const pod = new PodInfo(testPod('p', { requests }));
    const demand = noDemand();
    t.true(fit !== undefined && readNeed(fit, pod, demand));
    const scored = framework.scores.filter(({ plugin }) => plugin.resourceScore?.(pod) !== undefined);
    for (const { plugin, weight } of scored) {
      const score = plugin.resourceScore?.(pod);
      t.true(score !== undefined && takeScore(demand, score, weight));
    }
    const state = new CycleState();
    for (const node of Array.from({ length: snapshot.size }, (_, index) => snapshot.get(`n${index}`))) {
      if (node === undefined || fit === undefined) return t.fail();
      t.is(fitsRow(amounts, node.slot << AMOUNTS_SHIFT, demand), fit.filter(state, pod, node) === undefined, node.name);
      const total = scored.reduce(
        (sum, { plugin, weight }) => sum + Number(plugin.score(state, pod, node)) * weight,
        0,
      );
      t.is(scoreRow(amounts, node.slot << AMOUNTS_SHIFT, demand), total, node.name);
    }
  }
});

test('pod demand › does not stand for a pod that asks for more than cpu and memory, nor for two scores of a kind', (t) => {
  const { framework } = loaded();
  const fit = framework.filters.find(isFit);
  const pod = new PodInfo(testPod('p', { requests: { 'example.com/gpu': '1' } }));
  t.true(fit !== undefined && !readNeed(fit, pod, noDemand()));
  const demand = noDemand();
  const score = { formula: 'balanced', cpuMillis: 1, memoryBytes: 1 } as const;
  t.true(takeScore(demand, score, 1));
  t.false(takeScore(demand, score, 1));
});
