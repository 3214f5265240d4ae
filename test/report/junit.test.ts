import test from 'ava';
import { junitText } from '../../src/index.js';
import { measuredRun } from './measured-run.js';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
}

const TAG = /<(\/?)([a-z]+)((?: [a-zA-Z]+="[^"<]*")*) ?(\/?)>/y;
const ENTITY: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#10': '\n',
  '#13': '\r',
  '#9': '\t',
};

/** Reads well-formed XML of elements and attributes, and throws at anything else. */
function parse(text: string): Element {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!text.startsWith(head)) throw new Error('must begin with the declaration');
  const root: Element = { name: '', attributes: {}, children: [] };
  const open = [root];
  for (let index = head.length; index < text.length;) {
    const gap = /\s*/y;
    gap.lastIndex = index;
    index += gap.exec(text)?.[0].length ?? 0;
    if (index === text.length) break;
    TAG.lastIndex = index;
    const [tag, isEnd, name = '', attributeText = '', isEmpty] = TAG.exec(text) ?? [''];
    if (tag === '') throw new Error(`no tag at ${text.slice(index, index + 80)}`);
    index += tag.length;
    if (isEnd === '/') {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes nothing`);
      continue;
    }
    const attributes = [...attributeText.matchAll(/([a-zA-Z]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [
      key,
      decoded(value),
    ]);
    const element: Element = {
      name,
      attributes: Object.fromEntries(attributes) as Element['attributes'],
      children: [],
    };
    open.at(-1)?.children.push(element);
    if (isEmpty !== '/') open.push(element);
  }
  if (open.length !== 1) throw new Error('an element is not closed');
  return root.children[0] ?? root;
}

function decoded(text: string): string {
  return text.replace(/&([^;]*);?/g, (_all, name: string) => {
    const character = ENTITY[name];
    if (character === undefined) throw new Error(`no entity: ${name}`);
    return character;
  });
}

test('checks and thresholds are test cases, and what failed says why, whatever its text', async (t) => {
  const summary = await measuredRun();
  const suites = parse(junitText(summary));
  const [suite] = suites.children;
  t.is(suites.attributes['name'], summary.title);
  t.like(suite?.attributes, { tests: '5', failures: '3', errors: '0', timestamp: '2030-01-01T00:00:00' });
  const cases = suite?.children.filter(({ name }) => name === 'testcase') ?? [];
  t.deepEqual(
    cases.map(({ attributes, children }) => [
      attributes['classname'],
      attributes['name'],
      children[0]?.attributes['message'],
    ]),
    [
      ['kubeloom.run.checks', summary.title, 'a control character: \uFFFD, a line\nand "quotes"'],
      ['kubeloom.run.checks', 'all is up', undefined],
      ['kubeloom.run.thresholds', 'pod_startup_ms: p(99)<5000', undefined],
      ['kubeloom.run.thresholds', 'unschedulable: count==0', 'threshold failed: unschedulable: count==0 (it was 1)'],
      ['kubeloom.run.thresholds', 'api_request_ms{verb:LIST}: max<1', cases.at(-1)?.children[0]?.attributes['message']],
    ],
  );
  const properties = suite?.children.find(({ name }) => name === 'properties')?.children ?? [];
  t.deepEqual(properties.map(({ attributes }) => [attributes['name'], attributes['value']])[0], ['seed', '3']);
});
