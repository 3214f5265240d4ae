/** The probe manager of one machine's kubelet: it watches containers, and knows when its process began. */
import type { Container } from '../../api/objects/objects.js';
import type { RandomStream } from '../../kernel/random.js';
import { ProbedContainer, READY_AT_ONCE, UnprobedContainer, type ContainerProbes } from './container-probes.js';
import type { ProbeBehaviour } from './probe-answers.js';
import { hasProbes } from './probe-settings.js';

/** See the file header. */
export class ProbeManager {
  readonly #openRandom: () => RandomStream;
  #random: RandomStream | undefined;
  #kubeletStartMs = 0;

  /** @param openRandom - opens the stream of the random sleeps */
  constructor(openRandom: () => RandomStream) {
    this.#openRandom = openRandom;
  }

  /** The kubelet's process begins: the workers of its first pods are to be spread. */
  restart(nowMs: number): void {
    this.#kubeletStartMs = nowMs;
  }

  /**
   * Begins to watch a container of a pod that has arrived. A worker makes its first attempt at once; if the
   * kubelet began less than a period ago, after a random part of the period.
   */
  watch(container: Container, { startDelay = 0, readinessDelay = 0 }: ProbeBehaviour, nowMs: number): ContainerProbes {
    if (hasProbes(container)) return new ProbedContainer(container, (periodMs) => this.#firstTickMs(periodMs, nowMs));
    return startDelay === 0 && readinessDelay === 0 ? READY_AT_ONCE : new UnprobedContainer();
  }

  #firstTickMs(periodMs: number, nowMs: number): number {
    if (periodMs <= nowMs - this.#kubeletStartMs) return nowMs;
    this.#random ??= this.#openRandom();
    return nowMs + Math.floor(this.#random.unit() * periodMs);
  }
}
