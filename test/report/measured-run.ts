/** A run with something of everything: pods that wait, that pull, a fault, a broken promise, names that are awkward. */
import { createCluster, summarize, type RunSummary } from '../../src/index.js';

export const AWKWARD = `<script>alert("x")</script> & 'more' \\ end`;

export async function measuredRun(seed = 3): Promise<RunSummary> {
  const cluster = createCluster({ seed, nodes: [{ count: 4, zones: ['zone-a', 'zone-b'] }] });
  const measurement = cluster.measure();
  await cluster.ready();
  measurement.mark(AWKWARD, { kind: 'step' });
  cluster.apply(`
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 8
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: nginx, resources: { requests: { cpu: 500m, memory: 256Mi } } }] }
---
apiVersion: v1
kind: Pod
metadata: { name: huge }
spec: { containers: [{ name: c, image: i, resources: { requests: { cpu: "1000" } } }] }
`);
  await cluster.run({ limit: '1m' });
  cluster.faults.inject({ cut: { node: 'node-0' }, for: '90s' });
  cluster.scale('Deployment', 'web', 3);
  await cluster.run({ limit: '3m' });
  measurement.mark('the end', { kind: 'expectation', ok: false });
  const thresholds = measurement.check({
    pod_startup_ms: 'p(99)<5000',
    unschedulable: 'count==0',
    'api_request_ms{verb:LIST}': 'max<1',
  });
  const checks = [
    { name: AWKWARD, ok: false, problem: `a control character: \u0001, a line\nand "quotes"`, atMs: 1500 },
    { name: 'all is up', ok: true, problem: null, atMs: null },
  ];
  const { traceHash, epochMs } = cluster;
  const summary = summarize(measurement.read(), {
    title: AWKWARD,
    kind: 'run',
    program: '0.1.0',
    seed: String(seed),
    traceHash,
    epochMs,
    checks,
    thresholds,
    host: { wallSeconds: 1.5, peakRssBytes: 100_000_000 },
  });
  await cluster.dispose();
  return summary;
}
