/** Plans of sweeps and the files that they name, in folders of their own. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BASE = `
title: small
run: { nodes: 1, manifests: [pod.yaml], limit: 5m }
cluster: { clientLimits: unlimited }
`;
const POD = `
apiVersion: v1
kind: Pod
metadata: { name: only }
spec: { containers: [{ name: c, image: i }] }
`;

/** Two variants of one pod. */
const PLAN = `
title: pulls
variants: [base.yaml]
vary: { cluster.runtime.imagePull: [1000, { uniform: [1000, 3000] }] }
seeds: 6
metrics: ['pod_ready_ms max']
`;

/** @returns the folder, with `plan.yaml`, `base.yaml`, `pod.yaml` and what is given */
export function sweepFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'kubeloom-sweep-'));
  for (const [name, text] of Object.entries({ 'plan.yaml': PLAN, 'base.yaml': BASE, 'pod.yaml': POD, ...files })) {
    writeFileSync(join(folder, name), text);
  }
  return folder;
}
