import { runChurn } from './churn.js';
import { runInvariantsCost } from './invariants-cost.js';
import { runLostZone } from './lost-zone.js';
import type { Scene } from './scene.js';

/** Every scene, largest size first; the smoke sizes run in the tests. */
export const SCENES: readonly Scene[] = [
  {
    name: 'LostZone/5000Nodes_1700Lost_50000Pods',
    run: (run) => runLostZone(run, { lost: 1700, kept: 3300, pods: 50_000, seconds: 3600 }),
  },
  {
    name: 'LostZone/30Nodes_10Lost_100Pods',
    run: (run) => runLostZone(run, { lost: 10, kept: 20, pods: 100, seconds: 1200 }),
  },
  {
    name: 'Churn24h/1000Nodes_10000Pods',
    run: (run) =>
      runChurn(run, { nodes: 1000, deployments: 100, replicas: 100, hours: 24, hoursPerRow: 1, deedsPerHour: 60 }),
  },
  {
    name: 'Churn24h/10Nodes_40Pods',
    run: (run) =>
      runChurn(run, { nodes: 10, deployments: 4, replicas: 10, hours: 24, hoursPerRow: 4, deedsPerHour: 6 }),
  },
  {
    name: 'InvariantsCost/1000Nodes_2000Pods',
    run: (run) => runInvariantsCost(run, { nodes: 1000, pods: 2000 }),
  },
  {
    name: 'InvariantsCost/10Nodes_50Pods',
    run: (run) => runInvariantsCost(run, { nodes: 10, pods: 50 }),
  },
];
