import { Subject, type Observable } from 'rxjs';

/** Something that a user should know of what was asked for. */
export interface TimedWarning {
  /** Simulated time, ms. */
  readonly atMs: number;
  /** As kubectl prints it. */
  readonly text: string;
}

/** What a user is told of requests that were served all the same, as kubectl prints it. */
export class Warnings {
  readonly #subject = new Subject<TimedWarning>();
  readonly #nowMs: () => number;
  #isServerMuted = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get all$(): Observable<TimedWarning> {
    return this.#subject.asObservable();
  }

  /** Whether anything listens. */
  get isObserved(): boolean {
    return this.#subject.observed;
  }

  tell(text: string): void {
    this.#subject.next({ atMs: this.#nowMs(), text });
  }

  /** Passes on what the API server warns of. */
  readonly ofServer = (warning: string): void => {
    if (!this.#isServerMuted) this.tell(`Warning: ${warning}`);
  };

  /** Does work of which the API server's warnings are not passed on: it has looked for their causes by itself. */
  withoutServer<T>(work: () => T): T {
    this.#isServerMuted = true;
    try {
      return work();
    } finally {
      this.#isServerMuted = false;
    }
  }

  complete(): void {
    this.#subject.complete();
  }
}
