import { readdirSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { createAhead } from '../../../bench/conformance/ahead.js';
import { readRecordings, type Recording } from '../../../bench/conformance/recording.js';
import {
  emptyReport,
  replayScenario,
  type ReplayOptions,
  type ReplayReport,
} from '../../../bench/conformance/replay.js';

/** A part of the decisions recorded from kube-scheduler v1.34.1, by family. */
const FOLDER = 'test/scheduler/conformance/recordings';
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.jsonl.gz'));

async function replay(recordings: readonly Recording[], options: ReplayOptions = {}): Promise<ReplayReport> {
  const report = emptyReport();
  for (const recording of recordings) await replayScenario(recording, report, options);
  return report;
}

test('recordings › every family but that of the production trace is here', (t) => {
  t.deepEqual(FILES.map((file) => file.replace('.jsonl.gz', '')).sort(), [
    'affinity',
    'edge',
    'fit',
    'interpod',
    'mixed',
    'ports-images',
    'preempt',
    'sampling',
    'spread',
    'taints',
    'volumes',
  ]);
});

for (const file of FILES) {
  test(`recordings › ${file}: every field is as kube-scheduler had it`, async (t) => {
    const { decisions, compared, mismatches } = await replay(readRecordings(path.join(FOLDER, file)));
    t.log(`${decisions} decisions, compared ${JSON.stringify(compared)}`);
    t.deepEqual(mismatches.slice(0, 3), []);
    t.is(mismatches.length, 0);
    t.true((compared['filter'] ?? 0) > 0);
  });
}

test('recordings › the plain forms of the plugins decide the same', async (t) => {
  const { mismatches } = await replay(readRecordings(path.join(FOLDER, 'mixed.jsonl.gz')), { isPlain: true });
  t.deepEqual(mismatches.slice(0, 3), []);
});

test('recordings › two worker threads decide the same', async (t) => {
  const recordings = readRecordings(path.join(FOLDER, 'mixed.jsonl.gz'));
  const ahead = createAhead(2);
  const report = await replay(recordings, { ahead });
  await ahead?.close();
  t.deepEqual(report.mismatches.slice(0, 3), []);
});

test('recordings › a decision that differs is found', async (t) => {
  const [recording] = readRecordings(path.join(FOLDER, 'fit.jsonl.gz'));
  const [first, ...rest] = recording?.result ?? [];
  const node = Object.keys(first?.filter ?? {})[0] ?? '';
  const wrong = {
    ...first,
    filter: { ...first?.filter, [node]: { plugin: 'NodePorts', code: 'Unschedulable', reasons: [] } },
  };
  const { mismatches } = await replay([{ ...recording, result: [wrong, ...rest] } as unknown as Recording]);
  t.deepEqual(
    mismatches.map(({ field }) => field),
    [`filter of ${node}`],
  );
});
