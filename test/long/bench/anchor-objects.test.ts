import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { kindRegistry } from '../../../src/api/kinds/registry.js';
import { ownWorkloadFiles, readWorkloads, WORKLOAD_FOLDER } from '../../../src/cli/bench/bench-files.js';
import type { Draft } from '../../../src/index.js';
import type { PerfOperation } from '../../../src/workload/scheduler-perf/operations.js';
import { PerfObjects, type PerfObject } from '../../../src/workload/scheduler-perf/perf-objects.js';

/** The objects of the measured runs, where they are at hand beside the repository. */
const RECORDED = path.resolve(WORKLOAD_FOLDER, '../../../shared/conformance/workloads');

interface Recorded {
  readonly kind: 'node' | 'existing' | 'pending';
  readonly object: Draft;
}

function recorded(name: string): readonly Recorded[] {
  const text = gunzipSync(readFileSync(path.join(RECORDED, `${name}.jsonl.gz`))).toString('utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded);
}

function operationsOf(name: string): readonly PerfOperation[] {
  const [file = ''] = ownWorkloadFiles().filter((each) => path.basename(each) === 'anchor.yaml');
  return (
    readWorkloads(file, undefined)
      .find((each) => each.name === `anchor/${name}/5000Nodes`)
      ?.plan().operations ?? []
  );
}

/** Every object of the workload, in order. */
function made(operations: readonly PerfOperation[]): readonly PerfObject[] {
  const objects = new PerfObjects();
  return operations.flatMap((operation, step) => {
    if (operation.opcode !== 'createNodes' && operation.opcode !== 'createPods') return [];
    return Array.from({ length: operation.count }, (_, index) =>
      operation.opcode === 'createNodes' ? objects.node(operation, step, index) : objects.pod(operation, index),
    ).flat();
  });
}

/** Without what every manifest says, and with quantities as the API server writes them. */
function plain(kind: PerfObject['kind'], { apiVersion: _apiVersion, kind: _kind, ...draft }: Draft): Draft {
  return kindRegistry[kind].applyDefaults(draft);
}

if (!existsSync(RECORDED)) test.skip(`anchor objects: ${RECORDED} is not there`, () => undefined);
for (const name of ['basic', 'hetero', 'spread', 'antiaffinity', 'affinity', 'preempt']) {
  const present = existsSync(RECORDED) ? test : test.skip;
  present(`anchor/${name} › is made of the objects on which kube-scheduler was measured, in their order`, (t) => {
    const expected = recorded(name);
    const actual = made(operationsOf(name));
    t.is(actual.length, expected.length);
    const different = actual.findIndex(
      ({ kind, draft }, index) => !isDeepStrictEqual(plain(kind, draft), plain(kind, expected[index]?.object ?? {})),
    );
    t.deepEqual(actual[different]?.draft, expected[different]?.object);
    t.is(different, -1);
  });
}
