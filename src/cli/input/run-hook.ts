import { spawn } from 'node:child_process';
import type { BurnerOptions } from '../../index.js';

/** The end of what a failed command wrote to standard error, in its message. */
const TOLD_LENGTH = 500;

/** Runs the command of a hook here; what it prints goes to standard error. Rejects unless it ends with 0. */
export const runHook: NonNullable<BurnerOptions['runHook']> = ({ cmd: [program = '', ...args], when, signal }) =>
  new Promise((resolve, reject) => {
    let told = '';
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], signal });
    child.stdout.on('data', (text: Buffer) => process.stderr.write(text));
    child.stderr.on('data', (text: Buffer) => {
      told = `${told}${String(text)}`.slice(-TOLD_LENGTH);
      process.stderr.write(text);
    });
    child.once('error', (error) => reject(new Error(`${program} at ${when}: ${error.message}`)));
    child.once('close', (code, killer) => {
      if (code === 0) resolve();
      else
        reject(new Error(`${program} at ${when} ended with ${code ?? killer}${told === '' ? '' : `: ${told.trim()}`}`));
    });
  });
