/**
 * The status that the autoscaler writes into the ConfigMap `cluster-autoscaler-status`, as cluster-autoscaler v1.34 has
 * it (`clusterstate/api`, printed by yaml.v2: what is empty and may be left out is).
 */
import type { ClusterState, Readiness } from './cluster-state.js';
import type { Cloud } from './autoscaler-seams.js';

/** Name of the ConfigMap in kube-system. */
export const STATUS_NAME = 'cluster-autoscaler-status';
/** Its annotation with the time of the last write. */
export const LAST_UPDATED = 'cluster-autoscaler.kubernetes.io/last-updated';

const LONGEST_MESSAGE = 500;
const CUT = '<truncated>';

/** What is told in one place, with the time since when it is so. */
interface Told {
  readonly status: string;
  /** `undefined` = since before it was looked at. */
  readonly sinceMs: number | undefined;
}

type Tree = { readonly [key: string]: Value };
type Value = string | number | Tree | readonly Tree[] | undefined;

/** Remembers since when each part of the status is what it is. */
export class StatusReport {
  readonly #told = new Map<string, Told>();
  #candidates: ReadonlyMap<string, number> = new Map();
  #candidatesMs: number | undefined;

  /** How many nodes of each group could go. */
  noteCandidates(candidates: ReadonlyMap<string, number>, nowMs: number): void {
    this.#candidates = candidates;
    this.#candidatesMs = nowMs;
  }

  /** The whole status. @param timeOf - a simulated time as text with nanoseconds */
  write(state: ClusterState, { groups }: Cloud, timeOf: (ms: number) => string): string {
    const nowMs = state.atMs;
    const time = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : quoted(timeOf(ms)));
    const at = (place: string, status: string, probedMs: number | undefined): Tree => {
      const known = this.#told.get(place);
      const sinceMs = known?.status === status ? known.sinceMs : probedMs;
      this.#told.set(place, { status, sinceMs });
      return { lastProbeTime: time(probedMs), lastTransitionTime: time(sinceMs) };
    };
    const scaleDown = (place: string, candidates: number): Tree => {
      const status = candidates > 0 ? 'CandidatesPresent' : 'NoCandidates';
      return { status, candidates: candidates || undefined, ...at(place, status, this.#candidatesMs) };
    };
    const nodeGroups = groups.map(({ id, minSize, maxSize }): Tree => {
      const health = state.isGroupHealthy(id) ? 'Healthy' : 'Unhealthy';
      const readiness = state.readinessOf(id);
      // Upstream dates what it knows of a group's nodes; of a group that has none it knows nothing.
      const probedMs = readiness === undefined ? undefined : nowMs;
      const backOff = state.backOffOf(id, nowMs);
      let scaleUp = 'NoActivity';
      if (state.isScalingUp(id)) scaleUp = 'InProgress';
      else if (health === 'Unhealthy') scaleUp = 'Unhealthy';
      else if (backOff !== undefined) scaleUp = 'Backoff';
      return {
        name: text(id),
        health: {
          status: health,
          nodeCounts: nodeCounts(readiness),
          cloudProviderTarget: state.rangeOf(id)?.target ?? 0,
          minSize,
          maxSize,
          ...at(`${id}/health`, health, probedMs),
        },
        scaleUp: {
          status: scaleUp,
          backoffInfo:
            scaleUp === 'Backoff' && backOff !== undefined
              ? { errorCode: text(backOff.code), errorMessage: text(shortened(backOff.message)) }
              : undefined,
          ...at(`${id}/scaleUp`, scaleUp, probedMs),
        },
        scaleDown: scaleDown(`${id}/scaleDown`, this.#candidates.get(id) ?? 0),
      };
    });
    const health = state.isHealthy ? 'Healthy' : 'Unhealthy';
    const scaleUp = groups.some(({ id }) => state.isScalingUp(id)) ? 'InProgress' : 'NoActivity';
    const all = [...this.#candidates.values()].reduce((sum, count) => sum + count, 0);
    return printed({
      autoscalerStatus: 'Running',
      clusterWide: {
        health: { status: health, nodeCounts: nodeCounts(state.total), ...at('health', health, nowMs) },
        scaleUp: { status: scaleUp, ...at('scaleUp', scaleUp, nowMs) },
        scaleDown: scaleDown('scaleDown', all),
      },
      nodeGroups: nodeGroups.length === 0 ? undefined : nodeGroups,
    });
  }
}

/** The status of an autoscaler that has not looked yet, or that finds nothing to look at. */
export function initialStatus(message: string | undefined): string {
  return printed({ autoscalerStatus: 'Initializing', message: message === undefined ? undefined : text(message) });
}

function nodeCounts(readiness: Readiness | undefined): Tree | undefined {
  if (readiness === undefined) return undefined;
  const { registered, ready, notStarted, deleted, unready, longUnregistered, unregistered } = readiness;
  if (registered + longUnregistered + unregistered === 0) return undefined;
  return {
    registered:
      registered === 0
        ? undefined
        : {
            total: registered,
            ready,
            notStarted: notStarted.length,
            beingDeleted: deleted || undefined,
            unready: unready === 0 ? undefined : { total: unready, resourceUnready: 0 },
          },
    longUnregistered,
    unregistered,
  };
}

function shortened(message: string): string {
  return message.length <= LONGEST_MESSAGE ? message : message.slice(0, LONGEST_MESSAGE - CUT.length) + CUT;
}

function quoted(value: string): string {
  return JSON.stringify(value);
}

/** Plain where YAML takes it for the text that it is. */
function text(value: string): string {
  const isPlain = /^[A-Za-z_/<][^\n:#]*$/.test(value.replaceAll(/:(?=\S)/g, '')) && !/\s$/.test(value);
  return isPlain && !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(value) ? value : quoted(value);
}

function printed(tree: Tree): string {
  return `${linesOf(tree).join('\n')}\n`;
}

function linesOf(tree: Tree): readonly string[] {
  return Object.entries(tree).flatMap(([key, value]): readonly string[] => {
    if (value === undefined) return [];
    if (Array.isArray(value)) {
      const items = (value as readonly Tree[]).flatMap((item) =>
        linesOf(item).map((line, index) => `${index === 0 ? '- ' : '  '}${line}`),
      );
      return [`${key}:`, ...items];
    }
    if (typeof value !== 'object') return [`${key}: ${value}`];
    return [`${key}:`, ...linesOf(value as Tree).map((line) => `  ${line}`)];
  });
}
