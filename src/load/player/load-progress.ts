/** Where a load stands, as it can be read at any time while it is played. */
export interface LoadStanding {
  /** The step of a test, or the job of a workload, that goes on; empty before the first one. */
  readonly title: string;
  /** Which of them it is, from 1 on, and how many there are. */
  readonly part: number;
  readonly parts: number;
  /** Objects that it writes; 0 = it waits. */
  readonly total: number;
  /** Those that have been written. */
  readonly done: number;
}

/** See {@link LoadStanding}. */
export class LoadProgress implements LoadStanding {
  title = '';
  part = 0;
  parts = 0;
  total = 0;
  done = 0;

  /** The first of so many parts is still to come. */
  restart(parts: number): void {
    Object.assign(this, { title: '', part: 0, parts, total: 0, done: 0 });
  }

  next(title: string): void {
    Object.assign(this, { title, part: this.part + 1, total: 0, done: 0 });
  }
}
