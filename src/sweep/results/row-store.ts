/**
 * The folder of a sweep: rows as they come, a line each, and beside them which job was played where. What is there
 * already is not played again, whichever shard has left it; a run that was played twice must have come out the same.
 * Of each run no more is held than where its row lies.
 */
import { appendFileSync, closeSync, mkdirSync, openSync, readdirSync, readSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { OptionError } from '../../options/option-error.js';
import type { Execution, Job } from '../job.js';
import type { Shard } from '../shard.js';
import { eachLine } from './lines.js';
import { lockFile } from './lock-file.js';
import type { Mismatch, SweepRow } from './row.js';

/** What a sweep is about, as far as its rows go. */
export interface RowScope {
  /** By variant. */
  readonly hashes: readonly string[];
  readonly firstSeed: number;
  readonly seeds: number;
  readonly program: string;
}

/** A line of the file of jobs. */
interface Receipt extends Execution {
  readonly job: string;
  readonly hash: string;
  readonly seeds: readonly number[];
}

const ROWS = /^rows(?:-\d+-of-\d+)?\.ndjson$/;
const NOWHERE = -1;

/** See the file header. */
export class RowStore {
  readonly #folder: string;
  readonly #scope: RowScope;
  readonly #variants: ReadonlyMap<string, number>;
  /** Names of the files of rows; the own one is the first. */
  readonly #files: string[];
  readonly #handles = new Map<string, number>();
  /** By variant and seed. */
  readonly #offsets: Float64Array;
  readonly #lengths: Uint32Array;
  readonly #fileOf: Uint16Array;
  readonly #mismatches: Mismatch[] = [];
  readonly #release: () => void;
  #ownEnd = 0;
  #count = 0;
  #checked = 0;

  /** @throws OptionError for rows of another program, and for a file that another process writes */
  constructor(folder: string, scope: RowScope, shard: Shard | undefined) {
    this.#folder = folder;
    this.#scope = scope;
    this.#variants = new Map(scope.hashes.map((hash, index) => [hash, index]));
    const runs = scope.hashes.length * scope.seeds;
    this.#offsets = new Float64Array(runs).fill(NOWHERE);
    this.#lengths = new Uint32Array(runs);
    this.#fileOf = new Uint16Array(runs);
    const own = shard === undefined ? 'rows.ndjson' : `rows-${shard.index}-of-${shard.count}.ndjson`;
    mkdirSync(folder, { recursive: true });
    const others = readdirSync(folder).filter((name) => ROWS.test(name) && name !== own);
    this.#files = [own, ...(shard === undefined ? others.toSorted() : [])];
    this.#release = lockFile(this.#path(0));
    try {
      this.#files.forEach((_, index) => this.#load(index));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Runs whose rows are there. */
  get count(): number {
    return this.#count;
  }

  /** Runs that were played a second time. */
  get checked(): number {
    return this.#checked;
  }

  get mismatches(): readonly Mismatch[] {
    return this.#mismatches;
  }

  has(variant: number, seed: number): boolean {
    return this.#offsets[this.#indexOf(variant, seed)] !== NOWHERE;
  }

  /** Keeps the rows of a job; those that were there before are held against them. */
  add(job: Job, hash: string, lines: readonly string[], execution: Execution): void {
    const fresh: string[] = [];
    const variant = this.#variants.get(hash) ?? 0;
    job.seeds.forEach((seed, index) => {
      const line = lines[index] ?? '';
      const run = this.#indexOf(variant, seed);
      if (this.#offsets[run] !== NOWHERE) return this.#compare(run, line, execution);
      const length = Buffer.byteLength(line);
      this.#keep(run, 0, this.#ownEnd, length);
      this.#ownEnd += length + 1;
      fresh.push(`${line}\n`);
    });
    const receipt: Receipt = { job: job.id, hash, seeds: job.seeds, ...execution };
    appendFileSync(this.#path(0), fresh.join(''));
    appendFileSync(this.#path(0, 'jobs'), `${JSON.stringify(receipt)}\n`);
  }

  /** The row of a run; `undefined` = it was not played. */
  line(variant: number, seed: number): string | undefined {
    const run = this.#indexOf(variant, seed);
    return this.#offsets[run] === NOWHERE ? undefined : this.#read(run);
  }

  close(): void {
    this.#release();
    for (const handle of this.#handles.values()) closeSync(handle);
    this.#handles.clear();
  }

  #indexOf(variant: number, seed: number): number {
    return variant * this.#scope.seeds + (seed - this.#scope.firstSeed);
  }

  #path(file: number, kind: 'rows' | 'jobs' = 'rows'): string {
    const name = this.#files[file] ?? '';
    return join(this.#folder, kind === 'rows' ? name : name.replace('rows', 'jobs'));
  }

  #load(file: number): void {
    const path = this.#path(file);
    const { firstSeed, seeds, program } = this.#scope;
    const end = eachLine(path, (line, offset) => {
      const row = parseRow(line);
      if (row === undefined) return;
      const variant = this.#variants.get(row.hash);
      if (variant === undefined || row.seed < firstSeed || row.seed >= firstSeed + seeds) return;
      if (row.program !== program) {
        throw new OptionError(
          'out',
          `a folder without rows of another program (${path} has some of kubeloom ${row.program}, this is ${program})`,
          this.#folder,
        );
      }
      const run = this.#indexOf(variant, row.seed);
      if (this.#offsets[run] === NOWHERE) return this.#keep(run, file, offset, Buffer.byteLength(line));
      this.#compare(run, line, this.#executionOf(file, row));
    });
    // A line that was cut off when the program ended is played again.
    if (file === 0 && end !== undefined) {
      truncateSync(path, end);
      this.#ownEnd = end;
    }
  }

  #keep(run: number, file: number, offset: number, length: number): void {
    this.#offsets[run] = offset;
    this.#lengths[run] = length;
    this.#fileOf[run] = file;
    this.#count += 1;
  }

  #compare(run: number, line: string, execution: Pick<Execution, 'machine' | 'node'>): void {
    this.#checked += 1;
    const before = this.#read(run);
    if (before === line) return;
    const [first, second] = [parseRow(before), parseRow(line)];
    if (first === undefined || second === undefined) return;
    const { machine, node } = execution;
    this.#mismatches.push({
      variant: first.variant,
      seed: first.seed,
      runs: [
        { traceHash: first.traceHash, ...this.#executionOf(this.#fileOf[run] ?? 0, first) },
        { traceHash: second.traceHash, machine, node },
      ],
    });
  }

  /** Looked up when it is asked for, which is when something is wrong. */
  #executionOf(file: number, { hash, seed }: SweepRow): Pick<Execution, 'machine' | 'node'> {
    let found = { machine: 'unknown', node: 'unknown' };
    eachLine(this.#path(file, 'jobs'), (line) => {
      const receipt = JSON.parse(line) as Receipt;
      const isIt = receipt.hash === hash && receipt.seeds.includes(seed);
      if (isIt && found.machine === 'unknown') found = { machine: receipt.machine, node: receipt.node };
    });
    return found;
  }

  #read(run: number): string {
    const path = this.#path(this.#fileOf[run] ?? 0);
    const handle = this.#handles.get(path) ?? openSync(path, 'r');
    this.#handles.set(path, handle);
    const bytes = Buffer.alloc(this.#lengths[run] ?? 0);
    readSync(handle, bytes, 0, bytes.length, this.#offsets[run] ?? 0);
    return bytes.toString('utf8');
  }
}

/** `undefined` for a line that is none, as one that was cut off. */
function parseRow(line: string): SweepRow | undefined {
  try {
    return JSON.parse(line) as SweepRow;
  } catch {
    return undefined;
  }
}
