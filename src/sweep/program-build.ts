/**
 * Which program this is: its version, and a digest of its code. Two programs of one version that differ in their code
 * may play a seed differently, and rows of theirs must not be mixed.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programFile } from '../kernel/program-file.js';

const DIGITS = 12;
let known: string | undefined;

/** Such as `0.1.0+3f2a91c0d4e5`. */
export function programBuild(): string {
  known ??= `${version()}+${digest()}`;
  return known;
}

function version(): string {
  const file = findPackageJSON(import.meta.url);
  return file === undefined ? '0' : (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

/** Of all modules that may play a part in a run, by their places. */
function digest(): string {
  const root = fileURLToPath(programFile(''));
  const hash = createHash('sha256');
  for (const folder of ['src', 'workers'].filter((each) => existsSync(join(root, each)))) {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.js'),
    );
    for (const file of files.map((each) => each.replaceAll('\\', '/')).toSorted()) {
      hash.update(`${folder}/${file}\0`).update(readFileSync(join(root, folder, file)));
    }
  }
  return hash.digest('hex').slice(0, DIGITS);
}
