/** Input of a size that is not written by hand: what is looked at once for each other part would take minutes here. */
import test from 'ava';
import { createCluster, parseScriptFile } from '../../src/index.js';

const DIGITS = '1'.repeat(100_000);
const LONG = 100_000;

function list(each: (index: number) => string): string {
  return Array.from({ length: LONG }, (_, index) => each(index)).join(', ');
}

test('quantities of 100,000 digits are read as any other, or refused in one line', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const request = (name: string, cpu: string): void => {
    const resources = { requests: { cpu } };
    cluster.create('Pod', { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i', resources }] } });
  };
  request('a', DIGITS);
  request('b', `0.${DIGITS}`);
  for (const text of [`${DIGITS}x`, `${DIGITS}.${DIGITS}x`, `${DIGITS}eE`]) {
    const { message } = t.throws(() => request('c', text), { name: 'ApiError' });
    t.true(message.length < 300);
  }
  t.throws(() => createCluster({ nodes: [{ count: 1, capacity: { cpu: `${DIGITS}x` } }] }), { name: 'NodeGroupError' });
  await cluster.dispose();
});

test('long lists in scripts are read in one pass', async (t) => {
  const script = {
    runs: list(() => '1s exit choice(0, 1)'),
    memoryBytes: list((index) => `${index}s=${index % 2}Mi`),
    startDelay: `choice(${list(() => '1s')})`,
  };
  const cluster = createCluster({ nodes: 0, scripts: [{ selector: {}, script }] });
  t.throws(() => createCluster({ scripts: [{ selector: {}, script: { runs: list(() => 'exit') } }] }), {
    name: 'OptionError',
  });
  for (let index = 0; index < 20_000; index += 1) cluster.registerImage(`image-${index}`, { runs: [] });
  await cluster.dispose();
});

test('a long curve of usage is walked once', async (t) => {
  const points = Array.from({ length: 40_000 }, (_, index): [number, number] => [index * 100, index % 2 === 0 ? 1 : 2]);
  const cluster = createCluster({ nodes: 1, scripts: [{ selector: {}, script: { memoryBytes: { points } } }] });
  const resources = { limits: { memory: '1Ki' } };
  cluster.create('Pod', { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i', resources }] } });
  await cluster.run({ limit: '2m' });
  t.is(cluster.get('Pod', 'a').status.phase, 'Running');
  await cluster.dispose();
});

test('mappings of 50,000 keys are read in one pass', (t) => {
  const labels = Array.from({ length: 50_000 }, (_, index) => `      k${index}: v\n`).join('');
  const rules = parseScriptFile(`- selector:\n    matchLabels:\n${labels}  script: { runs: 1s }\n`, 'rules.yaml');
  t.is(Object.keys(rules[0]?.selector.matchLabels ?? {}).length, 50_000);
});
