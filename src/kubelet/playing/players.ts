/**
 * The containers of one machine that compute. What plays them is loaded when the first of them starts: simulated time
 * stands still meanwhile, and everything that is played begins with a tick of its own, so that a run in which it was
 * loaded before goes the same way.
 */
import type { Container, Pod, ResourceList } from '../../api/objects/objects.js';
import { assert } from '../../kernel/assert.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { FileContent } from '../../shell/files/file-node.js';
import type { PodSandbox } from '../containers/container-runtime.js';
import type { ReadConfig } from '../config/config-cache.js';
import type { LogLine } from '../scripts/log-text.js';
import { scriptStream } from '../scripts/script-stream.js';
import type { ClusterView } from './cluster-view.js';
import type { ContainerPlayer, PlayEnd } from './container-player.js';
import type { PlayGround } from './play-ground.js';
import type * as PlayerParts from './player-module.js';
import type { PlayPlan } from './play-plan.js';
import type { CommandStreams, PlayedProgram, RunningCommand } from '../containers/played-program.js';
import type { VolumeDirectories } from './volume-directories.js';

type PlayerModule = typeof PlayerParts;

let loaded: PlayerModule | undefined;
let loading: Promise<PlayerModule> | undefined;

/** Loads what plays containers, once in a process. */
async function load(): Promise<PlayerModule> {
  loading ??= import('./player-module.js');
  loaded = await loading;
  return loaded;
}

/** Loads what plays containers, ahead of the first that is played. */
export async function loadPlayers(): Promise<void> {
  await load();
}

/** Whether it is loaded. */
export function arePlayersLoaded(): boolean {
  return loaded !== undefined;
}

/** What it takes. */
export interface PlayersMeans {
  readonly kernel: Kernel;
  readonly node: string;
  readonly hostIp: string;
  readonly allocatable: ResourceList;
  readonly ground: PlayGround;
}

/** One run of a container that is to be played. */
export interface PlayOrder {
  readonly sandbox: PodSandbox;
  readonly container: Container;
  readonly plan: PlayPlan;
  readonly attempt: number;
  readonly read: ReadConfig;
  /** Its program has ended. */
  readonly onEnd: (end: PlayEnd) => void;
  /** It cannot be played: it goes its way as if it were not known. */
  readonly onUnplayed: () => void;
  /** Its program runs now. */
  readonly onBegun: () => void;
}

/** What the containers of a pod share. */
interface PodFiles {
  readonly volumes: VolumeDirectories;
  readonly hosts: FileContent;
  readonly tokens: Map<string, string>;
}

const podFiles = new WeakMap<PodSandbox, PodFiles>();

/** See the file header. */
export class Players {
  readonly #means: PlayersMeans;

  constructor(means: PlayersMeans) {
    this.#means = means;
  }

  get ground(): PlayGround {
    return this.#means.ground;
  }

  get hostIp(): string {
    return this.#means.hostIp;
  }

  get allocatable(): ResourceList {
    return this.#means.allocatable;
  }

  /** Begins a run; a server that its image starts by itself waits until something asks it. */
  begin(order: PlayOrder): PlayedProgram {
    const program = new Program(this.#means, order);
    if (!order.plan.isDefault) program.begin();
    return program;
  }
}

class Program implements PlayedProgram {
  readonly #means: PlayersMeans;
  readonly #order: PlayOrder;
  #player: ContainerPlayer | undefined;
  #isBegun = false;
  #isOver = false;
  #isUnplayed = false;

  constructor(means: PlayersMeans, order: PlayOrder) {
    this.#means = means;
    this.#order = order;
  }

  get isPlaying(): boolean {
    return this.#isBegun && !this.#isUnplayed && !this.#isOver;
  }

  get log(): readonly LogLine[] {
    return this.#player?.log ?? [];
  }

  begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#whenLoaded(() => this.#start());
  }

