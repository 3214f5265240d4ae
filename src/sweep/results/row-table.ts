/** The rows of a sweep as a table of SQLite: `runs`, with a column for each metric. */
import { rmSync } from 'node:fs';
import type { FieldValues } from '../plan/draw-values.js';
import type { SweepRow } from './row.js';

/** Takes rows in. */
export interface RowTable {
  readonly add: (row: SweepRow, set: FieldValues) => void;
  readonly end: () => void;
}

const COLUMNS =
  'variant TEXT NOT NULL, hash TEXT NOT NULL, fields TEXT NOT NULL, seed INTEGER NOT NULL, program TEXT NOT NULL, ' +
  'passed INTEGER NOT NULL, problem TEXT, trace_hash TEXT, metrics TEXT NOT NULL, PRIMARY KEY (hash, seed)';

/** Replaces the file. Node's own SQLite is loaded when it is asked for. */
export async function openRowTable(path: string): Promise<RowTable> {
  const { DatabaseSync } = await import('node:sqlite');
  rmSync(path, { force: true });
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE runs (${COLUMNS}) STRICT; BEGIN`);
  const insert = database.prepare('INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const names = new Set<string>();
  return {
    add: ({ variant, hash, seed, program, passed, problem, traceHash, metrics }, set) => {
      for (const name of Object.keys(metrics)) names.add(name);
      const texts = [JSON.stringify(set), JSON.stringify(metrics)] as const;
      insert.run(variant, hash, texts[0], seed, program, passed ? 1 : 0, problem, traceHash, texts[1]);
    },
    end: () => {
      // Which metrics there are is known at the end.
      for (const name of names) {
        const field = `$."${name}"`.replaceAll("'", "''");
        database.exec(
          `ALTER TABLE runs ADD COLUMN "${name.replaceAll('"', '""')}" REAL GENERATED ALWAYS AS (json_extract(metrics, '${field}')) VIRTUAL`,
        );
      }
      database.exec('COMMIT');
      database.close();
    },
  };
}
