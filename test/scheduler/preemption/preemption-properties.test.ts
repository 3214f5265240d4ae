import test from 'ava';
import fc from 'fast-check';
import type { Pod } from '../../../src/api/objects/objects.js';
import { guest, PreemptionScene } from './preemption-scene.js';

interface Tenant {
  readonly priority: number;
  /** Cores. */
  readonly cpu: number;
  readonly startedAt: number;
}

const CORES = 4;
const tenant = fc.record({
  priority: fc.integer({ min: -3, max: 6 }),
  cpu: fc.integer({ min: 1, max: 3 }),
  startedAt: fc.integer({ min: 0, max: 5 }),
});
/** Nodes with tenants that fit on them. */
const node = fc.array(tenant, { maxLength: 4 }).map((tenants) => {
  let free = CORES;
  return tenants.filter(({ cpu }) => {
    if (cpu > free) return false;
    free -= cpu;
    return true;
  });
});
const preemptor = fc.record({ priority: fc.integer({ min: -1, max: 6 }), cpu: fc.integer({ min: 1, max: CORES }) });

function coresOf({ spec }: Pod): number {
  return Number(spec.containers[0]?.resources?.requests?.['cpu'] ?? 0);
}

function sceneOf(nodes: readonly (readonly Tenant[])[]): PreemptionScene {
  const scene = new PreemptionScene();
  nodes.forEach((tenants, index) => {
    const pods = tenants.map(({ priority, cpu, startedAt }, each) =>
      guest(`p${index}-${each}`, { priority, startedAt, requests: { cpu: String(cpu) } }),
    );
    scene.node(`n${index}`, pods);
  });
  return scene;
}

function used(tenants: readonly Tenant[]): number {
  return tenants.reduce((sum, { cpu }) => sum + cpu, 0);
}

/** Cases in which no node has room for the pod. */
const fullCluster = fc
  .record({ nodes: fc.array(node, { minLength: 1, maxLength: 6 }), pod: preemptor })
  .filter(({ nodes, pod }) => nodes.every((tenants) => used(tenants) + pod.cpu > CORES));

test('preemption › victims are less important, make room, and none of them is removed in vain', (t) => {
  fc.assert(
    fc.property(fullCluster, ({ nodes, pod }) => {
      const report = sceneOf(nodes).evaluate(
        guest('high', { priority: pod.priority, requests: { cpu: String(pod.cpu) } }),
      );
      for (const { nodeName, victims } of report.candidates) {
        const tenants = nodes[Number(nodeName.slice(1))] ?? [];
        const room = CORES - used(tenants) + victims.reduce((sum, victim) => sum + coresOf(victim), 0) - pod.cpu;
        if (victims.some(({ spec }) => (spec.priority ?? 0) >= pod.priority)) return false;
        if (room < 0 || victims.some((victim) => coresOf(victim) <= room)) return false;
      }
      return true;
    }),
  );
  t.pass();
});

test('preemption › a node is a candidate exactly if the less important pods on it take enough room', (t) => {
  fc.assert(
    fc.property(fullCluster, ({ nodes, pod }) => {
      const report = sceneOf(nodes).evaluate(
        guest('high', { priority: pod.priority, requests: { cpu: String(pod.cpu) } }),
      );
      const expected = nodes.flatMap((tenants, index) => {
        const lasting = tenants.filter(({ priority }) => priority >= pod.priority);
        return lasting.length < tenants.length && used(lasting) + pod.cpu <= CORES ? [`n${index}`] : [];
      });
      const actual = report.candidates.map(({ nodeName }) => nodeName);
      return (
        JSON.stringify(actual) === JSON.stringify(expected) && (report.picked === undefined) === (actual.length === 0)
      );
    }),
  );
  t.pass();
});

test('preemption › the order of the nodes changes no decision', (t) => {
  fc.assert(
    fc.property(fullCluster, ({ nodes, pod }) => {
      const high = guest('high', { priority: pod.priority, requests: { cpu: String(pod.cpu) } });
      const forward = new PreemptionScene();
      const backward = new PreemptionScene();
      const named = nodes.map((tenants, index) => ({ name: `n${index}`, tenants }));
      const add = (scene: PreemptionScene, list: typeof named): void => {
        for (const { name, tenants } of list) {
          const pods = tenants.map(({ priority, cpu, startedAt }, each) =>
            guest(`${name}-${each}`, { priority, startedAt, requests: { cpu: String(cpu) } }),
          );
          scene.node(name, pods);
        }
      };
      add(forward, named);
      add(backward, [...named].reverse());
      const nameOf = (scene: PreemptionScene): string | undefined => scene.evaluate(high).picked?.candidate.nodeName;
      return nameOf(forward) === nameOf(backward);
    }),
  );
  t.pass();
});
