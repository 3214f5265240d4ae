/**
 * Where it is chosen in which way a pod is decided: from the shortest way to the longest, the first that stands for
 * all plugins that have something to say. A way that does not steps aside before it has changed anything.
 */
import { MAX_SHORT_WALK } from './attempt/tuning.js';
import { WAYS, type TakenWay } from './attempt/way.js';

/** What is known of an attempt before anything is done for it. */
export interface WayFacts {
  /** Nodes in the cluster, and how many feasible ones are enough. */
  readonly nodeCount: number;
  readonly target: number;
  /** The reference was asked for. */
  readonly isPlain: boolean;
  /** The pod names a node: it shares nothing with its shape. */
  readonly namesNode: boolean;
  /** The pod itself is nominated to a node. */
  readonly isNominated: boolean;
  /** Pods are nominated to nodes, which counts on these. */
  readonly hasNominations: boolean;
}

/**
 * What PreFilter and the nominated node leave to be done: nothing, as PreFilter has refused the pod (`refused`) or the
 * nominated node has taken it (`nominated`); a scan of some nodes (`narrowed`), or of all, of which one has a verdict
 * already (`judged`) or none (`open`).
 */
export type Prepared = 'refused' | 'nominated' | 'narrowed' | 'judged' | 'open';

/** Goes ways. */
export interface WayScan {
  /** Goes a way up to the feasible nodes; `false` when it steps aside. */
  tries(way: TakenWay): boolean;
}

/** What an attempt can be asked to do. */
export interface WaySteps extends WayScan {
  /** Runs PreFilter, and asks the nominated node. */
  prepare(): Prepared;
  /** Whether the shape comes up for the first time; asked once, as from then on it does not. */
  isFirst(): boolean;
}

/** Chooses a way and goes it, up to the feasible nodes. */
export function chooseWay(facts: WayFacts, steps: WaySteps): TakenWay {
  const { nodeCount, target, isPlain, namesNode, isNominated, hasNominations } = facts;
  if (nodeCount === 0) return WAYS.noNodes;
  const goesByShape = !isPlain && !namesNode;
  const isAlone = goesByShape && !hasNominations;
  if (isAlone && !isNominated && steps.tries(WAYS.knownTotals)) return WAYS.knownTotals;
  const prepared = steps.prepare();
  if (prepared === 'refused') return WAYS.decidedByPreFilter;
  if (prepared === 'nominated') return WAYS.nominatedNode;
  if (isAlone && prepared === 'open') {
    if (target <= MAX_SHORT_WALK) {
      if (steps.tries(WAYS.shortWalk)) return WAYS.shortWalk;
    } else if (steps.isFirst() && steps.tries(WAYS.firstOfShape)) return WAYS.firstOfShape;
  }
  const scanned = chooseScan(steps);
  if (prepared === 'narrowed') return WAYS.decidedByPreFilter;
  if (goesByShape) return scanned;
  return isPlain ? WAYS.asked : WAYS.namesNode;
}

/** The part of {@link chooseWay} that writes nodes down: what is kept for the shape, and at last the plugins. */
export function chooseScan(scan: WayScan): TakenWay {
  if (scan.tries(WAYS.knownRejections)) return WAYS.knownRejections;
  if (scan.tries(WAYS.knownGroups)) return WAYS.knownGroups;
  scan.tries(WAYS.pluginsByNode);
  return WAYS.pluginsByNode;
}
