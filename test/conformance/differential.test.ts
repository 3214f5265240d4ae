import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { randomStream } from '../../src/kernel/random.js';
import { RandomStory } from '../../bench/differential/random-story.js';
import type { ToldStory } from '../../bench/differential/recorder.js';

const MAIN = fileURLToPath(new URL('../../bench/differential/main.js', import.meta.url));

/** The requests of a story with which nothing ever happens. */
async function requestsOf(seed: string): Promise<readonly string[]> {
  const requests: string[] = [];
  const note = (...parts: readonly unknown[]): Promise<unknown> => {
    requests.push(JSON.stringify(parts));
    return Promise.resolve();
  };
  const created: { readonly resource: string; readonly metadata: { readonly name: string } }[] = [];
  const story: ToldStory = {
    watchAll: () => Promise.resolve(),
    mark: (text) => void requests.push(text),
    list: (resource) => created.filter((each) => each.resource === resource),
    create(resource, body) {
      created.push({ resource, ...(body as { readonly metadata: { readonly name: string } }) });
      return note('create', resource, body);
    },
    scale: (...request) => note('scale', ...request),
    image: (...request) => note('image', ...request),
    json: (...request) => note('json', ...request),
    smp: (...request) => note('smp', ...request),
    del: (...request) => note('delete', ...request),
    evict: (...request) => note('evict', ...request),
    rest: () => Promise.resolve(),
    close: () => undefined,
    write: () => '',
  };
  await new RandomStory(story, randomStream(seed, 'differential'), ['n1', 'n2']).play(60);
  return requests;
}

test('differential › equal seeds give equal requests, of every sort, and others give others', async (t) => {
  const requests = await requestsOf('a');
  t.deepEqual(await requestsOf('a'), requests);
  t.notDeepEqual(await requestsOf('b'), requests);
  t.is(requests.length, 61);
  t.is(requests.at(-1), 'end');
  for (const verb of ['create', 'scale', 'image', 'delete', 'json', 'smp']) {
    t.true(
      requests.some((request) => request.startsWith(`["${verb}"`)),
      verb,
    );
  }
});

function run(...args: readonly string[]): readonly [number | null, string] {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', cwd: tmpdir() });
  return [status, stderr];
}

test('differential › without the tools, or with a bad option, one line says so, with exit code 2', (t) => {
  t.deepEqual(run(), [2, 'differential: ../shared/tools is not there: it has the programs of a real control plane\n']);
  t.deepEqual(run('--rounds', '0'), [2, 'differential: --rounds must be an integer in 1..10000, got "0"\n']);
});
