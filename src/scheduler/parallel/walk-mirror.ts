import type { Pod } from '../../api/objects/objects.js';
import { Outline } from '../cycle/attempt/outline.js';
import { Walk } from '../cycle/walk/walk.js';
import { WalkMemory } from '../cycle/walk/walk-memory.js';
import type { Framework } from '../framework/framework.js';
import type { Snapshot } from '../framework/interface.js';
import { PodInfo } from '../framework/pod-info.js';
import { Claim } from './claim.js';
import { WALK_LENGTH, type JudgeTask, type WalkNews } from './judge-task.js';

const DEFAULT_SCHEDULER = 'default-scheduler';

/** Memory for a walk, with the claim to it. */
interface Block {
  readonly memory: WalkMemory;
  readonly claim: Claim;
}

type WalkNumbers = readonly [outline: number, block: number, ticket: number];

/** The worker's side of walks ahead: makes whole walks over the shared columns and writes down what they find. */
export class WalkMirror {
  readonly #snapshot: Snapshot;
  /** By scheduler name. */
  readonly #frameworks: ReadonlyMap<string, Framework>;
  readonly #walk = new Walk();
  /** By outline id; absent values are outlines for which no walk can be made. */
  readonly #outlines = new Map<number, Outline | undefined>();
  #blocks: Block[] = [];

  constructor(snapshot: Snapshot, frameworks: ReadonlyMap<string, Framework>) {
    this.#snapshot = snapshot;
    this.#frameworks = frameworks;
  }

  /** Makes the walks that nobody else has begun with. */
  run({ walkNews, walks }: JudgeTask): void {
    this.#learn(walkNews);
    for (let first = 0; first < walks.length; first += WALK_LENGTH) {
      const [outline, block, ticket] = walks.subarray(first, first + WALK_LENGTH) as unknown as WalkNumbers;
      const { memory, claim } = this.#blocks[block] as Block;
      if (!claim.take(ticket)) continue;
      let isDone = false;
      try {
        isDone = this.#make(this.#outlines.get(outline), memory);
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
      this.#blocks.push({ memory: new WalkMemory(capacity, memory), claim: new Claim(claim) });
  }

  #outlineOf(pod: Pod): Outline | undefined {
    const framework = this.#frameworks.get(pod.spec.schedulerName ?? DEFAULT_SCHEDULER);
    return framework === undefined ? undefined : Outline.of(framework, new PodInfo(pod), this.#snapshot);
  }

  /** `false` when it takes more than a walk. */
  #make(outline: Outline | undefined, memory: WalkMemory): boolean {
    const { columns } = this.#snapshot;
    if (outline?.catchUp(columns) !== true) return false;
    const walk = this.#walk;
    memory.readDemand(walk.demand);
    walk.begin(columns, outline);
    walk.tell(memory, outline.addition);
    return true;
  }
}
