/** Failures of the API as values with Kubernetes' own codes, reasons and texts. */

/** Kubernetes' machine-readable reasons. */
export type StatusReason =
  | 'BadRequest'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Invalid'
  | 'Gone'
  | 'Expired'
  | 'Timeout'
  | 'TooManyRequests'
  | 'Unauthorized'
  | 'ServiceUnavailable'
  | 'RequestEntityTooLarge'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'ServerTimeout';

/** One of several causes of a failure. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** What the failure is about. For 404, 409 and 403 `kind` is the plural resource, for 422 the kind. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** The body that an API server answers with on failure. */
export interface StatusBody {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Record<string, never>;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code: number;
}

/** A request that the API server refused. `message` is Kubernetes' text, word for word. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Where in a user's text the object or the field stands that was refused: `app.yaml:12`. */
  place: string | undefined;

  constructor(
    /** HTTP status code. */
    readonly code: number,
    /** Absent for plain internal errors (500). */
    readonly reason: StatusReason | undefined,
    message: string,
    readonly details?: StatusDetails,
  ) {
    super(message);
  }

  /** The error as the body of an answer. */
  toStatus(): StatusBody {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === undefined ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

/** Whether `error` is an {@link ApiError} with that reason. */
export function isApiError(error: unknown, reason: StatusReason): error is ApiError {
  return error instanceof ApiError && error.reason === reason;
}
