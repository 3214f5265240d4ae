import { readFileSync } from 'node:fs';
import test from 'ava';
import { nodeVersionProblem } from '../../src/cli/node-version.js';

test('a Node that is too old is named, with what is needed', (t) => {
  t.is(nodeVersionProblem('20.19.5'), 'Node 22.20 or newer is needed, got 20.19.5');
  t.is(nodeVersionProblem('22.19.0'), 'Node 22.20 or newer is needed, got 22.19.0');
  for (const version of ['22.20.0', '24.0.1', process.versions.node]) t.is(nodeVersionProblem(version), undefined);
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  t.is(engines.node, '>=22.20');
});
