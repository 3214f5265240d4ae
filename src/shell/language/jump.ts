/** `break`, `continue` and `return` on their way to what they leave. */
export class Jump extends Error {
  override readonly name = 'Jump';
  readonly kind: 'break' | 'continue' | 'return';
  /** How many loops. */
  readonly levels: number;
  readonly status: number;

  constructor(kind: Jump['kind'], levels: number, status = 0) {
    super(kind);
    this.kind = kind;
    this.levels = levels;
    this.status = status;
  }
}
