/** Counts what was compared of a recording, and keeps what differs and what is left out. */
import { compareExchange, type ExchangeVerdict, type OwnObjects, type WireDifference } from './compare-exchange.js';
import type { Outcome } from './kubectl.js';
import { excuse, NOT_RECORDED, PAST, type LeftOutCause } from './left-out.js';
import { madeNames } from './made-names.js';
import { foreignNames, seenBy } from './outputs.js';
import { isOfDiscovery, keyOf } from './request-keys.js';
import { RecordedSender } from './recorded-sender.js';
import type { Exchange } from './recording-proxy.js';
import type { AnsweredExchange } from './send-command.js';
import type { Json } from '../recorded-lines.js';
import type { RecordedCommand, RecordedExchange } from './wire-recording.js';

/** A difference, and in which request, or `kubectl` for what its user saw. */
export interface PlacedDifference extends WireDifference {
  readonly request: string;
}

/** Of one command. */
export interface CommandReport {
  readonly line: number;
  readonly command: string;
  readonly differences: readonly PlacedDifference[];
}

/** How many were compared, and how many were the same. */
export interface Count {
  readonly same: number;
  readonly of: number;
}

/** Of one recording. */
export interface WireReport {
  readonly commands: number;
  readonly requests: number;
  readonly status: Count;
  /** Of answers whose bodies the recording holds. */
  readonly bodies: Count;
  /** What users saw. */
  readonly outputs: Count;
  /** Requests, and outputs of commands, by why they are left out. */
  readonly leftOut: Readonly<Partial<Record<LeftOutCause, number>>>;
  readonly differing: readonly CommandReport[];
}

type Counter = 'status' | 'bodies' | 'outputs';

/** See the file header. */
export class Tally {
  readonly own: OwnObjects;
  /** Collections in which something was to be made. */
  readonly #gaps = new Set<string>();
  readonly #counts: Record<Counter, { same: number; of: number }> = {
    status: { same: 0, of: 0 },
    bodies: { same: 0, of: 0 },
    outputs: { same: 0, of: 0 },
  };
  /** Lines of commands that find another state than was recorded. */
  readonly #past = new Set<number>();
  readonly #leftOut = new Map<LeftOutCause, number>();
  readonly #differing = new Map<number, { command: string; differences: PlacedDifference[] }>();
  readonly #commands: readonly RecordedCommand[];

  constructor(commands: readonly RecordedCommand[], namespace: string) {
    this.#commands = commands;
    this.own = { namespace, made: madeNames(commands) };
  }

  /** A command that is not replayed. */
  leaveOut(command: RecordedCommand, cause: LeftOutCause): void {
    this.#excuse(cause, Math.max(1, command.exchanges.length));
  }

  /** Requests of a command that cannot be sent: what they would have made is not there from now on. */
  leaveGaps({ exchanges }: RecordedCommand): void {
    const gaps = exchanges.filter((exchange) => !RecordedSender.canSend(exchange));
    for (const { path } of gaps) this.#gaps.add(path);
    this.#excuse(NOT_RECORDED, gaps.length);
  }

  addAnswers(command: RecordedCommand, answered: readonly AnsweredExchange[]): void {
    for (const { exchange, verdict } of answered) this.#add(command, exchange, verdict);
  }

  /** What kubectl sent instead, in its own order. */
  addExchanges(command: RecordedCommand, exchanges: readonly Exchange[]): void {
    const left = [...exchanges];
    for (const recorded of command.exchanges) {
      const key = keyOf(recorded);
      const at = left.findIndex((each) => keyOf(each) === key);
      const [ours] = at < 0 ? [] : left.splice(at, 1);
      if (ours !== undefined) this.#add(command, recorded, compareExchange(recorded, ours, this.own));
      else if (!isOfDiscovery(recorded)) {
        this.#add(command, recorded, {
          compared: new Set(['status']),
          differences: [{ field: 'status', recorded: recorded.answer.status, ours: 'not asked for' }],
        });
      }
    }
  }

  /** @param exchanges - what was asked on the way */
  addOutcome(command: RecordedCommand, { stdout, stderr, exit }: Outcome, exchanges: readonly Exchange[]): void {
    const differences: PlacedDifference[] = [];
    const differ = (field: string, recorded: Json, ours: Json): void => {
      differences.push({ request: 'kubectl', field, recorded, ours });
    };
    if (command.exit !== exit) differ('exit', command.exit, `${exit} ${stderr}`);
    const foreign = foreignNames(command, exchanges, this.own);
    const [recorded, ours] = [seenBy(command, command.stdout ?? '', foreign), seenBy(command, stdout, foreign)];
    if (command.stdout !== undefined && recorded !== ours) {
      if (this.#past.has(command.line)) return this.#excuse(PAST, 1);
      differ('stdout', recorded, ours);
    }
    this.#count('outputs', differences.length === 0);
    this.#note(command, differences);
  }

  report(): WireReport {
    const requests = this.#commands.reduce((sum, { exchanges }) => sum + exchanges.length, 0);
    return {
      commands: this.#commands.length,
      requests,
      ...this.#counts,
      leftOut: Object.fromEntries(this.#leftOut),
      differing: [...this.#differing].map(([line, each]) => ({ line, ...each })).toSorted((a, b) => a.line - b.line),
    };
  }

  #add(command: RecordedCommand, exchange: RecordedExchange, { compared, differences }: ExchangeVerdict): void {
    const request = `${exchange.method} ${exchange.path}${exchange.query === '' ? '' : `?${exchange.query}`}`;
    const counting: PlacedDifference[] = [];
    const causes = new Set<LeftOutCause>();
    for (const difference of differences) {
      const known = { made: this.own.made, isIncomplete: this.#isIncomplete(exchange) };
      const cause = excuse(exchange, difference, known);
      if (cause === undefined) counting.push({ request, ...difference });
      else causes.add(cause);
    }
    for (const cause of causes) this.#excuse(cause, 1);
    if (causes.has(PAST)) this.#past.add(command.line);
    if (causes.size > 0 && counting.length === 0) return;
    this.#count('status', !counting.some(({ field }) => field === 'status'));
    if (compared.has('body')) this.#count('bodies', counting.length === 0);
    this.#note(command, counting);
  }

  /** Whether what is asked for is not all there. */
  #isIncomplete({ path }: RecordedExchange): boolean {
    if (this.#gaps.size === 0) return false;
    const isBelow = [...this.#gaps].some((gap) => path.startsWith(gap));
    return isBelow || path.includes(`/namespaces/${this.own.namespace}/`);
  }

  #excuse(cause: LeftOutCause, count: number): void {
    this.#leftOut.set(cause, (this.#leftOut.get(cause) ?? 0) + count);
  }

  #count(counter: Counter, isSame: boolean): void {
    const count = this.#counts[counter];
    count.of += 1;
    if (isSame) count.same += 1;
  }

  #note({ line, argv }: RecordedCommand, differences: readonly PlacedDifference[]): void {
    if (differences.length === 0) return;
    const entry = this.#differing.get(line) ?? { command: argv.join(' '), differences: [] };
    this.#differing.set(line, entry);
    entry.differences.push(...differences);
  }
}
