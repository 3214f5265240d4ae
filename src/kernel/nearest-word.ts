/** More changes than that, and a word was not meant. */
const MOST_CHANGES = 2;

/** The word that was probably meant: the first that is nearest, by letters put in, left out or changed. */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let fewest = Math.min(MOST_CHANGES, Math.floor(word.length / 2)) + 1;
  for (const each of known) {
    if (Math.abs(each.length - word.length) >= fewest) continue;
    const changes = changesBetween(word.toLowerCase(), each.toLowerCase());
    if (changes >= fewest) continue;
    nearest = each;
    fewest = changes;
  }
  return nearest;
}

/** Levenshtein's distance. */
function changesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let taken = 1; taken <= from.length; taken += 1) {
    const next = [taken];
    for (let given = 1; given <= to.length; given += 1) {
      const changed = (row[given - 1] ?? 0) + (from[taken - 1] === to[given - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[given] ?? 0) + 1, (next[given - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
