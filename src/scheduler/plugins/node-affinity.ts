import {
  compileNodeSelector,
  preferredNodeAffinity,
  requiredNodeAffinity,
  type CompiledNodeSelector,
  type NodeMatcher,
  type PreferredNodeTerm,
} from '../../api/selectors/node-affinity.js';
import type { AnyObject, core, Node, Pod, StringMap } from '../../api/objects/objects.js';
import { ActionType, onEvent, QueueingHint, type ClusterEventWithHint } from '../framework/cluster-event.js';
import { StateKey, type CycleState, type StateData } from '../framework/cycle-state.js';
import type {
  ColumnFilter,
  ColumnScore,
  FilterPlugin,
  PreFilterPlugin,
  PreFilterResult,
  PreScorePlugin,
  ScorePlugin,
} from '../framework/interface.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { NodeInfo } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';
import type { PodShape } from '../framework/pod-shape.js';
import { Code, createStatus, type Status } from '../framework/status.js';
import { defaultNormalize } from './default-normalize.js';

const NAME = 'NodeAffinity';
const SKIP = createStatus(Code.Skip, NAME);
const REJECTED = createStatus(
  Code.UnschedulableAndUnresolvable,
  NAME,
  "node(s) didn't match Pod's node affinity/selector",
);
const NOT_ENFORCED = createStatus(
  Code.UnschedulableAndUnresolvable,
  NAME,
  "node(s) didn't match scheduler-enforced node affinity",
);
const CONFLICT = createStatus(Code.UnschedulableAndUnresolvable, NAME, 'pod affinity terms conflict');
const STATUSES: readonly Status[] = [NOT_ENFORCED, REJECTED];

/** NodeAffinityArgs: affinity that every pod of the profile has besides its own. */
export interface NodeAffinityArgs {
  readonly addedAffinity?: core.NodeAffinity | undefined;
}

/** Terms of which all that matters is whether they look at names, too. */
interface NamedTerms {
  readonly matchFields?: readonly unknown[] | undefined;
}

class PreFilterState implements StateData {
  /** @param required - absent = the pod itself requires nothing */
  constructor(readonly required: NodeMatcher | undefined) {}

  clone(): PreFilterState {
    return this;
  }
}

class PreScoreState implements StateData {
  constructor(readonly terms: readonly PreferredNodeTerm[]) {}

  clone(): PreScoreState {
    return this;
  }
}

const PRE_FILTER = new StateKey<PreFilterState>('PreFilterNodeAffinity');
const PRE_SCORE = new StateKey<PreScoreState>('PreScoreNodeAffinity');
const NO_TERMS: readonly PreferredNodeTerm[] = [];

/** Node selectors and node affinity. Upstream: plugin NodeAffinity of kube-scheduler v1.34. */
export class NodeAffinity implements PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin {
  readonly name = NAME;
  readonly filterScope = 'node';
  readonly heedsPods = false;
  readonly goesByOutline = true;
  readonly scoreScope = 'node';
  readonly normalizesByExtremes = true;
  readonly #addedAffinity: core.NodeAffinity | undefined;
  readonly #addedRequired: CompiledNodeSelector | undefined;
  readonly #addedPreferred: readonly PreferredNodeTerm[];

  constructor({ addedAffinity }: NodeAffinityArgs = {}) {
    this.#addedAffinity = addedAffinity;
    const required = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    this.#addedRequired = required === undefined ? undefined : compileNodeSelector(required);
    this.#addedPreferred =
      addedAffinity === undefined
        ? NO_TERMS
        : (preferredNodeAffinity({ affinity: { nodeAffinity: addedAffinity } }) ?? NO_TERMS);
  }

  answersByShape(): boolean {
    return true;
  }

