import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

/**
 * How many numbered statements each chapter on pods, nodes and their controllers has: 9.28 is the 28th of the ninth. A
 * statement stands where it is tested, as the title of its tests.
 */
const STATEMENTS: Readonly<Record<string, number>> = {
  'phases and conditions': 32,
  'container states': 22,
  'init containers, sidecars, hooks': 16,
  probes: 16,
  'deletion and termination': 22,
  'the node': 27,
  'node lifecycle and taint eviction': 23,
  'pod garbage collection': 12,
  'pod safety': 31,
};

/** The titles of all tests. */
function titles(): string {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  return files
    .flatMap((file) => {
      const text = readFileSync(join('test', file), 'utf8');
      return [...text.matchAll(/\btest(?:\.serial)?\(\s*(['`"])(.*?)\1/gs)].map(([, , title = '']) => title);
    })
    .join('\n');
}

test('every numbered statement on pods, nodes and their controllers has a test or is listed as not modelled', (t) => {
  const told = new Set(`${titles()}\n${readFileSync('docs/not-modelled.md', 'utf8')}`.match(/\b\d\.\d+\b/g));
  const missing = Object.values(STATEMENTS).flatMap((count, chapter) =>
    Array.from({ length: count }, (_, index) => `${chapter + 1}.${index + 1}`).filter((number) => !told.has(number)),
  );
  t.deepEqual(missing, []);
});
