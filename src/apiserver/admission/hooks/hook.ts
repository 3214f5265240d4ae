/** Webhooks as the chain asks them: those of stored configurations, and functions of the program. */
import type { StatusDetails } from '../../../api/errors/api-error.js';
import type { StoredWebhook } from '../../../api/admission/admission-types.js';

/** What a webhook is asked: the `request` of an AdmissionReview. */
export type ReviewRequest = Readonly<Record<string, unknown>>;

/** The `response` of an AdmissionReview, with its patch as a list of operations. */
export interface HookAnswer {
  readonly allowed: boolean;
  readonly status?: {
    readonly code?: number;
    readonly reason?: string;
    readonly message?: string;
    readonly details?: StatusDetails;
  };
  readonly warnings?: readonly string[];
  /** Operations of RFC 6902, of a mutating webhook. */
  readonly patch?: readonly object[];
  /** In place of a patch: the object as it is to be. */
  readonly object?: object;
}

/** One webhook with its place in the order. */
export interface Hook {
  readonly phase: 'mutating' | 'validating';
  /** Of its configuration: hooks are asked in the order of these names. */
  readonly configuration: string;
  readonly webhook: StoredWebhook;
  /** How long its answers take in simulated time. @defaultValue the cluster's */
  readonly latencyMs?: number | undefined;
  /** Of a function of the program. */
  readonly handle?:
    | ((request: ReviewRequest) => HookAnswer | undefined | void | PromiseLike<HookAnswer | undefined | void>)
    | undefined;
}

/** What a call came to. */
export type CallOutcome = { readonly answer: HookAnswer } | { readonly failure: string };

/** What a webhook in a pod answers, and how long it is at it. */
export interface PodOutcome {
  readonly outcome: CallOutcome;
  /** In simulated time. */
  readonly takesMs: number;
}

/** Asks webhooks over the network. */
export interface HookCaller {
  /** Asks one that a container of the cluster serves; `undefined` = it is none of these. */
  callPod(webhook: StoredWebhook, request: ReviewRequest, phase: Hook['phase']): PodOutcome | undefined;
  /** Never rejects: what goes wrong is told in Go's words. */
  call(webhook: StoredWebhook, request: ReviewRequest, phase: Hook['phase']): Promise<CallOutcome>;
}

/**
 * Lets the time of a call pass, and settles when it has.
 *
 * @param latencyMs - in simulated time, once it is answered
 * @param isWithin - the call stays within the cluster, whose time it takes even where that is the time outside
 */
export type HookWait = <T>(work: Promise<T>, latencyMs: number, isWithin?: boolean) => Promise<T>;

/** Converts a custom object to another version, at once or later; the version itself is set for it. */
export type ConversionFunction = (
  object: Readonly<Record<string, unknown>>,
  desiredAPIVersion: string,
) => object | PromiseLike<object>;

/** The hooks that a program has set up; a list that changes. */
export class ProgramHooks {
  readonly #conversions = new Map<string, ConversionFunction>();
  readonly #hooks: Hook[] = [];
  /** As of a table: changes with every change. */
  readonly table = { revision: 0 };

  get all(): readonly Hook[] {
    return this.#hooks;
  }

  /** The function that converts the objects of a definition. */
  conversion(definition: string): ConversionFunction | undefined {
    return this.#conversions.get(definition);
  }

  /** @returns what takes it away again */
  convert(definition: string, convert: ConversionFunction): () => void {
    this.#conversions.set(definition, convert);
    return () => {
      if (this.#conversions.get(definition) === convert) this.#conversions.delete(definition);
    };
  }

  /** @returns what takes it away again */
  add(hook: Hook): () => void {
    this.#hooks.push(hook);
    this.table.revision += 1;
    return () => {
      const index = this.#hooks.indexOf(hook);
      if (index === -1) return;
      this.#hooks.splice(index, 1);
      this.table.revision += 1;
    };
  }
}
