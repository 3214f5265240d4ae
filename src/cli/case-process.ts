import { fileURLToPath } from 'node:url';

/** The program that runs one case of a bench, beside src; chunks of the bundle lie as deep as this module. */
export const CASE_PROCESS = fileURLToPath(new URL('../../bench/case-process.js', import.meta.url));
