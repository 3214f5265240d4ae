/** What kubectl and a real API server said to each other, replayed; the recordings lie beside the repository. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { replayWire } from '../../bench/conformance/wire/replay-wire.js';
import { readWireRecording } from '../../bench/conformance/wire/wire-recording.js';

const FOLDER = path.resolve('../shared/wire');
const FILES = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl')) : [];

/** Answers that may differ, by file, as `field of the command`, with the reason. */
const MAY_DIFFER: Readonly<Record<string, ReadonlySet<string>>> = {
  // The Deployment was deleted before its controller had counted its pods; here it had.
  'delete-wait.jsonl': new Set(['frame of d2-a of kubectl delete deploy d2-a --cascade=orphan']),
  // Both texts hold the whole object, with its resourceVersion.
  'custom-resources.jsonl': new Set([
    '.message of kubectl apply -f one.yaml',
    '.details.causes[0].message of kubectl apply -f one.yaml',
  ]),
};

if (FILES.length === 0) test.skip(`recordings of kubectl › ${FOLDER} is not there`, () => undefined);

for (const file of FILES) {
  test(`recordings of kubectl › ${file}: every request is answered with the recorded status and body`, async (t) => {
    const { status, bodies, differing } = await replayWire(readWireRecording(path.join(FOLDER, file)));
    t.true(status.of > 0);
    t.is(status.same, status.of);
    const others = differing.flatMap(({ command, differences }) =>
      differences
        .filter(({ field }) => MAY_DIFFER[file]?.has(`${field} of ${command}`) !== true)
        .map((difference) => ({ command, ...difference })),
    );
    t.deepEqual(others, []);
    t.true(bodies.of - bodies.same <= (MAY_DIFFER[file]?.size ?? 0));
  });
}
