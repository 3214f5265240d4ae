import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of the program. */
export const VERSION = (
  JSON.parse(readFileSync(findPackageJSON(import.meta.url) ?? 'package.json', 'utf8')) as { readonly version: string }
).version;
