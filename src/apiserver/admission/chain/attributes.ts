import type { Kind, KindMap } from '../../../api/objects/objects.js';
import type { ResourceKind } from '../../../api/objects/resource-kind.js';
import type { ApiError } from '../../../api/errors/api-error.js';
import { forbidden } from '../../store/api-errors.js';
import {
  AdmissionPending,
  type BelowObject,
  type RequestAttempts,
  type RequestContext,
  type RequestUser,
} from '../../store/request-context.js';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** What only some requests have. */
export interface AttributeDetails {
  readonly below?: BelowObject | undefined;
  /** As what is deleted makes of those that were stated. @defaultValue the stated ones */
  readonly options?: object | undefined;
  readonly isOneOfMany?: boolean | undefined;
}

/** What plugins see of one request (staging/src/k8s.io/apiserver/pkg/admission/attributes.go, v1.34). */
export class Attributes<K extends Kind> {
  /** As it is to be stored; absent when it is deleted. Plugins of the first phase replace it. */
  object: KindMap[K] | undefined;
  /** Whether the chain of the first phase runs once more, since a webhook has changed the object. */
  mustReinvoke = false;
  /** Whether this is that second run. */
  isReinvoked = false;
  /** Whether this is the second phase: the object has all that the server gives a new one. */
  isFinal = false;
  /** Of the request; undefined for what is in none. */
  readonly namespace: string | undefined;
  /** The object's name, or, as long as none was made for it, the base of it. */
  shownName: string;
  /** Whether the server has made the name, after the first phase as far as plugins can tell. */
  readonly hasDrawnName: boolean;
  /** Whether it is one of a collection that is deleted: the request names none of them. */
  readonly isOneOfMany: boolean;
  readonly below: BelowObject | undefined;
  readonly #given: object | undefined;
  readonly #context: () => RequestContext;
  #found: RequestContext | undefined;

  /** @param context - found out when a plugin asks */
  constructor(
    readonly operation: AdmissionOperation,
    readonly resource: ResourceKind<K>,
    readonly subresource: string,
    object: KindMap[K] | undefined,
    readonly previous: KindMap[K] | undefined,
    shownName: string,
    context: () => RequestContext,
    { below, options, isOneOfMany = false }: AttributeDetails = {},
  ) {
    this.below = below;
    this.#given = options;
    this.isOneOfMany = isOneOfMany;
    this.object = object;
    this.shownName = shownName;
    this.namespace = below === undefined ? (object ?? previous)?.metadata.namespace : below.namespace;
    this.hasDrawnName = operation === 'CREATE' && below === undefined && object?.metadata.name !== shownName;
    this.#context = context;
  }

  get name(): string {
    if (this.isOneOfMany) return '';
    return this.below?.name ?? (this.object ?? this.previous)?.metadata.name ?? this.shownName;
  }

  get context(): RequestContext {
    return (this.#found ??= this.#context());
  }

  /** CreateOptions and the like. */
  get options(): object | undefined {
    return this.#given ?? this.context.options?.();
  }

  get user(): RequestUser {
    return this.context.user;
  }

  get isDryRun(): boolean {
    return this.context.isDryRun;
  }

  /** Of the request; one that has none is tried again with some. @throws AdmissionPending */
  get attempts(): RequestAttempts {
    const { attempts } = this.context;
    if (attempts === undefined) throw new AdmissionPending(Promise.resolve());
    return attempts;
  }

  /** The refusal of this request. */
  refusal(why: string): ApiError {
    return forbidden(this.resource, this.shownName, why);
  }
}
