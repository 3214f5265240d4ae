/** Same seed, same trace on every Node: the scenes are played by the oldest Node that is supported and by newer ones. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import test from 'ava';

const run = promisify(execFile);

/** Where `npm ci` puts each of them. */
const NODES: Readonly<Record<string, string>> = {
  '22.20.0': 'test/engines/node-22/node_modules/node/bin/node',
  '24.21.0': 'test/engines/node-24/node_modules/node/bin/node',
};

let ofThisNode: unknown;

test.before(async () => {
  ofThisNode = await playedBy(process.execPath);
});

async function playedBy(file: string): Promise<unknown> {
  const { stdout } = await run(file, ['dist/test/determinism/play-scenes.js']);
  return JSON.parse(stdout);
}

for (const [version, file] of Object.entries(NODES)) {
  test.serial(`Node ${version} plays every scene to the trace hash of this one`, async (t) => {
    if (!existsSync(file)) {
      t.log(`not tried: ${file} is not there (npm ci installs it where there is a build of Node ${version})`);
      t.pass();
      return;
    }
    t.is((await run(file, ['--version'])).stdout.trim(), `v${version}`);
    t.deepEqual(await playedBy(file), ofThisNode);
  });
}
