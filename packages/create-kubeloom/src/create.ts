#!/usr/bin/env node
/** `npm create kubeloom [folder]` is `kubeloom init [folder]`, with the version of kubeloom that npm finds. */
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

const found = findPackageJSON('kubeloom', import.meta.url);
if (found === undefined) throw new Error('kubeloom is not installed beside create-kubeloom');
const { bin } = JSON.parse(readFileSync(found, 'utf8')) as { readonly bin: { readonly kubeloom: string } };
process.argv.splice(2, 0, 'init');
await import(new URL(bin.kubeloom, pathToFileURL(found)).href);
