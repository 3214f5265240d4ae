/** How often each verdict stands among the first `count`; a walk's verdicts come in long runs of one. */
export function tallyOf(verdicts: Int32Array, count: number): ReadonlyMap<number, number> {
  const tally = new Map<number, number>();
  let begin = 0;
  for (let index = 1; index <= count; index += 1) {
    const verdict = verdicts[begin] as number;
    if (index < count && verdicts[index] === verdict) continue;
    tally.set(verdict, (tally.get(verdict) ?? 0) + index - begin);
    begin = index;
  }
  return tally;
}
