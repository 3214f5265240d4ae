/**
 * The process of one run of one case: its name and the folder of the build come as arguments, the result goes to
 * descriptor 3, since programs that are measured write to the standard ones.
 */
import { readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { SCALE_CASES } from './cases.js';
import { Laps, type Build, type Library, type ScaleResult } from './scale-case.js';

const RESULT = 3;

const [, , name = '', folder = ''] = process.argv;
const chosen = SCALE_CASES.find((each) => each.name === name);
if (chosen === undefined) throw new Error(`case must be one of those that are known, got ${name}`);
const { exports } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
  readonly exports: { readonly '.': { readonly default: string } };
};
const door = pathToFileURL(path.join(folder, exports['.'].default)).href;
const build: Build = { folder, load: () => import(door) as Promise<Library> };
const laps = new Laps();
const traceHash = await chosen.run(build, laps);
const peakRssBytes = process.resourceUsage().maxRSS * 1024;
const result: ScaleResult = { stages: laps.stages, peakRssBytes, traceHash };
writeSync(RESULT, JSON.stringify(result));
process.exit(0);
