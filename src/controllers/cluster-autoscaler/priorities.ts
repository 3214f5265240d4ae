import type { ConfigMap } from '../../api/objects/config-objects.js';
import { parse } from 'yaml';

/** Name of the ConfigMap in kube-system that says which groups go before others. */
export const PRIORITIES_NAME = 'cluster-autoscaler-priority-expander';
const KEY = 'priorities';

/** Groups of one priority, by patterns of their names. */
export interface GroupPriority {
  readonly priority: number;
  readonly patterns: readonly RegExp[];
}

function wrong(problem: string): string {
  return `Wrong configuration for priority expander: ${problem}. Ignoring update.`;
}

/** What a ConfigMap says of priorities, or what is wrong with it. */
export function readPriorities({ data }: ConfigMap): readonly GroupPriority[] | string {
  const text = data?.[KEY];
  if (text === undefined) return `Wrong configmap for priority expander, doesn't contain ${KEY} key. Ignoring update.`;
  if (text === '')
    return wrong(`priority configuration in ${PRIORITIES_NAME} configmap is empty; please provide valid configuration`);
  try {
    const read: unknown = parse(text, { mapAsMap: true });
    if (!(read instanceof Map)) return wrong("Can't parse YAML with priorities in the configmap: not a mapping");
    return [...(read as ReadonlyMap<unknown, unknown>)].map(([priority, patterns]) => {
      if (!Number.isInteger(Number(priority)) || !Array.isArray(patterns)) throw new Error('not a list under a number');
      return { priority: Number(priority), patterns: patterns.map((pattern) => new RegExp(String(pattern), 'u')) };
    });
  } catch (error) {
    const problem = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    return wrong(`Can't parse YAML with priorities in the configmap: ${problem}`);
  }
}
