/**
 * Lets nodes fail during a test (pkg/chaos/nodes.go): again and again a share of the nodes that take pods, each once,
 * goes dark, and boots when its downtime is over or the monkey ends.
 */
import type { RandomStream } from '../../kernel/random.js';
import type { LoadPlayer } from '../player/load-player.js';
import type { ChaosMonkeySettings } from './load-config.js';

/** A failure or a boot. */
interface ChaosEvent {
  readonly atMs: number;
  readonly action: 'stopService' | 'rebootNode';
  readonly node: string;
}

/** See the file header. */
export class ChaosMonkey {
  readonly events: ChaosEvent[] = [];
  /** Nodes that failed already, or are left alone. */
  readonly #spared: Set<string>;
  readonly #player: LoadPlayer;
  readonly #settings: ChaosMonkeySettings;
  readonly #random: RandomStream;
  #isStopped = false;
  #onStop: () => void = () => undefined;
  readonly #stopped: Promise<void>;
  readonly #ended: Promise<void>;

  constructor(player: LoadPlayer, settings: ChaosMonkeySettings, random: RandomStream) {
    this.#player = player;
    this.#settings = settings;
    this.#random = random;
    this.#spared = new Set(settings.excludedNodes);
    this.#stopped = new Promise((resolve) => {
      this.#onStop = resolve;
    });
    this.#ended = this.#run();
  }

  /** Lets nodes that are down boot, and no further one fail. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#player.clock.settle();
    this.#onStop();
    await this.#ended;
  }

  /** What it did, a line each. */
  summary(): readonly string[] {
    return this.events.map(
      ({ atMs, action, node }) => `At ${this.#player.timestampOf(atMs)} ${action} happened for node ${node}`,
    );
  }

  async #run(): Promise<void> {
    while (true) {
      await this.#pause(this.#jittered());
      if (this.#isStopped) return;
      await this.#fail(this.#pick());
    }
  }

  #pick(): readonly string[] {
    const nodes = this.#player.cluster
      .list('Node')
      .filter(
        ({ metadata, spec }) =>
          !this.#spared.has(metadata.name) && spec.unschedulable !== true && (spec.taints ?? []).length === 0,
      )
      .map(({ metadata }) => metadata.name);
    const count = Math.min(nodes.length, Math.ceil(this.#settings.failureRate * nodes.length));
    for (let index = 0; index < count; index += 1) {
      const other = this.#random.int(index, nodes.length - 1);
      [nodes[index], nodes[other]] = [nodes[other] ?? '', nodes[index] ?? ''];
    }
    return nodes.slice(0, count);
  }

  async #fail(nodes: readonly string[]): Promise<void> {
    const faults = nodes.map((node) => {
      this.#spared.add(node);
      this.events.push({ atMs: this.#player.nowMs, action: 'stopService', node });
      return this.#player.cluster.faults.powerOff(node);
    });
    await this.#pause(this.#settings.simulatedDowntimeMs);
    faults.forEach((fault, index) => {
      this.events.push({ atMs: this.#player.nowMs, action: 'rebootNode', node: nodes[index] ?? '' });
      fault.heal();
    });
  }

  #pause(ms: number): Promise<void> {
    return Promise.race([this.#player.sleep(ms), this.#stopped]);
  }

  #jittered(): number {
    const { intervalMs, jitterFactor } = this.#settings;
    return intervalMs * (1 + this.#random.unit() * (jitterFactor > 0 ? jitterFactor : 1));
  }
}
