/**
 * Puts the pages together in `.pages`: those of this folder, the repository's own (README, docs, packages), and the
 * reference of the command line from what its commands say of themselves. What leads out of the pages becomes plain text.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');
const TARGET = path.join(import.meta.dirname, '.pages');
const MAIN = path.join(ROOT, 'dist/bundle/src/main.js');
if (!existsSync(MAIN)) throw new Error('dist/bundle is not there: npm run build');

/** Where each page of the repository stands in the site. */
const PLACES = new Map([
  ...globSync('site/pages/**/*.md', { cwd: ROOT }).map((file) => [file, path.relative('site/pages', file)]),
  ...globSync('docs/*.md', { cwd: ROOT }).map((file) => [file, file]),
  ['README.md', 'readme.md'],
  ['ARCHITECTURE.md', 'architecture.md'],
  ['CHANGELOG.md', 'changelog.md'],
  ['packages/artillery-engine-kubeloom/README.md', 'artillery.md'],
]);

/** Links lead to the place of the page; those to no page lose their address. */
function linked(text, file) {
  return text.replaceAll(
    /(?<!!)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s#]*)(#[^)\s]*)?\)/g,
    (_whole, words, target, anchor = '') => {
      const page = path.relative(ROOT, path.resolve(ROOT, path.dirname(file), target));
      const place = PLACES.get(existsSync(path.join(ROOT, `${page}.md`)) ? `${page}.md` : page);
      if (place === undefined) return words;
      const from = path.dirname(PLACES.get(file));
      return `[${words}](./${path.relative(from, place)}${anchor})`;
    },
  );
}

/** Outside of code, what Vue would take for its own is text. */
function escaped(text) {
  return text
    .split(/(^```.*?^```$|`[^`\n]*`)/gms)
    .map((part, index) => {
      if (index % 2 === 0) return part.replaceAll('{{', '&#123;&#123;').replaceAll(/<(?![/!]?[a-z]+[ >])/g, '&lt;');
      return part.startsWith('```') || !part.includes('{{')
        ? part
        : `<code v-pre>${part.slice(1, -1).replaceAll('<', '&lt;')}</code>`;
    })
    .join('');
}

function write(place, text) {
  const file = path.join(TARGET, place);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function help(...words) {
  return execFileSync(process.execPath, [MAIN, ...words, '--help'], {
    encoding: 'utf8',
    env: { ...process.env, COLUMNS: '110' },
  });
}

/** The names of commands in a help. */
function commandsIn(text) {
  const [, list = ''] = /^Commands:\n(.*?)(?:\n\n|$(?![\s\S]))/ms.exec(text) ?? [];
  return [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name).filter((name) => name !== 'help');
}

function commandLine() {
  const parts = ['# Command line\n', `\`\`\`text\n${help()}\`\`\`\n`];
  for (const name of commandsIn(help())) parts.push(`## kubeloom ${name}\n`, `\`\`\`text\n${help(name)}\`\`\`\n`);
  return parts.join('\n');
}

rmSync(TARGET, { recursive: true, force: true });
for (const [file, place] of PLACES) write(place, escaped(linked(readFileSync(path.join(ROOT, file), 'utf8'), file)));
write('reference/cli.md', commandLine());
cpSync(path.join(ROOT, 'docs/images'), path.join(TARGET, 'docs/images'), { recursive: true });
cpSync(path.join(ROOT, 'schemas'), path.join(TARGET, 'public/schemas'), { recursive: true });
