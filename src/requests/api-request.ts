/** What comes in and goes out of the room: a request of the Kubernetes API without a transport, and its answer. */

import type { RemoteService } from '../api/aggregation/remote-service.js';
import type { RequestUser } from '../apiserver/store/request-context.js';

export type { RequestUser };

/** What roles that are bound to a user allow, or everything. */
export type AuthorizationMode = 'RBAC' | 'AlwaysAllow';

/** The user of requests that name none: the administrator. */
export const ADMINISTRATOR: RequestUser = {
  name: 'admin',
  uid: 'admin',
  groups: ['system:masters', 'system:authenticated'],
};

/** A body as text (JSON or YAML, by its content type), or already decoded (from protobuf). */
export type RequestBody = { readonly text: string } | { readonly value: unknown };

/** A request of the Kubernetes API. */
export interface ApiRequest {
  /** `GET`, `POST`, `PUT`, `PATCH`, `DELETE`, `HEAD`. */
  readonly method: string;
  /** As it was sent, without the query: `/api/v1/namespaces/default/pods`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By lower-case name; those of interest are `accept`, `content-type`, `user-agent`, `if-none-match`. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: RequestBody | undefined;
  /** How it is decided what the user may do. @defaultValue as the room is set up */
  readonly authorization?: AuthorizationMode | undefined;
  /** @defaultValue the administrator: `admin` of `system:masters` */
  readonly user?: RequestUser | undefined;
}

/** Headers of an answer, by lower-case name; several of one name are a list. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>;

/** One line of a watch. */
export interface WatchFrame {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  /** As its client sees it; made when it is asked for, since a change may wait for its reader for long. */
  readonly object: object;
  /** What the object is made of, where other watches show the very same: their texts are written once. */
  readonly shared?: { readonly stored: object; readonly form: object } | undefined;
}

/** A watch that runs. */
export interface OpenWatch {
  close(): void;
  /** The frame that says how far the watch has come; for transports that tell it at times, where it is allowed. */
  bookmark(): WatchFrame;
  /**
   * What has been renewed since it was asked last, of kinds whose renewals are computed when they are read; for
   * transports that tell it at times. Absent for other kinds.
   */
  readonly renewed?: (() => readonly WatchFrame[]) | undefined;
}

/** One object, written as a whole. */
export interface ObjectAnswer {
  readonly type: 'object';
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly value: object;
  /** Whether upstream writes it for people, whatever was asked for. */
  readonly isIndented?: true;
  /** Whether upstream keeps its text, which is then the same for everyone. */
  readonly isMadeBefore?: true;
}

/** Many objects, so that a transport can write them in slices: `head` with one more field, the list. */
export interface ListAnswer {
  readonly type: 'list';
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** All fields but the list. */
  readonly head: object;
  readonly field: 'items' | 'rows';
  readonly length: number;
  /** The element at an index, made when it is asked for; the objects behind it never change. */
  element(index: number): object;
}

/** Text that is no Kubernetes object. */
export interface TextAnswer {
  readonly type: 'text';
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
  /** Of a request that is for a server behind a service: a transport that reaches it asks there instead. */
  readonly remote?: RemoteTarget;
}

/** Where a request would go, and for whom. */
export interface RemoteTarget {
  readonly service: RemoteService;
  readonly user: Pick<RequestUser, 'name' | 'uid' | 'groups' | 'extra'>;
}

/** Nothing but a status. */
export interface EmptyAnswer {
  readonly type: 'empty';
  readonly status: number;
  readonly headers: AnswerHeaders;
}

/** A watch, opened by the transport when its headers are out. */
export interface WatchAnswer {
  readonly type: 'watch';
  readonly status: 200;
  readonly headers: AnswerHeaders;
  /** After which the transport ends it; absent = it chooses. */
  readonly timeoutSeconds?: number | undefined;
  readonly allowsBookmarks: boolean;
  /**
   * Tells the present state where it is asked for, then every change. `sink` is called inside the writing request: it
   * must only note the frame.
   */
  open(sink: (frame: WatchFrame) => void): OpenWatch;
}

/** A stream of a node, which the transport plays: `log`, `exec`, `attach`, `portforward`, `proxy`. */
export interface StreamAnswer {
  readonly type: 'stream';
  readonly verb: StreamVerb;
  readonly namespace: string | undefined;
  /** Of the pod, the service or the node. */
  readonly name: string;
  readonly resource: 'pods' | 'services' | 'nodes';
  /** What follows `proxy` in the path. */
  readonly rest: string;
}

export type StreamVerb = 'log' | 'exec' | 'attach' | 'portforward' | 'proxy';

/** What is answered to a request. */
export type ApiAnswer = ObjectAnswer | ListAnswer | TextAnswer | EmptyAnswer | WatchAnswer | StreamAnswer;
