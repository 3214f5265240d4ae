/** `1h02m03.004s`: simulated time since its beginning. */
export function clockText(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = ((ms % 60_000) / 1000).toFixed(3);
  if (hours > 0) return `${hours}h${String(minutes).padStart(2, '0')}m${seconds.padStart(6, '0')}s`;
  return minutes > 0 ? `${minutes}m${seconds.padStart(6, '0')}s` : `${seconds}s`;
}
