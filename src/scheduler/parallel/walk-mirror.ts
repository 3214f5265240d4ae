import type { Pod } from '../../api/objects/objects.js';
import { noDemand } from '../cycle/attempt/pod-demand.js';
import { WalkPlan } from '../cycle/walk/walk-plan.js';
import { NodeRows } from '../cycle/walk/node-rows.js';
import { NodeWalk } from '../cycle/walk/node-walk.js';
import { OutlineFacts } from '../cycle/walk/outline-facts.js';
import { RowScores } from '../cycle/walk/row-scores.js';
import { WalkBuffers } from '../cycle/walk/walk-buffers.js';
import { CycleState } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import type { NodeList, Snapshot } from '../framework/interface.js';
import { PodInfo } from '../framework/pod-info.js';
import { Code, codeOf } from '../framework/status.js';
import { Claim } from './claim.js';
import { WALK_LENGTH, type JudgeTask, type WalkNews } from './judge-task.js';

const DEFAULT_SCHEDULER = 'default-scheduler';

/** What is known of the pods of one outline. */
interface Outline {
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly facts: OutlineFacts;
}

/** Memory for a walk, with the claim to it. */
interface Block {
  readonly buffers: WalkBuffers;
  readonly claim: Claim;
}

type WalkNumbers = readonly [outline: number, block: number, ticket: number, start: number];

/** The worker's side of walks ahead: makes whole walks over the shared columns and writes down what they find. */
export class WalkMirror {
  readonly #snapshot: Snapshot & NodeList;
  /** By scheduler name. */
  readonly #frameworks: ReadonlyMap<string, Framework>;
  readonly #rows = new NodeRows();
  readonly #scores = new RowScores(this.#rows);
  readonly #walk = new NodeWalk();
  readonly #demand = noDemand();
  /** By outline id; absent values are outlines for which no walk can be made. */
  readonly #outlines = new Map<number, Outline | undefined>();
  #blocks: Block[] = [];

  constructor(snapshot: Snapshot & NodeList, frameworks: ReadonlyMap<string, Framework>) {
    this.#snapshot = snapshot;
    this.#frameworks = frameworks;
  }

  /** Makes the walks that nobody else has begun with. */
  run({ walkNews, walks }: JudgeTask): void {
    this.#learn(walkNews);
    if (walks.length > 0) this.#rows.catchUp(this.#snapshot.columns);
    for (let first = 0; first < walks.length; first += WALK_LENGTH) {
      const [outline, block, ticket, start] = walks.subarray(first, first + WALK_LENGTH) as unknown as WalkNumbers;
      const { buffers, claim } = this.#blocks[block] as Block;
      if (!claim.take(ticket)) continue;
      let isDone = false;
      try {
        isDone = this.#make(outline, start, buffers);
      } finally {
        claim.close(ticket, isDone);
      }
    }
  }

  #learn({ isAnew, outlines, blocks }: WalkNews): void {
    if (isAnew) {
      this.#outlines.clear();
      this.#blocks = [];
    }
    for (const [id, text] of outlines) this.#outlines.set(id, this.#outlineOf(JSON.parse(text) as Pod));
    const { capacity } = this.#snapshot.columns;
    for (const [memory, claim] of blocks)
      this.#blocks.push({ buffers: new WalkBuffers(capacity, memory), claim: new Claim(claim) });
  }

  #outlineOf(pod: Pod): Outline | undefined {
    const framework = this.#frameworks.get(pod.spec.schedulerName ?? DEFAULT_SCHEDULER);
    const plan = framework === undefined ? undefined : WalkPlan.of(framework);
    if (framework === undefined || plan === undefined) return undefined;
    const info = new PodInfo(pod);
    const state = new CycleState();
    const { status } = framework.runPreFilter(state, info, this.#snapshot);
    if (codeOf(status) !== Code.Success || !plan.coversFilters(state)) return undefined;
    // Whether scores that workers do not have count is for the engine to see.
    const skipped = new Set(plan.otherScores);
    for (const plugin of framework.preScores) {
      if (codeOf(plugin.preScore(state, info, this.#snapshot)) === Code.Skip) skipped.add(plugin.name);
    }
    state.skippedScores = skipped;
    return { state, pod: info, facts: new OutlineFacts(plan) };
  }

  /** `false` when it takes more than a walk. */
  #make(id: number, start: number, buffers: WalkBuffers): boolean {
    const outline = this.#outlines.get(id);
    if (outline === undefined) return false;
    const { state, pod, facts } = outline;
    const { columns } = this.#snapshot;
    if (!facts.prepareFilters(state, pod, columns)) return false;
    facts.prepareScores(state, pod, columns, this.#snapshot);
    if (facts.hasUntold) return false;
    buffers.readDemand(this.#demand);
    this.#walk.tell(columns, this.#scores, facts, this.#demand, start, buffers);
    return true;
  }
}
