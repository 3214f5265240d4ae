/**
 * How long the rest takes, such as `1m05s`; `?` while nothing is done.
 *
 * @param rate - of what is done, per second
 * @param left - how much there is to do
 */
export function leftText(rate: number, left: number): string {
  if (left === 0) return '0s';
  if (rate === 0) return '?';
  const seconds = Math.ceil(left / rate);
  const parts = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60] as const;
  if (parts[0] > 0) return `${parts[0]}h${String(parts[1]).padStart(2, '0')}m`;
  return parts[1] > 0 ? `${parts[1]}m${String(parts[2]).padStart(2, '0')}s` : `${parts[2]}s`;
}
