/** What admission learns of a request beside its objects, and what an admission that has to wait remembers of it. */

import type { AnyObject, Kind } from '../../api/objects/objects.js';
import type { PolicyRule } from '../../api/rbac/rbac-objects.js';

/** The user of a request, as the authenticator found it. */
export interface RequestUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What the user of a request may do. */
export interface RequestAccess {
  may(question: {
    readonly verb: string;
    readonly group: string;
    readonly resource: string;
    readonly name: string;
    /** Empty outside of namespaces. */
    readonly namespace: string;
  }): boolean;
  /** All rules of the user in a namespace. */
  rules(namespace: string): readonly PolicyRule[];
}

/** Of the request that is being applied. */
export interface RequestContext {
  readonly user: RequestUser;
  /** API group in which it is made; absent = that of the kind. */
  readonly group?: string;
  /** API version of the group; absent = that in which the kind is kept. */
  readonly version?: string;
  /** Absent = everything, as for what the cluster itself does. */
  readonly access?: RequestAccess | undefined;
  /** Whether everything is taken back afterwards. */
  readonly isDryRun: boolean;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions as the request states them. */
  readonly options?: (() => object) | undefined;
  /** Tells the client of what is not quite right, as a header `Warning`. */
  readonly warn: (text: string) => void;
  /** Told of an object that is valid, before plugins judge it: what is odd about it is said also where they refuse it. */
  readonly judged?: (kind: Kind, object: AnyObject, previous?: AnyObject) => void;
  /** What stays the same when the request is tried again; absent = it cannot be. */
  readonly attempts?: RequestAttempts | undefined;
}

/** What is made below an object and stored nowhere, or answered: a binding, a scale, a review, options of a connection. */
export interface BelowObject {
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  /** Empty for what has no name. */
  readonly name: string;
  readonly namespace: string | undefined;
}

/** The resource of a path, as far as plugins look at it. */
export type AskedResource = Readonly<Record<'group' | 'version' | 'kind' | 'plural', string>> & {
  readonly isNamespaced: boolean;
};

/** Such an object once the first phase of admission has seen it. */
export interface AdmittedPart<T> {
  readonly object: T;
  /** The second phase. @throws ApiError, AdmissionPending */
  readonly validate: () => void;
}

/**
 * The attempts of one request: what is drawn at random in the first one is the same in all, so that a plugin is asked
 * about one and the same object, and can keep what it was answered.
 */
export class RequestAttempts {
  /** Answers that plugins keep from attempt to attempt, by keys of their own. */
  readonly memory = new Map<string, unknown>();
  readonly #drawn: unknown[] = [];
  #next = 0;

  /** Another attempt begins. */
  begin(): void {
    this.#next = 0;
  }

  /** What `make` gave at this point of the first attempt. */
  draw<T>(make: () => T): T {
    const index = this.#next;
    this.#next += 1;
    if (index === this.#drawn.length) this.#drawn.push(make());
    return this.#drawn[index] as T;
  }
}

/**
 * Thrown by a plugin that cannot decide yet. Nothing has been written: whatever applies the request waits for
 * `settled` and applies it anew, with the same attempts. What keeps time from passing meanwhile, or has it pass, is
 * the plugin's to arrange.
 */
export class AdmissionPending extends Error {
  /** @param settled - never rejects */
  constructor(readonly settled: Promise<unknown>) {
    super('admission waits for an answer: this call cannot; make the request over a connection that can');
    this.name = 'AdmissionPending';
  }
}
