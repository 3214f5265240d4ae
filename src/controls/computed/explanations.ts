/** Explanations of where pods were placed, and why others wait: one for each pod that the scheduler has tried to place. */
import { keyOf, type Pod } from '../../api/objects/objects.js';
import { OWN_GROUP } from '../../api/objects/plain-kinds.js';
import { listen } from '../../bus/rx/listen.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import type { ComputedEntry, ComputedSource } from '../../requests/computed-requests.js';
import type { ControlParts } from '../control-parts.js';
import type { AttemptExplanation, PodExplanation } from '../../scheduler/explain/explanation.js';

/** What knows of attempts to place pods. */
export interface Explainer {
  explain(podKey: string): PodExplanation | undefined;
  isExplained(podKey: string): boolean;
}

/** The source of the resource `explanations`. */
export function explanations(
  { server, lookout, kernel: { timestamps } }: Pick<ControlParts, 'server' | 'lookout' | 'kernel'>,
  explainer: Explainer,
): ComputedSource {
  const entryOf = (pod: Pod): ComputedEntry => ({
    metadata: pod.metadata,
    object: () => explanationOf(pod, explainer.explain(keyOf(pod)), timestamps),
  });
  return {
    entries: (namespace) =>
      server
        .list('Pod', { namespace })
        .items.filter((pod) => explainer.isExplained(keyOf(pod)))
        .map(entryOf),
    find: (namespace, name) => {
      const pod = server.find('Pod', { namespace, name });
      return pod !== undefined && explainer.isExplained(keyOf(pod)) ? entryOf(pod) : undefined;
    },
    follow: (listener) => {
      const told = new Map<string, string>();
      const subscription = listen(lookout.watch('Pod'), ({ type, object: pod, by }) => {
        const key = keyOf(pod);
        const before = told.get(key);
        if (type === 'DELETED') {
          if (told.delete(key)) listener('DELETED', entryOf(pod));
          return;
        }
        if (before === verdictOf(pod) || !explainer.isExplained(key)) return;
        told.set(key, verdictOf(pod));
        // What stands already is told when the watch begins; a list has it.
        if (by !== undefined) listener(before === undefined ? 'ADDED' : 'MODIFIED', entryOf(pod));
      });
      return () => subscription.unsubscribe();
    },
  };
}

/** Changes when the scheduler has decided again. */
function verdictOf({ spec, status }: Pod): string {
  const condition = status.conditions?.find(({ type }) => type === 'PodScheduled');
  return `${spec.nodeName ?? ''} ${condition?.status ?? ''} ${condition?.message ?? ''}`;
}

function explanationOf(pod: Pod, explanation: PodExplanation | undefined, timestamps: Timestamps): object {
  const { name, namespace, uid, resourceVersion, creationTimestamp, labels } = pod.metadata;
  const attempts = explanation?.attempts ?? [];
  const last = attempts.at(-1);
  return {
    apiVersion: `${OWN_GROUP}/v1alpha1`,
    kind: 'Explanation',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp, ...(labels === undefined ? {} : { labels }) },
    ...(last === undefined ? {} : { outcome: last.outcome }),
    ...(last?.node === undefined ? {} : { node: last.node }),
    ...(last?.message === undefined ? {} : { message: last.message }),
    attempts: attempts.map((attempt) => attemptOf(attempt, timestamps)),
  };
}

function attemptOf({ pod: _pod, atMs, way, ...attempt }: AttemptExplanation, timestamps: Timestamps): object {
  return { ...attempt, time: timestamps.toTime(atMs), way: `${way.way}: ${way.reason}` };
}
