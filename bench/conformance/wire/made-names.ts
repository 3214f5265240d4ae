/** Which objects the commands of a recording make themselves. */
import { isObject, type Json } from '../recorded-lines.js';
import type { RecordedCommand } from './wire-recording.js';

/** Names of what the recorded commands made. */
export function madeNames(commands: readonly RecordedCommand[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { exchanges, argv } of commands) {
    for (const { method, answer, path } of exchanges) {
      if ((method !== 'POST' && method !== 'PATCH') || answer.status !== 201) continue;
      const name = nameOf(answer.body) ?? (method === 'PATCH' ? path.split('/').at(-1) : undefined);
      if (name !== undefined) names.add(name);
      else for (const word of argv) names.add(word);
    }
  }
  return names;
}

function nameOf(body: Json): string | undefined {
  const metadata = isObject(body) ? body['metadata'] : undefined;
  const name = isObject(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}
