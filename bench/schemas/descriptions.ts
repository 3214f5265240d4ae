/** What fields mean, out of the tables of the pages in docs: an editor shows it beside the field. */
import { readFileSync } from 'node:fs';
import type { Shape, Shapes } from './shape.js';

const ROW = /^\| (`.*?) \| (.*) \|$/gm;
const FIRST_WORD = /^`([\w-]+)/;

/** The right column of a page's tables by the words with which the left one begins. */
function cellsOf(page: string): ReadonlyMap<string, string> {
  const cells = new Map<string, string>();
  for (const [, left = '', right = ''] of readFileSync(`docs/${page}`, 'utf8').matchAll(ROW)) {
    for (const form of left.split(', `').map((each, index) => (index === 0 ? each : `\`${each}`))) {
      const [, word] = FIRST_WORD.exec(form) ?? [];
      if (word !== undefined && !cells.has(word)) cells.set(word, plain(right));
    }
  }
  return cells;
}

/** Without links and code marks, which editors show as they stand. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .replaceAll(' | ', ': ');
}

/**
 * The same shapes, each with what a page says of it.
 *
 * @param wordOf - what the page calls a field
 */
export function described(shapes: Shapes, page: string, wordOf = (name: string): string => name): Shapes {
  const cells = cellsOf(page);
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape]): [string, Shape] => {
      const description = cells.get(wordOf(name));
      return [name, description === undefined ? shape : { description, ...shape }];
    }),
  );
}
