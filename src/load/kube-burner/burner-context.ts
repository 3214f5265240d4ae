/** What the jobs of a run share. */
import { TokenBucket } from '../../kernel/token-bucket.js';
import type { Draft, Kind } from '../../api/objects/objects.js';
import { isApiError } from '../../api/errors/api-error.js';
import type { LoadPlayer } from '../player/load-player.js';
import type { BurnerJob } from './burner-config.js';
import type { BurnerTemplates } from './burner-objects.js';
import type { HookMeans } from './job-hooks.js';

/** Labels of everything that a run makes. */
export const LABEL = {
  uuid: 'kube-burner.io/uuid',
  runid: 'kube-burner.io/runid',
  job: 'kube-burner.io/job',
  index: 'kube-burner.io/index',
  iteration: 'kube-burner.io/job-iteration',
  replica: 'kube-burner.io/replica',
  group: 'kube-burner.io/group',
  churnDelete: 'kube-burner.io/churn-delete',
} as const;

const RETRY_MS = 1000;
const RETRY_FACTOR = 3;

/** See the file header. */
export interface BurnerContext {
  readonly player: LoadPlayer;
  readonly templates: BurnerTemplates;
  readonly uuid: string;
  readonly runid: string;
  /** Another identifier, drawn from the seed and a name. */
  readonly idOf: (name: string) => string;
  /** How hooks are run; absent = they are not. */
  readonly hooks: HookMeans | undefined;
  /** Told of each job that begins. */
  readonly jobBegins: (name: string) => void;
  /** Told what a user should know; errors among them. */
  readonly log: (message: string) => void;
  readonly onIgnored: (what: string) => void;
}

/** One job's way to the cluster: its rate, and requests as kube-burner makes them. */
export class JobRequests {
  readonly context: BurnerContext;
  readonly job: BurnerJob;
  readonly #bucket: TokenBucket;
  readonly #namespaces = new Set<string>();
  readonly #told = new Set<string>();

  constructor(context: BurnerContext, job: BurnerJob) {
    this.context = context;
    this.job = job;
    this.#bucket = new TokenBucket({ qps: job.qps, burst: job.burst });
  }

  /** Waits for the next token of the job. */
  async token(): Promise<void> {
    const { player } = this.context;
    await player.sleepUntil(this.#bucket.reserve(player.nowMs));
  }

  /** Labels of what the job makes. */
  get labels(): Readonly<Record<string, string>> {
    const { uuid, runid } = this.context;
    return { [LABEL.uuid]: uuid, [LABEL.runid]: runid, [LABEL.job]: this.job.name };
  }

  /** Makes a namespace unless the job made it before. */
  async namespace(name: string): Promise<string> {
    if (this.#namespaces.has(name)) return name;
    this.#namespaces.add(name);
    const { namespaceLabels, namespaceAnnotations } = this.job;
    const metadata = { name, labels: { ...this.labels, ...namespaceLabels }, annotations: { ...namespaceAnnotations } };
    await this.context.player.requests.create('Namespace', { metadata });
    return name;
  }

  /** Forgets a namespace that was deleted. */
  forget(name: string): void {
    this.#namespaces.delete(name);
  }

  /** Tries again until the job's longest wait is over, unless it is there already or its namespace is not. */
  async create(kind: Kind, draft: Draft): Promise<void> {
    const { player } = this.context;
    const endMs = player.nowMs + this.job.maxWaitTimeoutMs;
    for (let waitMs = RETRY_MS; ; waitMs *= RETRY_FACTOR) {
      try {
        await player.requests.create(kind, draft, false);
        return;
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        const { name = '', namespace } = draft.metadata ?? {};
        const what = `${player.kinds.describe(kind).plural} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
        this.#tell(`error creating ${what}: ${error.message}`);
        if (isApiError(error, 'AlreadyExists') || isApiError(error, 'NotFound')) return;
        if (player.nowMs + waitMs > endMs) return;
      }
      await player.sleep(waitMs);
    }
  }

  #tell(message: string): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.context.log(message);
  }
}
