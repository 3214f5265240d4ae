import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import { parseScenario, runScenario } from '../../src/index.js';

const page = readFileSync('docs/scenarios.md', 'utf8');
const examples = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => text);

for (const text of examples) {
  test(`docs/scenarios.md › ${/^title: (.*)$/m.exec(text)?.[1] ?? text} › comes about`, async (t) => {
    const scenario = parseScenario(text, 'docs/scenarios.md', (path) => readFileSync(path, 'utf8'));
    const { refusals, expectations } = await runScenario(scenario);
    t.deepEqual([refusals, expectations.filter(({ isMet }) => !isMet)], [[], []]);
    t.true(expectations.length > 0);
  });
}

const listed = (message: string): string[] => (/ one of (.*)$/.exec(message)?.[1] ?? '').split(', ');

test('docs/scenarios.md › names every verb and everything that can be counted', (t) => {
  const refusalOf = (text: string): string =>
    t.throws(() => parseScenario(text, 'x', () => ''), { name: 'ScenarioError' })?.message ?? '';
  const words = [...listed(refusalOf('actions: [{ at: 1m }]')), ...listed(refusalOf('expectations: [{ by: 1m }]'))];
  t.true(words.length > 20);
  t.deepEqual(
    words.filter((word) => !page.includes(`\`${word}`)),
    [],
  );
});

test('examples/scenarios › each says how to play it', (t) => {
  for (const file of readdirSync('examples/scenarios')) {
    const text = readFileSync(`examples/scenarios/${file}`, 'utf8');
    if (text.includes('\nexpectations:'))
      t.true(text.includes(`#   npx kubeloom scenario examples/scenarios/${file}\n`), file);
  }
});