  /** Something within the simulation asks it, where something has been played before. */
  wake(): void {
    if (this.#isBegun || this.#isOver || !this.#means.ground.isLoaded) return;
    this.#isBegun = true;
    this.#start();
  }

  signal(signal: number): void {
    this.#means.kernel.clock.schedule(0, () => {
      if (!this.#isOver) this.#player?.signal(signal);
    });
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#player?.stop();
  }

  exec(words: readonly string[], streams: CommandStreams): RunningCommand {
    let command: RunningCommand | undefined;
    let isKilled = false;
    const input: (string | undefined)[] = [];
    const start = (): void => {
      if (isKilled) return;
      if (!this.#isBegun) this.wake();
      const player = this.#player;
      if (player === undefined || this.#isOver) return streams.onEnd({ exitCode: 137 });
      command = player.exec(words, streams);
      for (const bytes of input) command.input(bytes);
    };
    if (this.#player === undefined) this.#whenLoaded(start);
    else start();
    return {
      input: (bytes) => (command === undefined ? void input.push(bytes) : command.input(bytes)),
      kill() {
        isKilled = true;
        command?.kill();
      },
    };
  }

  #whenLoaded(task: () => void): void {
    const { clock } = this.#means.kernel;
    if (loaded === undefined) clock.hold(load());
    clock.schedule(0, () => {
      this.#means.ground.isLoaded = true;
      task();
    });
  }

  #start(): void {
    if (this.#isOver) return;
    const player = this.#createPlayer();
    this.#player = player;
    if (player.isPlayable) {
      player.start();
      return this.#order.onBegun();
    }
    this.#isUnplayed = true;
    this.#order.onUnplayed();
  }

  #createPlayer(): ContainerPlayer {
    assert(loaded !== undefined, 'what plays containers must have been loaded');
    const { ContainerPlayer: Player, ContainerNetwork } = loaded;
    const { kernel, node, hostIp, allocatable, ground } = this.#means;
    const { sandbox, container, plan, attempt, read, onEnd } = this.#order;
    const { clock, timestamps } = kernel;
    const { pod, address = '' } = sandbox;
    const { namespace = '' } = pod.metadata;
    const random = scriptStream(kernel, pod, container, `play/${attempt}`);
    const files = this.#filesOf(sandbox, loaded);
    return new Player({
      clock,
      toTime: (ms) => timestamps.toTime(ms),
      random,
      pod: () => sandbox.pod,
      container,
      plan,
      nodeName: node,
      volumes: files.volumes,
      hosts: files.hosts,
      podIp: address,
      hostIp,
      allocatable,
      read,
      services: ground.view.services(namespace),
      token: (audience, expirationSeconds) => tokenOf(files, ground.view, sandbox.pod, audience, expirationSeconds),
      network: (hosts, onAsked) =>
        new ContainerNetwork({
          ...ground,
          node,
          namespace,
          address,
          hosts,
          onAsked,
          random: () => random.bits(),
          nowMs: () => clock.now(),
        }),
      onEnd: (end) => {
        if (!this.#isOver) onEnd(end);
      },
    });
  }

  #filesOf(sandbox: PodSandbox, { VolumeDirectories: Directories, newFile }: PlayerModule): PodFiles {
    const known = podFiles.get(sandbox);
    if (known !== undefined) return known;
    const { kernel, node, ground } = this.#means;
    const { clock, timestamps } = kernel;
    const means = {
      node,
      lasting: ground.lasting,
      nowMs: () => clock.now(),
      toTime: (ms: number) => timestamps.toTime(ms),
    };
    const files: PodFiles = { volumes: new Directories(means), hosts: newFile(''), tokens: new Map() };
    podFiles.set(sandbox, files);
    return files;
  }
}

/** A token is asked for once, as long as it is good. */
function tokenOf(
  { tokens }: PodFiles,
  view: ClusterView,
  pod: Pod,
  audience: string | undefined,
  expirationSeconds: number,
): string {
  const key = `${audience ?? ''}/${expirationSeconds}`;
  let token = tokens.get(key);
  if (token === undefined) {
    token = view.token({ pod, audience, expirationSeconds });
    tokens.set(key, token);
  }
  return token;
}
