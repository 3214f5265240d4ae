/** The promises that a cluster is watched for: one object each, with what was found to break it. */
import { OWN_GROUP } from '../../api/objects/plain-kinds.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import { listen } from '../../bus/rx/listen.js';
import type { InvariantMonitor } from '../../observers/invariants/invariant-monitor.js';
import type { ComputedEntry, ComputedSource } from '../../requests/computed-requests.js';

/** Findings that are shown of each; the first ones tell the most. */
const MOST_FINDINGS = 20;

/** The source of the resource `invariants`; empty where nothing is watched for. */
export function invariants(monitor: InvariantMonitor, timestamps: Timestamps): ComputedSource {
  const entryOf = ({ name, promise }: InvariantMonitor['invariants'][number]): ComputedEntry => ({
    metadata: { name },
    object: () => {
      const found = monitor.violations.filter(({ invariant }) => invariant === name);
      return {
        apiVersion: `${OWN_GROUP}/v1alpha1`,
        kind: 'Invariant',
        metadata: { name, creationTimestamp: timestamps.toTime(0) },
        promise,
        evaluations: monitor.evaluated.get(name) ?? 0,
        violations: found.length,
        ...(found.length === 0 ? {} : { findings: found.slice(0, MOST_FINDINGS).map(findingOf) }),
      };
    },
  });
  const findingOf = ({ atMs, object, text, asked }: (typeof monitor.violations)[number]): object => ({
    time: timestamps.toTime(atMs),
    object,
    text,
    ...(asked === undefined ? {} : { askedBy: asked }),
  });
  const find = (name: string): ComputedEntry | undefined => {
    const found = monitor.invariants.find((each) => each.name === name);
    return found === undefined ? undefined : entryOf(found);
  };
  return {
    entries: () => monitor.invariants.map(entryOf),
    find: (_namespace, name) => find(name),
    follow: (listener) => {
      const subscription = listen(monitor.violations$, ({ invariant }) => {
        const entry = find(invariant);
        if (entry !== undefined) listener('MODIFIED', entry);
      });
      return () => subscription.unsubscribe();
    },
  };
}
