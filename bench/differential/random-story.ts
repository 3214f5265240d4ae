/**
 * A random sequence of requests: workloads come, are scaled, changed, disturbed and deleted; equal seeds give equal
 * ones, as long as the cluster answers alike. Which classes of requests were met is told.
 */
import type { RandomStream } from '../../src/kernel/random.js';
import { Dealer } from './dealer.js';
import { OWN_NODE, PRIORITIES, STORAGE_CLASS, VOLUMES } from './drawn-objects.js';
import type { ToldStory } from './recorder.js';
import { REQUEST_CLASSES, type RequestClass, type Stage } from './request-classes.js';

/** After a request: sometimes the next one comes while the controllers are still at work. */
const QUIET_MS = [100, 400, 1200, 1200, 1200];
/** Workloads before anything else. */
const FIRST_CREATIONS = 3;
/** The class that the end of every third story belongs to. */
const NAMESPACE_DELETION = 'delete the namespace';

/** Plays one story; see the file header. */
export class RandomStory {
  /** How many requests were sent of each class. */
  readonly met = new Map<string, number>();
  readonly #stage: Stage;
  readonly #namespace: string;

  constructor(story: ToldStory, random: RandomStream, nodes: readonly string[], namespace: string) {
    this.#stage = { story, dealer: new Dealer(random, story, nodes[0] ?? OWN_NODE), nodes };
    this.#namespace = namespace;
  }

  async play(steps: number): Promise<void> {
    const { story, dealer } = this.#stage;
    await this.#prepare();
    for (let step = 0; step < steps; step += 1) {
      await this.#step(step < FIRST_CREATIONS);
      await story.rest(dealer.pick(QUIET_MS), 8000);
    }
    const isEmptied = dealer.isOneOf(3);
    if (isEmptied) {
      this.#note(NAMESPACE_DELETION);
      await story.del('namespaces', this.#namespace);
    }
    const quietMs = isEmptied ? DELETION_QUIET_MS : END_QUIET_MS;
    await story.rest(hasDeadline(story) ? DEADLINE_QUIET_MS : quietMs, 30_000);
    story.mark('end');
  }

  /** What requests refer to: priority classes, volumes and their class, and in half of the stories a node of its own. */
  async #prepare(): Promise<void> {
    const { story, dealer } = this.#stage;
    for (const [name, value] of Object.entries(PRIORITIES)) {
      const preemptionPolicy = name === 'x-polite' ? 'Never' : 'PreemptLowerPriority';
      await story.create('priorityclasses', { metadata: { name }, value, preemptionPolicy });
    }
    await story.create('storageclasses', {
      metadata: { name: STORAGE_CLASS },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: dealer.pick(['Immediate', 'WaitForFirstConsumer']),
    });
    for (const volume of VOLUMES) await story.create('persistentvolumes', volume);
    if (dealer.isOneOf(2)) {
      const taints = [{ key: 'pool', value: 'own', effect: 'NoSchedule' }];
      await story.ownNode(OWN_NODE, { labels: { pool: 'own' }, taints });
    }
    await story.rest(400, 8000);
  }

  /** Draws classes until one finds something to act on. */
  async #step(isCreation: boolean): Promise<void> {
    for (;;) {
      const drawn = this.#draw();
      if (isCreation && !FIRST.test(drawn.name)) continue;
      const request = drawn.play(this.#stage);
      if (request === undefined) continue;
      this.#note(drawn.name);
      await request;
      return;
    }
  }

  #draw(): RequestClass {
    let left = this.#stage.dealer.unit() * TOTAL_WEIGHT;
    const drawn = REQUEST_CLASSES.find(({ weight }) => {
      left -= weight;
      return left < 0;
    });
    return drawn ?? (REQUEST_CLASSES[0] as RequestClass);
  }

  #note(name: string): void {
    this.met.set(name, (this.met.get(name) ?? 0) + 1);
  }
}

/** Longer than what is looked at minReadySeconds and a second later takes: or the story could end in between. */
const END_QUIET_MS = 3500;
/** Longer than the 5 s for which the namespace controller leaves a namespace as it is. */
const DELETION_QUIET_MS = 7000;
/** Longer than a job may take that may not take for ever. */
const DEADLINE_QUIET_MS = 9500;
const TOTAL_WEIGHT = REQUEST_CLASSES.reduce((sum, { weight }) => sum + weight, 0);
function hasDeadline(story: ToldStory): boolean {
  return story.list('jobs').some(({ spec }) => spec?.activeDeadlineSeconds !== undefined);
}

const FIRST = /^create a (?:deployment|replica set|stateful set|daemon set|job)/;
