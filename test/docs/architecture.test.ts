import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import test from 'ava';

const page = readFileSync('ARCHITECTURE.md', 'utf8');

interface Layers {
  readonly default: { readonly forbidden: readonly { readonly name: string; readonly comment: string }[] };
}

/** Rooms with those they may import, as the layer check has them. */
async function checkedRooms(): Promise<Readonly<Record<string, string>>> {
  const layers = (await import(pathToFileURL(path.resolve('.dependency-cruiser.mjs')).href)) as Layers;
  const rooms: Record<string, string> = {};
  for (const { name, comment } of layers.default.forbidden) {
    const room = /^rooms-(\w+)$/.exec(name)?.[1] ?? '';
    const allowed = / may import (.*)$/.exec(comment)?.[1];
    if (room !== '' && allowed !== undefined && existsSync(`src/${room}`))
      rooms[room] = allowed.replace('nothing of ours', 'nothing');
  }
  return rooms;
}

test('ARCHITECTURE.md › what a room knows of is what the layer check lets it import', async (t) => {
  const rows = [...page.matchAll(/^\| `src\/(\w+)` \|.*\| (.*) \|$/gm)];
  const drawn = Object.fromEntries(rows.map(([, room = '', allowed = '']) => [room, allowed.replaceAll('`', '')]));
  const { cli, ...others } = drawn;
  t.is(cli, 'src/index.ts, as any user does');
  const { cli: _cli, ...checked } = await checkedRooms();
  t.deepEqual(others, checked);
});

test('ARCHITECTURE.md › every path that it names is there', (t) => {
  const named = [...page.matchAll(/`((?:src|workers|bench|test)\/[\w./-]*)`/g)].map(([, place = '']) => place);
  t.true(named.length > 40);
  t.deepEqual(
    named.filter((place) => !existsSync(place)),
    [],
  );
});

test('ARCHITECTURE.md › watches come from the bus: beside it only a request from outside opens one at the API server', (t) => {
  const files = globSync('src/**/*.ts').filter((file) => !/^src\/(?:apiserver|bus|requests)\//.test(file));
  t.true(files.length > 300);
  t.deepEqual(
    files.filter((file) => /\bserver\)?\.watch\(/i.test(readFileSync(file, 'utf8'))),
    [],
  );
});

test('ARCHITECTURE.md › a folder holds at most 25 files; those that hold more are named', (t) => {
  const counts = new Map<string, number>();
  for (const file of globSync('{src,workers,bench,test}/**', { withFileTypes: true })) {
    if (!file.isFile() || file.parentPath.includes('node_modules')) continue;
    const folder = path.relative('.', file.parentPath);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const crowded = [...counts].flatMap(([folder, count]) => (count > 25 ? [folder] : []));
  t.deepEqual(
    crowded.filter((folder) => !page.includes(`\`${folder}\` holds more`)),
    [],
  );
});
