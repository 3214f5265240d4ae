import test from 'ava';
import fc from 'fast-check';
import type { Pod } from '../../../src/api/objects/objects.js';
import { PlacementSimulation, type SimulationSource } from '../../../src/scheduler/simulation/placement-simulation.js';
import { testNode, testPod } from '../support/objects.js';
import { createScheduledCluster } from '../support/scheduled-cluster.js';

const NODES = 12;
const SIZES = ['800m', '1500m', '2200m'];

/** Nodes of which each holds pods of these sizes. */
async function simulations(loads: readonly (readonly number[])[]): Promise<[PlacementSimulation, PlacementSimulation]> {
  const cluster = createScheduledCluster();
  for (const [index, sizes] of loads.entries()) {
    cluster.create(testNode(`n${index}`, { unschedulable: index === 5 }));
    for (const [place, size] of sizes.entries()) {
      const requests = { cpu: SIZES[size] as string };
      cluster.create(testPod(`p${index}-${place}`, { requests, spec: { nodeName: `n${index}` } }));
    }
  }
  const { client, informers } = cluster.bus.connect('simulation');
  const source: SimulationSource = {
    clock: cluster.kernel.clock,
    client,
    informer: (kind, indexers) => informers.informer(kind, indexers),
    watch: (kind, handler) => {
      const informer = informers.informer(kind);
      informer.addHandler(handler);
      return informer;
    },
  };
  const options = { counts: () => true, onTouched: () => undefined };
  const both = [new PlacementSimulation(source, options), new PlacementSimulation(source, options)] as const;
  informers.start();
  await cluster.run();
  return [...both];
}

function unbound(pod: Pod): Pod {
  return { ...pod, spec: { ...pod.spec, nodeName: '' } };
}

test('placement simulation › a search finds what walks over all nodes find, whatever is taken out and put back', async (t) => {
  const size = fc.integer({ min: 0, max: SIZES.length - 1 });
  const loads = fc.array(fc.array(size, { maxLength: 3 }), { minLength: NODES, maxLength: NODES });
  const trial = fc.record({ node: fc.nat(NODES - 1), keeps: fc.boolean(), isClosed: fc.boolean() });
  const found = { places: 0, none: 0 };
  await fc.assert(
    fc.asyncProperty(loads, fc.array(trial, { minLength: 20, maxLength: 40 }), async (held, trials) => {
      const [searching, walking] = await simulations(held);
      const closed = new Set<string>();
      const accepts = (name: string): boolean => !closed.has(name);
      for (const { node, keeps, isClosed } of trials) {
        const name = `n${node}`;
        const placed = searching.find(name);
        if (placed === undefined) continue;
        for (const each of [searching, walking]) each.fork();
        for (const each of [searching, walking]) each.removeNode(name);
        const places = placed.pods
          .map((pod) => unbound(pod))
          .map((pod) => {
            const place = searching.search(pod, accepts);
            if (place !== walking.scheduleAnywhere(pod, accepts)) throw new Error(`${name}: ${String(place)}`);
            return place;
          });
        const hasAll = places.every((place) => place !== undefined);
        found[hasAll ? 'places' : 'none'] += 1;
        for (const each of [searching, walking]) {
          if (hasAll && keeps) each.commit();
          else each.revert();
        }
        if (isClosed) closed.add(name);
      }
    }),
    { numRuns: 60 },
  );
  t.true(found.places > 100 && found.none > 100, JSON.stringify(found));
});
