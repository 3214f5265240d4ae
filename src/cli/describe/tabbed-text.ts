/**
 * Text in columns as kubectl prints it: a cell ends with a tab, and cells of one column that stand on
 * consecutive lines are equally wide. Follows the rules of Go's text/tabwriter with a padding of two.
 */
export class TabbedText {
  readonly #lines: string[][] = [];

  /** Adds one line. @param level - indents by two spaces each */
  line(level: number, ...cells: readonly string[]): void {
    const [first = '', ...rest] = cells;
    this.#lines.push(['  '.repeat(level) + first, ...rest]);
  }

  toString(): string {
    const lines = this.#lines.map((cells) => [...cells]);
    align(lines, 0, lines.length, 0);
    return lines.map((cells) => `${cells.join('').trimEnd()}\n`).join('');
  }
}

const PADDING = 2;

/** Widens the cells of one column, block by block, and then, within each block, those of the next. */
function align(lines: string[][], from: number, to: number, column: number): void {
  let start = from;
  while (start < to) {
    if (!hasCell(lines[start], column)) {
      start += 1;
      continue;
    }
    let end = start;
    while (end < to && hasCell(lines[end], column)) end += 1;
    const block = lines.slice(start, end);
    const width = Math.max(...block.map((cells) => cells[column]?.length ?? 0)) + PADDING;
    for (const cells of block) cells[column] = (cells[column] ?? '').padEnd(width);
    align(lines, start, end, column + 1);
    start = end;
  }
}

/** The last cell of a line belongs to no column. */
function hasCell(cells: readonly string[] | undefined, column: number): boolean {
  return cells !== undefined && column < cells.length - 1;
}
