import { CsvError, parse } from 'csv-parse/sync';
import type { SourcePosition } from './input-error.js';

/** One row of a table: texts by column, and where it stands. */
export interface CsvRow {
  readonly source: SourcePosition;
  text(column: string): string;
}

/**
 * Reads a CSV text with a header line.
 *
 * @param columns - columns that must be there; others are ignored
 * @param refuse - makes the error that is thrown at the first fault
 */
export function readCsv(
  text: string,
  source: string,
  columns: readonly string[],
  refuse: (position: SourcePosition, field: string, problem: string) => Error,
): CsvRow[] {
  const [header, ...rows] = records(text, (line, problem) => refuse(`${source}:${line}`, '', problem));
  if (header === undefined)
    throw refuse(`${source}:1`, '', `the table is empty, must have columns ${columns.join(', ')}`);
  const indexes = new Map(header.record.map((column, index) => [column, index]));
  for (const column of columns) {
    if (!indexes.has(column)) {
      throw refuse(`${source}:${header.line}`, `column ${column}`, `is missing, got ${header.record.join(', ')}`);
    }
  }
  return rows.map(({ record, line }) => ({
    source: `${source}:${line}`,
    text: (column) => record[indexes.get(column) ?? -1] ?? '',
  }));
}

interface CsvRecord {
  readonly record: readonly string[];
  /** Line on which the record ends, counted from 1. */
  readonly line: number;
}

function records(text: string, refuse: (line: number, problem: string) => Error): CsvRecord[] {
  const lines: number[] = [];
  try {
    const table: string[][] = parse(text, {
      bom: true,
      trim: true,
      skip_empty_lines: true,
      on_record: (record: string[], { lines: line }) => {
        lines.push(line);
        return record;
      },
    });
    return table.map((record, index) => ({ record, line: lines[index] ?? 0 }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw refuse(typeof error['lines'] === 'number' ? error['lines'] : lines.length + 1, error.message);
  }
}
