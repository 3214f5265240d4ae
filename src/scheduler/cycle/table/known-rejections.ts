import type { ScanVerdicts } from './kept-failures.js';
import { tellRejected, type RejectionListener } from '../attempt/rejection-listener.js';
import { copyRing } from '../attempt/ring.js';
import type { ScanRequest } from './scan-request.js';
import type { VerdictStatuses } from '../attempt/verdict-statuses.js';

/** The outcome of a scan that rejects every node, known without making it, as it is in the order of the scan. */
export class KnownRejections {
  readonly #known: ScanVerdicts;
  readonly #request: ScanRequest;

  constructor(known: ScanVerdicts, request: ScanRequest) {
    this.#known = known;
    this.#request = request;
  }

  tell(statuses: VerdictStatuses, listener: RejectionListener): void {
    const { verdicts, tally } = this.#known;
    const { candidates, count, start } = this.#request;
    tellRejected({ slots: candidates, verdicts, count, start }, statuses, listener, tally);
  }

  /** Writes the nodes and the verdicts on them down. */
  spellOut(rejected: Int32Array, rejectedVerdicts: Int32Array): void {
    const { verdicts } = this.#known;
    const { candidates, count, start } = this.#request;
    copyRing(candidates, count, start, rejected, count);
    copyRing(verdicts, count, start, rejectedVerdicts, count);
  }
}
