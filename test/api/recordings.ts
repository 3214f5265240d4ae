/** Answers of a real API server, beside the repository on machines that have them; never copied here. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Draft } from '../../src/api/objects.js';

/** One request and its answer. */
export interface Recording {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly contentType: string | null;
    readonly body: unknown;
  };
  readonly status: number;
  readonly response: Draft & { readonly message?: string; readonly details?: unknown };
}

/** The recordings of one file; none when the machine has none. */
export function readRecordings(file: string): readonly Recording[] {
  const place = path.join(process.cwd(), '..', 'shared', 'observations', `${file}.jsonl`);
  if (!existsSync(place)) return [];
  const lines = readFileSync(place, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Recording);
}
