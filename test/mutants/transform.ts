/** TypeScript to JavaScript, in a process of its own: a JSON list of sources comes in, one of modules goes out. */
import { readFileSync } from 'node:fs';
import { transformSync } from '@swc/core';

const sources = JSON.parse(readFileSync(0, 'utf8')) as readonly string[];
const modules = sources.map((source) => {
  const { code } = transformSync(source, {
    configFile: false,
    swcrc: false,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2024' },
    module: { type: 'es6' },
  });
  return code;
});
process.stdout.write(JSON.stringify(modules));
