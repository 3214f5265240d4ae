import { comeAndGo, idleHour, rollAndDelete, smallCluster, startUp } from './clusters.js';
import { commandLine, scene } from './programs.js';
import type { ScaleCase } from './scale-case.js';

const PODS_PER_NODE = 10;

/** Every case, smallest first. */
export const SCALE_CASES: readonly ScaleCase[] = [
  { name: 'FirstSecond/Help', run: (build, laps) => commandLine(build, laps, ['run', '--help']) },
  {
    name: 'FirstSecond/100Nodes_1000Pods',
    run: (build, laps) => commandLine(build, laps, ['run', '--nodes', '100', '--pods', '1000', '--json']),
  },
  {
    name: 'FirstSecond/TestOf10Nodes_50Pods',
    run: (build, laps) => smallCluster(build, laps, { nodes: 10, pods: 50 }),
  },
  { name: 'DefaultScene/5000Nodes_20000Pods', run: (build, laps) => commandLine(build, laps, ['run', '--json']) },
  ...[300, 30_000].map((pods) => ({
    name: `RollingUpdate/${pods}Pods`,
    run: ((build, laps) => rollAndDelete(build, laps, { nodes: Math.max(20, pods / 20), pods })) as ScaleCase['run'],
  })),
  ...[50_000, 150_000].map((pods) => ({
    name: `Startup/5000Nodes_${pods}Pods`,
    run: ((build, laps) => startUp(build, laps, { nodes: 5000, pods })) as ScaleCase['run'],
  })),
  { name: 'IdleHour/150000Pods', run: (build, laps) => idleHour(build, laps, { nodes: 5000, pods: 150_000 }) },
  ...[1250, 2500, 5000, 10_000, 50_000, 100_000].map((nodes) => ({
    name: `Nodes/${nodes}Nodes`,
    run: ((build, laps) => startUp(build, laps, { nodes, pods: nodes * PODS_PER_NODE })) as ScaleCase['run'],
  })),
  { name: 'LostZone', run: (build, laps) => scene(build, laps, 'LostZone/5000Nodes_1700Lost_50000Pods') },
  { name: 'Churn24h', run: (build, laps) => scene(build, laps, 'Churn24h/1000Nodes_10000Pods') },
  {
    name: 'ComeAndGo/500Times_1000Nodes',
    run: (build, laps) => comeAndGo(build, laps, { nodes: 1000, pods: 100, times: 500 }),
  },
  { name: 'Smoke/Startup', isSmoke: true, run: (build, laps) => startUp(build, laps, { nodes: 5, pods: 20 }) },
  { name: 'Smoke/Roll', isSmoke: true, run: (build, laps) => rollAndDelete(build, laps, { nodes: 5, pods: 20 }) },
  { name: 'Smoke/Idle', isSmoke: true, run: (build, laps) => idleHour(build, laps, { nodes: 5, pods: 20 }) },
  {
    name: 'Smoke/Gone',
    isSmoke: true,
    run: (build, laps) => comeAndGo(build, laps, { nodes: 3, pods: 5, times: 4 }),
  },
  { name: 'Smoke/Test', isSmoke: true, run: (build, laps) => smallCluster(build, laps, { nodes: 3, pods: 5 }) },
  {
    name: 'Smoke/Scene',
    isSmoke: true,
    run: (build, laps) => scene(build, laps, 'LostZone/30Nodes_10Lost_100Pods'),
  },
];
