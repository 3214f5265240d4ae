/**
 * A container that computes: its files, its processes, its log, the commands that are run in it. Its time is the
 * cluster's: it is run when something of it is due, and asks to be run again. It knows its container and its pod, and
 * nothing of restarts, probes or statuses.
 */
import type { Container, Pod } from '../../api/objects/objects.js';
import type { Clock, Timer } from '../../kernel/engine/clock.js';
import type { RandomStream } from '../../kernel/random.js';
import { FileError } from '../../shell/files/file-error.js';
import { bytesOf, textOf, type FileContent } from '../../shell/files/file-node.js';
import type { Credentials } from '../../shell/files/file-tree.js';
import { findProgram, runFound } from '../../shell/language/find-program.js';
import { openNull, openPipe, openSink, type OpenFile } from '../../shell/processes/open-file.js';
import type { Process, Running } from '../../shell/processes/process.js';
import { ProcessTable } from '../../shell/processes/process-table.js';
import { SIGKILL } from '../../shell/processes/signals.js';
import { PROGRAMS } from '../../shell/programs/programs.js';
import type { LogLine } from '../scripts/log-text.js';
import { expanded, makeEnvironment, type EnvironmentMeans } from './container-environment.js';
import type { ContainerNetwork } from './container-network.js';
import { hostsText, makeRoot, podNames } from './container-root.js';
import type { FieldFacts } from './field-values.js';
import { LogBook } from './log-book.js';
import { sharesProcesses, type PlayPlan } from './play-plan.js';
import type { CommandStreams, RunningCommand } from '../containers/played-program.js';
import { usesUnplayed } from './script-check.js';
import type { VolumeDirectories } from './volume-directories.js';
import type { PayloadMeans } from './volume-content.js';

/** How a container's program ended. */
export interface PlayEnd {
  readonly code: number;
  /** It could not be started. */
  readonly startError?: string;
  /** Its last words, as its policy has them read. */
  readonly message?: string;
}

/** What a player is made of. */
export interface PlayerMeans extends FieldFacts, Pick<EnvironmentMeans, 'read' | 'services'> {
  readonly clock: Clock;
  readonly toTime: (ms: number) => string;
  readonly random: RandomStream;
  /** As its kubelet knows it now. */
  readonly pod: () => Pod;
  readonly container: Container;
  readonly plan: PlayPlan;
  readonly nodeName: string;
  readonly volumes: VolumeDirectories;
  readonly token: PayloadMeans['token'];
  readonly network: (hosts: () => string, onAsked: () => void) => ContainerNetwork;
  readonly hosts: FileContent;
  /** Told when its first process has ended, after everything else of that moment. */
  readonly onEnd: (end: PlayEnd) => void;
}

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** What is read of a message at most: of the file, and of the log in its place. */
const MOST_MESSAGE_BYTES = 4096;
const MOST_LOG_BYTES = 2048;
const MOST_LOG_LINES = 80;
const START_ERROR = 128;

/** See the file header. */
export class ContainerPlayer {
  readonly #means: PlayerMeans;
  readonly #book: LogBook;
  readonly #table: ProcessTable;
  readonly #environment: Map<string, string>;
  readonly #user: Credentials;
  readonly #directory: string;
  readonly #words: readonly string[];
  readonly #terminationLog: FileContent;
  readonly #listeners = new Map<Process, (process: Process) => void>();
  #init: Process | undefined;
  #timer: Timer | undefined;
  #hasEnded = false;

