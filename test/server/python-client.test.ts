/** The Kubernetes client for Python against a served cluster, where it is installed (python3-kubernetes on Debian). */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { serve } from './wire-client.js';

const run = promisify(execFile);

/** A Python that has the client; undefined where none does. */
async function pythonWithClient(): Promise<string | undefined> {
  for (const python of ['python3', '/usr/bin/python3']) {
    try {
      await run(python, ['-c', 'import kubernetes']);
      return python;
    } catch {
      // The next one may have it.
    }
  }
  return undefined;
}

test("Python's client › creates, patches, is refused an old version, applies, watches and deletes", async (t) => {
  const python = await pythonWithClient();
  if (python === undefined) {
    t.log('skipped: no Python has the module kubernetes');
    t.pass();
    return;
  }
  const served = await serve(t);
  const folder = mkdtempSync(path.join(tmpdir(), 'kubeloom-python-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const kubeconfig = path.join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, served.kubeconfig, { mode: 0o600 });
  const { stdout } = await run(python, ['test/server/python-client.py', kubeconfig], { timeout: 120_000 });
  t.deepEqual(JSON.parse(stdout), {
    created: { x: '1' },
    patched: { x: '1', y: '2' },
    conflict: [409, 'Conflict'],
    applied: [201, { z: '9' }, 'Apply'],
    seen: [
      ['MODIFIED', 'b'],
      ['DELETED', 'a'],
    ],
    pod: ['Pending', 'Always'],
    deployments: 0,
  });
});
