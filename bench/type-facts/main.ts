/**
 * `node dist/bench/type-facts/main.js FACTS`: writes src/api/types/ from a file of facts about the struct tags of the
 * API's Go types (JSON, gzipped or not; one entry a type). What is written is checked in, so that it is needed
 * only when another release is mirrored.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { typeRows } from './type-rows.js';

const HEADER =
  '/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */\n';

const [file = '', folder = 'src/api/types'] = process.argv.slice(2);
const bytes = readFileSync(file);
const byPackage = typeRows(JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()));
mkdirSync(folder, { recursive: true });
for (const [place, rows] of byPackage) {
  const name = place.replace('/', '-');
  const constant = `${name.replaceAll('-', '_').toUpperCase()}_TYPES`;
  writeFileSync(path.join(folder, `${name}.ts`), `${HEADER}export const ${constant} = \`\n${rows.join('\n')}\n\`;\n`);
}
process.stdout.write(`${byPackage.size} packages\n`);