  constructor(means: PlayerMeans) {
    const { plan, container, clock, random, toTime } = means;
    const pod = means.pod();
    this.#means = means;
    this.#book = new LogBook(() => clock.now());
    const { hostname, domain } = podNames(pod, means.nodeName);
    const user = userOf(pod, container, plan.image.uid ?? 0);
    this.#user = user;
    this.#environment = new Map([
      ['PATH', DEFAULT_PATH],
      ['HOSTNAME', hostname],
    ]);
    for (const [name, value] of makeEnvironment(pod, container, means)) this.#environment.set(name, value);
    if (!this.#environment.has('HOME')) this.#environment.set('HOME', user.uid === 0 ? '/root' : '/');
    const valueOf = (name: string): string | undefined => this.#environment.get(name);
    this.#words = plan.words.map((word) => expanded(word, valueOf));
    if (means.hosts.content === '') means.hosts.content = hostsText(pod, hostname, domain, means.podIp);
    const { tree, terminationLog } = makeRoot({
      pod,
      container,
      image: plan.image,
      address: means.podIp,
      hostname,
      environment: this.#environment,
      nowMs: () => clock.now(),
      directory: (volume) => means.volumes.directory(volume, pod, this.#payloadMeans()),
      hosts: means.hosts,
    });
    this.#terminationLog = terminationLog;
    this.#directory = container.workingDir ?? '/';
    this.#table = new ProcessTable({
      now: () => clock.now(),
      toTime,
      random: () => random.bits(),
      tree,
      hostname,
      network: means.network(
        () => means.hosts.content,
        () => this.#asked(),
      ),
      programs: PROGRAMS,
    });
    this.#table.onEnd = (process) => this.#ended(process);
  }

  get log(): readonly LogLine[] {
    return this.#book.lines;
  }

  /** Whether all of what it would run is played here; else it is to be left alone. */
  get isPlayable(): boolean {
    return !usesUnplayed(this.#words);
  }

  /** Starts its program. */
  start(): void {
    const { pod } = this.#means;
    const open = new Map<number, OpenFile>([
      [0, openNull()],
      [1, openSink((bytes) => this.#book.write('stdout', bytes))],
      [2, openSink((bytes) => this.#book.write('stderr', bytes))],
    ]);
    for (const [path, fd] of [
      ['/proc/1/fd/1', 1],
      ['/proc/1/fd/2', 2],
    ] as const) {
      const file = open.get(fd);
      if (file !== undefined) this.#table.link(path, file);
    }
    this.#ensureDirectory();
    const started = this.#spawn(this.#words, open, !sharesProcesses(pod()));
    if (typeof started === 'string') {
      this.#hasEnded = true;
      const { clock } = this.#means;
      clock.schedule(0, () => this.#means.onEnd({ code: START_ERROR, startError: started }));
      return;
    }
    this.#init = started;
    this.run();
  }

  /** Runs what is due. */
  run(): void {
    const { clock, volumes, pod } = this.#means;
    if (this.#timer !== undefined) clock.cancel(this.#timer);
    this.#timer = undefined;
    volumes.refresh(pod(), this.#payloadMeans());
    const nextMs = this.#table.run();
    if (this.#hasEnded || nextMs === Infinity) return;
    this.#timer = clock.schedule(nextMs - clock.now(), () => this.run());
  }

  /** Tells its first process of a signal. */
  signal(signal: number): void {
    if (this.#init === undefined || this.#hasEnded) return;
    this.#table.signal(this.#init.pid, signal);
    this.run();
  }

  /** Nothing of it runs any more. */
  stop(): void {
    this.#hasEnded = true;
    this.#table.endAll();
    if (this.#timer !== undefined) this.#means.clock.cancel(this.#timer);
    this.#timer = undefined;
  }

  /** Runs a command beside its program. */
  exec(words: readonly string[], streams: CommandStreams): RunningCommand {
    const { reader, writer } = openPipe();
    writer.users += 1;
    const open = new Map<number, OpenFile>([
      [0, streams.hasInput ? reader : openNull()],
      [1, openSink(streams.onStdout)],
      [2, openSink(streams.onStderr)],
    ]);
    const started = this.#spawn(words, open, false);
    if (typeof started === 'string') {
      streams.onEnd({ exitCode: 126, startError: started });
      return { input: () => undefined, kill: () => undefined };
    }
    const { clock } = this.#means;
    this.#listeners.set(started, ({ status = 0 }) => {
      if (streams.isFromOutside === true) streams.onEnd({ exitCode: status });
      else clock.schedule(0, () => streams.onEnd({ exitCode: status }));
    });
    this.run();
    return {
      input: (bytes) => {
        if (bytes === undefined) writer.close();
        else writer.write(bytes);
        this.run();
      },
      kill: () => {
        this.#listeners.delete(started);
        this.#table.signal(started.pid, SIGKILL);
        if (!this.#hasEnded) this.run();
      },
    };
  }

  /** @returns the process, or why there is none, in the runtime's words */
  #spawn(words: readonly string[], open: ReadonlyMap<number, OpenFile>, isInit: boolean): Process | string {
    const bytes = words.map(bytesOf);
    const [name = ''] = bytes;
    const environment = new Map([...this.#environment].map(([key, value]) => [key, bytesOf(value)] as const));
    const options = { name, args: bytes, environment, directory: this.#directory, user: this.#user, open, isInit };
    let problem: string | undefined;
    const process = this.#table.spawn(options, (started) => {
      const found = findProgram(started, name, this.#environment.get('PATH'));
      if (!('problem' in found)) return runFound(started, found, bytes);
      problem = startProblem(name, found.problem);
      return nothing();
    });
    if (problem !== undefined) this.#table.signal(process.pid, SIGKILL);
    return problem ?? process;
  }

  /** A directory that a pod names and its image lacks is made by the runtime. */
  #ensureDirectory(): void {
    let walked = '';
    for (const name of this.#directory.split('/').filter((each) => each !== '')) {
      walked = `${walked}/${name}`;
      try {
        this.#table.tree.makeDirectory(walked, { uid: 0, gid: 0, groups: [] }, 0o755);
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
      }
    }
  }

  /** What a server was asked for may be to end. */
  #asked(): void {
    if (this.#hasEnded || !this.#table.isDue) return;
    this.#means.clock.schedule(0, () => this.run());
  }

  #ended(process: Process): void {
    const listener = this.#listeners.get(process);
    this.#listeners.delete(process);
    const { clock } = this.#means;
    listener?.(process);
    if (process !== this.#init || this.#hasEnded) return;
    this.#hasEnded = true;
    const code = process.status ?? 0;
    this.#table.endAll();
    this.#book.end();
    const message = this.#message(code);
    clock.schedule(0, () => this.#means.onEnd({ code, ...(message === undefined ? {} : { message }) }));
  }

  /** What its container says of its end. */
  #message(code: number): string | undefined {
    const { terminationMessagePolicy = 'File' } = this.#means.container;
    const written = textOf(this.#terminationLog.content.slice(0, MOST_MESSAGE_BYTES));
    if (written !== '') return written;
    if (terminationMessagePolicy !== 'FallbackToLogsOnError' || code === 0) return undefined;
    const lines = this.log.slice(-MOST_LOG_LINES);
    const text = lines.map((line) => `${line.text}${line.isPartial === true ? '' : '\n'}`).join('');
    return text.slice(-MOST_LOG_BYTES) || undefined;
  }

  #payloadMeans(): PayloadMeans {
    const { read, token, podIp, hostIp, allocatable } = this.#means;
    return { read, token, podIp, hostIp, allocatable };
  }
}

function* nothing(): Running {
  return START_ERROR;
}

function startProblem(name: string, problem: string): string {
  const why =
    problem === 'Permission denied'
      ? 'permission denied'
      : name.includes('/')
        ? 'no such file or directory'
        : 'executable file not found in $PATH';
  return (
    'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: ' +
    `unable to start container process: error during container init: exec: ${JSON.stringify(name)}: ${name.includes('/') ? `stat ${name}: ` : ''}${why}: unknown`
  );
}

function userOf({ spec }: Pod, { securityContext: own = {} }: Container, imageUid: number): Credentials {
  const { securityContext: ofPod = {} } = spec;
  const uid = own.runAsUser ?? ofPod.runAsUser ?? imageUid;
  const gid = own.runAsGroup ?? ofPod.runAsGroup ?? (uid === 65_534 ? 65_534 : 0);
  const groups = [...(ofPod.supplementalGroups ?? []), ...(ofPod.fsGroup === undefined ? [] : [ofPod.fsGroup])];
  return { uid, gid, groups: uid === 0 && groups.length === 0 ? [10] : groups };
}
