/**
 * How a kubelet pulls images: one after the other, or so many at a time, in the order in which its pods ask. A pull
 * belongs to the kubelet's process and ends with it, and with the pod that asked for it. Mirrors the kubelet's image
 * pullers with their limit of requests to registries (v1.34 pkg/kubelet/images/puller.go, helpers.go).
 */
import type { Clock, Timer } from '../../kernel/engine/clock.js';
import { TokenBucket, type RateLimit } from '../../kernel/token-bucket.js';
import type { ContainerRuntime } from './container-runtime.js';
import type { ImageStore, PullFailures } from '../images/image-store.js';
import { LateSet } from '../../kernel/late-collections.js';

/** How a kubelet's configuration has images pulled. */
export interface PullSettings {
  /** Pulls that go on at a time; Infinity = however many are wanted. */
  readonly mostAtOnce: number;
  /** Of requests to registries; `undefined` = none. */
  readonly limit: RateLimit | undefined;
}

/** What a puller works with. */
export interface PullerParts {
  readonly clock: Clock;
  readonly images: ImageStore;
  readonly runtime: ContainerRuntime;
  readonly settings: PullSettings;
  /** An image is on the machine that was not there before. */
  readonly onImageKept: () => void;
}

/** What is to be pulled, and what to call then. */
export interface PullOrder {
  readonly image: string;
  readonly failures: PullFailures;
  /** Draws how long it takes, once it is its turn, ms. */
  readonly drawMs: (isPresent: boolean) => number;
  /** Called once it is over. */
  readonly onEnd: () => void;
}

/** A pull that was ordered. */
export interface OrderedPull {
  /** From its turn to its end, ms; 0 until it is over. */
  readonly durationMs: number;
  /** What the runtime says; `undefined` = the image is there, or the pull is not over. */
  readonly error: string | undefined;
  /** Gives the pull up. */
  cancel(): void;
}

/** See the file header. */
export class ImagePuller {
  readonly parts: PullerParts;
  #waiting: Pull[] = [];
  readonly #active = new LateSet<Pull>();
  #bucket: TokenBucket | undefined;

  constructor(parts: PullerParts) {
    this.parts = parts;
  }

  /** Orders a pull; it is never over before this returns. */
  pull(order: PullOrder): OrderedPull {
    const pull = new Pull(this, order);
    this.#waiting.push(pull);
    this.#next();
    return pull;
  }

  /** The kubelet's process ends, and every pull with it. */
  stop(): void {
    this.#waiting = [];
    for (const pull of [...this.#active]) pull.cancel();
    this.#bucket = undefined;
  }

  /** @internal whether the limit allows one more request to registries now */
  mayAsk(): boolean {
    const { clock, settings } = this.parts;
    if (settings.limit === undefined) return true;
    this.#bucket ??= new TokenBucket(settings.limit);
    return this.#bucket.tryTake(clock.now());
  }

  /** @internal a pull is over, or was given up */
  leave(pull: Pull): void {
    this.#waiting = this.#waiting.filter((other) => other !== pull);
    if (this.#active.delete(pull)) this.#next();
  }

  /** @internal whether another pull of the image goes on */
  isPulling(image: string): boolean {
    for (const pull of this.#active) if (pull.image === image) return true;
    return false;
  }

  #next(): void {
    while (this.#active.size < this.parts.settings.mostAtOnce) {
      const pull = this.#waiting.shift();
      if (pull === undefined) return;
      this.#active.add(pull);
      pull.begin();
    }
  }
}

interface PullOutcome {
  readonly tookMs: number;
  readonly error: string | undefined;
}

/** The runtime is not even asked. */
const TOO_MANY: PullOutcome = { tookMs: 0, error: 'pull QPS exceeded' };

class Pull implements OrderedPull {
  durationMs = 0;
  error: string | undefined;
  readonly #puller: ImagePuller;
  readonly #order: PullOrder;
  #timer: Timer | undefined;

  constructor(puller: ImagePuller, order: PullOrder) {
    this.#puller = puller;
    this.#order = order;
  }

  get image(): string {
    return this.#order.image;
  }

  /** It is its turn. */
  begin(): void {
    const { clock } = this.#puller.parts;
    const { tookMs, error } = this.#puller.mayAsk() ? this.#ask(clock.now()) : TOO_MANY;
    this.#timer = clock.schedule(tookMs, () => this.#end(tookMs, error));
  }

  cancel(): void {
    if (this.#timer !== undefined) this.#puller.parts.clock.cancel(this.#timer);
    this.#puller.leave(this);
    if (this.#timer !== undefined && !this.#puller.isPulling(this.image)) this.#puller.parts.images.abandon(this.image);
    this.#timer = undefined;
  }

  #ask(nowMs: number): PullOutcome {
    const { images, runtime } = this.#puller.parts;
    const { image, failures, drawMs } = this.#order;
    if (images.has(image)) return { tookMs: drawMs(true), error: undefined };
    const { endMs, error } = images.pull(image, nowMs, failures, () => drawMs(false));
    const { pullDelayMs, pullError } = runtime;
    if (pullDelayMs > 0 || pullError !== undefined) runtime.meet('pullImage');
    return { tookMs: endMs + pullDelayMs - nowMs, error: pullError ?? error };
  }

  #end(tookMs: number, error: string | undefined): void {
    const { images, clock, onImageKept } = this.#puller.parts;
    this.#timer = undefined;
    this.durationMs = tookMs;
    this.error = error;
    if (error === undefined && images.keep(this.image, clock.now())) onImageKept();
    this.#puller.leave(this);
    this.#order.onEnd();
  }
}
