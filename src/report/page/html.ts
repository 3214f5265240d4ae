/** Text of users in pages. Pure. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as it may stand between tags and in attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Data as it may stand in a script element: nothing in it ends the element, or begins a comment. */
export function scriptData(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/** A cell of a table: numbers and times (text) stand to the right, and are not broken. */
export type Cell = string | number | { readonly html: string } | { readonly time: string };

/** A table with a head; an empty one says so. */
export function tableHtml(head: readonly string[], rows: readonly (readonly Cell[])[], nothing: string): string {
  if (rows.length === 0) return `<p class="nothing">${escapeHtml(nothing)}</p>`;
  const heads = head
    .map(
      (each, column) =>
        `<th scope="col"${isToTheRight(rows[0]?.[column]) ? ' class="number"' : ''}>${escapeHtml(each)}</th>`,
    )
    .join('');
  const body = rows.map((cells) => `<tr>${cells.map(cellHtml).join('')}</tr>`).join('');
  return `<div class="scroll"><table><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}

function isToTheRight(cell: Cell | undefined): boolean {
  return typeof cell === 'number' || (typeof cell === 'object' && 'time' in cell);
}

function cellHtml(cell: Cell): string {
  if (typeof cell === 'number') return `<td class="number">${numberText(cell)}</td>`;
  if (typeof cell === 'object' && 'time' in cell) return `<td class="number">${escapeHtml(cell.time)}</td>`;
  return `<td>${typeof cell === 'string' ? escapeHtml(cell) : cell.html}</td>`;
}

/** Whole thousands are told apart; of small numbers three digits count. */
export function numberText(value: number): string {
  const [whole = '', part] = String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))).split(
    '.',
  );
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, '\u2009');
  return part === undefined ? grouped : `${grouped}.${part}`;
}

/** Simulated time in the largest units that fit: `850 ms`, `12.4 s`, `3 min 20 s`, `5 h 36 min`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${Number(seconds.toFixed(seconds < 10 ? 2 : 1))} s`;
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  if (hours > 0) return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
  return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
}

const ROUND_MS: readonly number[] = [1, 2, 5, 10, 20, 50, 100, 200, 500].concat(
  [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400].map(
    (seconds) => seconds * 1000,
  ),
);

/** Round moments of a length of time, four to eight of them, for an axis. */
export function roundTimes(lengthMs: number): readonly number[] {
  const stepMs = ROUND_MS.find((each) => lengthMs / each < 8) ?? Math.ceil(lengthMs / 8 / 86_400_000) * 86_400_000;
  return Array.from({ length: Math.floor(lengthMs / stepMs) + 1 }, (_, index) => index * stepMs);
}

/** A section with a heading; `about` says what is to be seen in it. */
export function sectionHtml(id: string, title: string, about: string, content: string): string {
  return `<section id="${id}"><h2>${escapeHtml(title)}</h2><p class="about">${escapeHtml(about)}</p>${content}</section>`;
}
