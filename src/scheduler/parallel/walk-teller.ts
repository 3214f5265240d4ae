import { bareShape, WALK_LENGTH, type JudgeTask, type WalkTask } from './judge-task.js';

/** Outlines that a worker keeps. */
const MAX_OUTLINES = 64;

/** Remembers what one worker was told of walks. */
export class WalkTeller {
  #outlines = new Set<number>();
  #blocks = new Map<SharedArrayBuffer, number>();

  /** @param isLayoutNew - memory for other columns is no longer used */
  tell(walks: readonly WalkTask[], isLayoutNew: boolean): Pick<JudgeTask, 'walkNews' | 'walks'> {
    const isAnew = isLayoutNew || this.#outlines.size > MAX_OUTLINES;
    if (isAnew) {
      this.#outlines = new Set();
      this.#blocks = new Map();
    }
    const outlines: [id: number, pod: string][] = [];
    const blocks: [memory: SharedArrayBuffer, claim: SharedArrayBuffer][] = [];
    const messages = new Int32Array(walks.length * WALK_LENGTH);
    for (const [index, { outline, memory, claim, ticket }] of walks.entries()) {
      const { id, pod } = outline;
      if (!this.#outlines.has(id)) {
        this.#outlines.add(id);
        outlines.push([id, JSON.stringify(bareShape(pod))]);
      }
      let block = this.#blocks.get(memory);
      if (block === undefined) {
        block = this.#blocks.size;
        this.#blocks.set(memory, block);
        blocks.push([memory, claim]);
      }
      messages.set([id, block, ticket], index * WALK_LENGTH);
    }
    return { walkNews: { isAnew, outlines, blocks }, walks: messages };
  }
}
