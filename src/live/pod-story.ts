/** What a page tells of a node's pods, and of one pod: its course so far, and why it is where it is. */
import type { Pod } from '../api/objects/objects.js';
import type { Cluster } from '../cluster/cluster.js';
import { stateOf } from './cluster-map.js';

/** One line of a pod's course. */
export interface StoryLine {
  /** Simulated seconds; `null` = it has no moment. */
  readonly atSeconds: number | null;
  readonly text: string;
}

/** A pod's course, and the decisions about it. */
export interface PodStory {
  readonly pod: string;
  readonly node: string | null;
  readonly state: string;
  readonly course: readonly StoryLine[];
  /** The scheduler's attempts, a line each. */
  readonly decisions: readonly string[];
}

/** Pods of a node by what they do; without a node those that wait for one. */
export function podsOf(
  cluster: Cluster,
  node: string | undefined,
): readonly { readonly pod: string; readonly state: string }[] {
  const fieldSelector = `spec.nodeName=${node ?? ''}`;
  return cluster.list('Pod', { fieldSelector }).map((pod) => ({ pod: keyOf(pod), state: stateOf(pod) }));
}

/** @throws ApiError NotFound */
export function storyOf(cluster: Cluster, key: string): PodStory {
  const pod = cluster.get('Pod', key);
  const { metadata, spec, status } = pod;
  const at = (time: string | undefined): number | null =>
    time === undefined ? null : (new Date(time).getTime() - cluster.epochMs) / 1000;
  const course: StoryLine[] = [
    { atSeconds: at(metadata.creationTimestamp), text: 'created' },
    ...(status?.conditions ?? []).map(({ type, status: value, reason, message, lastTransitionTime }) => ({
      atSeconds: at(lastTransitionTime),
      text: `${type} is ${value}${[reason, message]
        .filter(Boolean)
        .map((each) => `: ${each}`)
        .join('')}`,
    })),
    ...(status?.containerStatuses ?? []).flatMap(({ name, restartCount, state }) => [
      {
        atSeconds: at(state?.running?.startedAt),
        text: `container ${name}: ${Object.keys(state ?? {}).join()}, ${restartCount} restarts`,
      },
    ]),
    ...eventsOf(cluster, pod).map(({ atSeconds, text }) => ({ atSeconds, text })),
    ...(metadata.deletionTimestamp === undefined
      ? []
      : [{ atSeconds: at(metadata.deletionTimestamp), text: 'to be gone by then' }]),
  ];
  return {
    pod: keyOf(pod),
    node: spec.nodeName ?? null,
    state: stateOf(pod),
    course: course.toSorted((a, b) => (a.atSeconds ?? Infinity) - (b.atSeconds ?? Infinity)),
    decisions: decisionsOf(cluster, key),
  };
}

function eventsOf(cluster: Cluster, { metadata }: Pod): readonly StoryLine[] {
  const { namespace = 'default', name } = metadata;
  const events = cluster.list('Event', { namespace, fieldSelector: `involvedObject.name=${name}` });
  return events.map(({ reason, message, lastTimestamp, firstTimestamp, eventTime }) => {
    const time = lastTimestamp ?? firstTimestamp ?? eventTime;
    return {
      atSeconds: time === undefined ? null : (new Date(time).getTime() - cluster.epochMs) / 1000,
      text: `${reason ?? 'event'}: ${message ?? ''}`,
    };
  });
}

function decisionsOf(cluster: Cluster, key: string): readonly string[] {
  const { attempts = [] } = cluster.explain(key) ?? {};
  return attempts.map(({ attempt, atMs, outcome, node, chosenBy, message, nodes, scores }) => {
    const head = `attempt ${attempt} at ${atMs / 1000} s: ${outcome}`;
    if (outcome !== 'placed') return `${head}: ${message ?? ''}`;
    const best = scores.find((each) => each.node === node);
    const parts = best?.plugins.map(({ plugin, weighted }) => `${plugin} ${weighted}`).join(', ') ?? '';
    const why = parts === '' ? '' : `, total ${best?.total}: ${parts}`;
    return `${head} on ${node ?? ''} (${chosenBy ?? ''}, ${nodes.feasible} of ${nodes.visited} nodes that were looked at fit)${why}`;
  });
}

function keyOf({ metadata: { namespace, name } }: Pod): string {
  return `${namespace}/${name}`;
}
