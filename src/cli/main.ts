#!/usr/bin/env node
/**
 * Starts the command line (program.ts): on a Node that is new enough, with the code that V8 compiled for the run
 * before (in Node's own folder for it; `NODE_DISABLE_COMPILE_CACHE=1` does without).
 */
import module from 'node:module';
import { continueWithMoreRoom } from './heap-limit.js';
import { nodeVersionProblem } from './node-version.js';

const problem = nodeVersionProblem(process.versions.node);
if (problem === undefined) {
  continueWithMoreRoom(process.argv.slice(2));
  module.enableCompileCache();
  const { runProgram } = await import('./program.js');
  process.exitCode = await runProgram(process.argv.slice(2));
} else {
  process.stderr.write(`kubeloom: ${problem}\n`);
  process.exitCode = 2;
}