  preFilter(state: CycleState, { shape }: PodInfo): PreFilterResult | undefined {
    const required = requiredBy(shape);
    if (required === undefined && this.#addedRequired === undefined) return { status: SKIP };
    state.write(PRE_FILTER, new PreFilterState(required));
    const nodeNames = required?.nodeNames;
    if (nodeNames === undefined) return undefined;
    return nodeNames.size === 0 ? { status: CONFLICT } : { nodeNames };
  }

  filter(state: CycleState, pod: PodInfo, { name, node }: NodeInfo): Status | undefined {
    const required = requiredOf(state, pod);
    const labels = node?.metadata.labels;
    if (this.#addedRequired?.matches(labels, name) === false) return NOT_ENFORCED;
    return required?.matches(labels, name) === false ? REJECTED : undefined;
  }

  /** Judges each set of labels once; each node only if some term looks at names. */
  compileFilter(state: CycleState, pod: PodInfo, columns: NodeColumns): ColumnFilter {
    const added = this.#addedRequired;
    const required = requiredOf(state, pod);
    const usesNames = this.#requiresNames(pod);
    const judge = (labels: StringMap | undefined, name: string): number => {
      if (added?.matches(labels, name) === false) return 1;
      return required?.matches(labels, name) === false ? 2 : 0;
    };
    const codes: number[] = [];
    return {
      filter(slots, count, verdicts, base) {
        const { labelSet } = columns.arrays;
        const { labelSets } = columns.tables;
        for (let index = 0; index < count; index += 1) {
          const slot = slots[index] as number;
          const set = labelSet[slot] as number;
          const code = usesNames
            ? judge(labelSets[set], columns.names[slot] ?? '')
            : (codes[set] ??= judge(labelSets[set], ''));
          if (code !== 0 && verdicts[slot] === 0) verdicts[slot] = base + code;
        }
      },
      statusOf: (code) => STATUSES[code - 1] as Status,
    };
  }

  preScore(state: CycleState, { shape }: PodInfo): Status | undefined {
    const preferred = preferredBy(shape);
    if (preferred === undefined && this.#addedPreferred.length === 0) return SKIP;
    state.write(PRE_SCORE, new PreScoreState([...this.#addedPreferred, ...(preferred ?? NO_TERMS)]));
    return undefined;
  }

  score(state: CycleState, _pod: PodInfo, { name, node }: NodeInfo): number {
    return sumWeights(state.read(PRE_SCORE)?.terms ?? NO_TERMS, node?.metadata.labels, name);
  }

  compileScore(state: CycleState, pod: PodInfo, columns: NodeColumns): ColumnScore {
    const terms = state.read(PRE_SCORE)?.terms ?? NO_TERMS;
    const usesNames = this.#prefersNames(pod);
    const sums: number[] = [];
    return {
      score(slots, count, raw) {
        const { labelSet } = columns.arrays;
        const { labelSets } = columns.tables;
        for (let index = 0; index < count; index += 1) {
          const slot = slots[index] as number;
          const set = labelSet[slot] as number;
          raw[slot] = usesNames
            ? sumWeights(terms, labelSets[set], columns.names[slot] ?? '')
            : (sums[set] ??= sumWeights(terms, labelSets[set], ''));
        }
      },
    };
  }

  normalizeScore(_state: CycleState, _pod: PodInfo, scores: Float64Array): undefined {
    defaultNormalize(scores, false);
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      onEvent('Node', ActionType.Add | ActionType.UpdateNodeLabel, (pod, oldObject, newObject) =>
        this.#afterNodeChange(pod, oldObject, newObject),
      ),
    ];
  }

  #afterNodeChange(pod: Pod, oldObject: AnyObject | undefined, newObject: AnyObject | undefined): QueueingHint {
    const required = requiredNodeAffinity(pod.spec);
    const matches = (object: AnyObject | undefined): boolean => {
      const { name, labels } = (object as Node).metadata;
      return this.#addedRequired?.matches(labels, name) !== false && required?.matches(labels, name) !== false;
    };
    if (!matches(newObject)) return QueueingHint.Skip;
    return oldObject === undefined || !matches(oldObject) ? QueueingHint.Queue : QueueingHint.Skip;
  }

  #requiresNames({ shape }: PodInfo): boolean {
    return [shape.spec.affinity?.nodeAffinity, this.#addedAffinity].some((affinity) =>
      affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms.some(looksAtNames),
    );
  }

  #prefersNames({ shape }: PodInfo): boolean {
    return [shape.spec.affinity?.nodeAffinity, this.#addedAffinity].some((affinity) =>
      affinity?.preferredDuringSchedulingIgnoredDuringExecution?.some(({ preference }) => looksAtNames(preference)),
    );
  }
}

function requiredOf(state: CycleState, { shape }: PodInfo): NodeMatcher | undefined {
  const known = state.read(PRE_FILTER);
  return known === undefined ? requiredBy(shape) : known.required;
}

type Required = ReturnType<typeof requiredNodeAffinity>;
type Preferred = ReturnType<typeof preferredNodeAffinity>;

const requiredByShape = new WeakMap<PodShape, Required>();
const preferredByShape = new WeakMap<PodShape, Preferred>();

/** What pods of a shape require, compiled once. */
function requiredBy(shape: PodShape): Required {
  const { nodeSelector, affinity } = shape.spec;
  if (nodeSelector === undefined && affinity?.nodeAffinity === undefined) return undefined;
  let required = requiredByShape.get(shape);
  if (required === undefined) {
    required = requiredNodeAffinity(shape.spec);
    requiredByShape.set(shape, required);
  }
  return required;
}

/** What pods of a shape prefer, compiled once. */
function preferredBy(shape: PodShape): Preferred {
  if (shape.spec.affinity?.nodeAffinity === undefined) return undefined;
  let preferred = preferredByShape.get(shape);
  if (preferred === undefined) {
    preferred = preferredNodeAffinity(shape.spec);
    preferredByShape.set(shape, preferred);
  }
  return preferred;
}

function looksAtNames({ matchFields }: NamedTerms): boolean {
  return (matchFields ?? []).length > 0;
}

function sumWeights(terms: readonly PreferredNodeTerm[], labels: StringMap | undefined, name: string): number {
  let sum = 0;
  for (const term of terms) if (term.matches(labels, name)) sum += term.weight;
  return sum;
}
