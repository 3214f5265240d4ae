import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { PAGES, type Page } from './pages.js';

/** What stands in fences or between back quotes is no link. */
function proseOf(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ' '));
}

function linksOf({ text }: Page): readonly string[] {
  return [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** Anchors as GitHub and the site make them of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.+)$/gm)];
  return new Set(
    headings.map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(/\s/g, '-'),
    ),
  );
}

/** What a link of a page leads to that is not there. */
function missing(page: Page, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [place = '', anchor] = link.split('#');
  const target = placeOf(page, place);
  if (!existsSync(target)) return `${page.file}: ${link}`;
  if (anchor === undefined || !statSync(target).isFile()) return undefined;
  return anchorsOf(readFileSync(target, 'utf8')).has(anchor) ? undefined : `${page.file}: ${link} has no such heading`;
}

/** A page of the site has its place in the address; it may leave out its ending. */
function placeOf(page: Page, place: string): string {
  if (place === '') return page.file;
  const target = place.startsWith('/') ? path.join('site/pages', place) : path.join(path.dirname(page.file), place);
  return existsSync(`${target}.md`) ? `${target}.md` : target;
}

test('every link of every page leads to a file that is there, and to a heading in it', (t) => {
  const links = PAGES.flatMap((page) => linksOf(page).map((link) => [page, link] as const));
  t.true(links.length > 40, `${links.length} links`);
  t.deepEqual(
    links.flatMap(([page, link]) => missing(page, link) ?? []),
    [],
  );
});

test('a link to nothing is found', (t) => {
  const page: Page = { file: 'docs/x.md', text: '' };
  t.is(missing(page, 'nothing.md'), 'docs/x.md: nothing.md');
  t.is(missing(page, 'scenarios.md#nothing'), 'docs/x.md: scenarios.md#nothing has no such heading');
  t.is(missing(page, 'scenarios.md#actions'), undefined);
  t.is(missing(page, 'https://example.com/x'), undefined);
});

test('every page of docs has its place in the menu of the site', (t) => {
  const menu = readFileSync('site/.vitepress/config.mjs', 'utf8');
  const names = PAGES.flatMap(({ file }) => /^docs\/(.*)\.md$/.exec(file)?.[1] ?? []);
  t.true(names.length > 10);
  t.deepEqual(
    names.filter((name) => !menu.includes(`'${name}'`)),
    [],
  );
});

test('every page that is named with its path is there', (t) => {
  const named = PAGES.flatMap(({ file, text }) =>
    [...text.matchAll(/(?<![\w/.])((?:docs|examples|schemas)\/[\w./-]+\.(?:md|yaml|ts|json))/g)].map(
      ([, place = '']) => [file, place],
    ),
  );
  t.deepEqual(
    named.filter(([, place = '']) => !existsSync(place)),
    [],
  );
});
