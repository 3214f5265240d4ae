/** The pages that users read, and the blocks of code in them. */
import { globSync, readFileSync } from 'node:fs';

/** A page, by its path in the repository. */
export interface Page {
  readonly file: string;
  readonly text: string;
}

/** A fenced block: `language` and, in brackets behind it, the file that it stands for. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly file: string | undefined;
  readonly text: string;
}

const PATTERNS = ['*.md', 'docs/*.md', 'packages/*/README.md', 'site/pages/**/*.md'];

export const PAGES: readonly Page[] = PATTERNS.flatMap((pattern) => globSync(pattern).toSorted()).map((file) => ({
  file,
  text: readFileSync(file, 'utf8'),
}));

const FENCE = /^```(\w+)(?: \[([^\]]+)\])?[^\n]*\n(.*?)^```$/gms;

/** The blocks of a page, in order. */
export function blocksOf({ file, text }: Page): readonly Block[] {
  return [...text.matchAll(FENCE)].map((match) => {
    const [, language = '', name, body = ''] = match;
    return { page: file, line: text.slice(0, match.index).split('\n').length, language, file: name, text: body };
  });
}

/** A page that is followed step by step: test/long/docs/tutorials.test.ts does. */
export function isTutorial({ file }: Page): boolean {
  return file.startsWith('site/pages/tutorials/');
}

export const BLOCKS: readonly Block[] = PAGES.filter((page) => !isTutorial(page)).flatMap(blocksOf);

/** Where a block stands, for messages. */
export function placeOf({ page, line }: Block): string {
  return `${page}:${line}`;
}
