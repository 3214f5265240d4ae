/**
 * How long a program is held by a cluster on another thread while its pods start: the time that the program's thread
 * computes at a stretch while it hears of every write of a pod. `node dist/bench/host-loop/main.js [PODS] [NODES]`
 */
import { hostCluster } from '../../src/index.js';

const [pods = 150_000, nodes = 5000] = process.argv.slice(2).map(Number);
const STRETCH_MS = 1;
const PODS_EACH = 5000;

/** Time that this thread has computed, ms; what other programs of the machine take is not in it. */
function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const cluster = await hostCluster({
  nodes: [{ count: nodes, capacity: { cpu: '64', memory: '256Gi', pods: '110' } }],
  seed: 42,
  clientLimits: 'unlimited',
});
await cluster.ready();
let events = 0;
cluster.watch('Pod').subscribe(() => {
  events += 1;
});
const stretches: number[] = [];
let before = computedMs();
const timer = setInterval(() => {
  const now = computedMs();
  stretches.push(now - before);
  before = now;
}, STRETCH_MS);
const began = performance.now();
for (let made = 0; made < pods; made += PODS_EACH) {
  const replicas = Math.min(PODS_EACH, pods - made);
  const labels = { app: `load-${made}` };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'pause:3' }] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  await cluster.apply({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: `load-${made}` }, spec });
}
const { end, nowMs } = await cluster.run({ until: { readyPods: pods }, limit: '2h' });
clearInterval(timer);
const seconds = (performance.now() - began) / 1000;
const sorted = stretches.toSorted((a, b) => a - b);
const at = (share: number): string => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(2);
process.stdout.write(
  `${pods} pods on ${nodes} nodes: ${end} after ${nowMs / 1000} s simulated, ${seconds.toFixed(1)} s real; ${events} events heard\n` +
    `held for ms at a stretch: p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, max ${at(1)} (${sorted.length} stretches)\n`,
);
await cluster.dispose();
