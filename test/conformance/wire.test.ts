/** What kubectl and a real API server said to each other, replayed; the recordings lie beside the repository. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { replayWire } from '../../bench/conformance/wire/replay-wire.js';
import { readWireRecording } from '../../bench/conformance/wire/wire-recording.js';

const FOLDER = path.resolve('../shared/wire');
const files = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl')) : [];

if (files.length === 0) test.skip('recordings of kubectl: there are none beside the repository', (t) => t.pass());

for (const file of files) {
  test(`recordings of kubectl › ${file}: every request is answered with the recorded status`, async (t) => {
    const { status, differing } = await replayWire(readWireRecording(path.join(FOLDER, file)));
    t.true(status.of > 0);
    const others = differing.flatMap(({ command, differences }) =>
      differences.filter(({ field }) => field === 'status').map((difference) => ({ command, ...difference })),
    );
    t.deepEqual(others, []);
  });
}
