/** How the columns of a kind's table are described. */
import type { Cell, CellTime, Fields } from './cells.js';

/** The table of a kind. */
export interface KindTable {
  /**
   * Columns, separated by `|`: the name, `*` for those of `-o wide`, and after a colon `i` integer, `b` boolean or `d`
   * date where it is no text, `s` for a text named `Name` that is not told to be a name. Or the columns as they are told.
   */
  readonly columns: string | readonly ColumnDefinition[];
  readonly cells: (object: Fields, time: CellTime) => readonly Cell[];
  /** Whether cells are made of stored objects, whose zeros may be left out: of kinds of which there are many. */
  readonly readsStored?: true;
}

/** A column as clients see it. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

const TYPES: Readonly<Record<string, string>> = { i: 'integer', b: 'boolean', d: 'date' };

/** The definitions of a table's columns. */
export function columnDefinitions(columns: string | readonly ColumnDefinition[]): readonly ColumnDefinition[] {
  if (typeof columns !== 'string') return columns;
  return columns.split('|').map((column) => {
    const [shown = '', type = ''] = column.split(':');
    const isWide = shown.endsWith('*');
    const name = isWide ? shown.slice(0, -1) : shown;
    return {
      name,
      type: TYPES[type] ?? 'string',
      format: name === 'Name' && type === '' ? 'name' : '',
      description: '',
      priority: isWide ? 1 : 0,
    };
  });
}
