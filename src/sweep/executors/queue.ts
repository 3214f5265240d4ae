/**
 * Queues of BullMQ on Redis, Valkey or PostgreSQL. BullMQ and the driver of the store are packages that are installed by
 * those that use them, and are loaded when a queue is opened.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { ConnectionOptions, Job as QueuedJob, Queue, QueueEvents, Worker } from 'bullmq';
import type { Job, JobDone } from '../job.js';
import { QueueError } from './queue-error.js';

/** A file that jobs need. */
export interface StoredFile {
  /** Compressed with gzip, in base 64. */
  readonly content: string;
}

export type Queued = QueuedJob<Job, JobDone>;

/** What plays the jobs of a worker. */
export type Processor = (job: Queued, token: string | undefined) => Promise<JobDone>;

/** The parts of a queue, each with a connection of its own. */
export interface QueueParts {
  readonly jobs: () => Queue<Job, JobDone>;
  /** No worker takes these: they are kept to be looked up. */
  readonly files: () => Queue<StoredFile>;
  readonly events: () => QueueEvents;
  readonly worker: (processor: Processor, lanes: number, lockMs?: number) => Worker<Job, JobDone>;
  /** Ends a processor that has given its job back. */
  readonly givenBack: () => Error;
  /** Ends a processor that has put its job off. */
  readonly putOff: () => Error;
}

const DEFAULT_NAME = 'kubeloom';
const LOCK_MS = 30_000;
/** A job is played again however often programs with it are ended by force. */
const MOST_LOSSES = 1000;
const STORES = { 'redis:': 'ioredis', 'rediss:': 'ioredis', 'postgres:': 'pg', 'postgresql:': 'pg' } as const;
const PORTS = { ioredis: 6379, pg: 5432 } as const;
const REACH_MS = 10_000;
const ALLOWED = 'redis://…, rediss://… or postgres://…';

/** Opens nothing yet. @throws QueueError for an address where nothing listens, and for packages that are missing */
export async function queueParts(url: string, name = DEFAULT_NAME): Promise<QueueParts> {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (!isKnown(protocol)) throw new QueueError(`--queue must be ${ALLOWED}, got ${JSON.stringify(withoutSecret(url))}`);
  const driver = STORES[protocol];
  const bullmq = await loaded(() => import('bullmq'), 'bullmq', driver);
  await loaded((): Promise<unknown> => (driver === 'pg' ? import('pg') : import('ioredis')), driver, driver);
  // Clients of Redis try again without end.
  await reach(url, driver).catch((error: unknown) => {
    throw queueProblem(url, error);
  });
  const givenBack = (): Error => new bullmq.WaitingError();
  const putOff = (): Error => new bullmq.DelayedError();
  const files = `${name}-files`;
  if (driver === 'pg') {
    const { Queue, QueueEvents, Worker } = bullmq.withBackend(bullmq.createPostgresBackend);
    const opened = () => ({ connection: { connectionString: url, migrate: true } });
    return {
      jobs: () => new Queue<Job, JobDone>(name, opened()) as unknown as Queue<Job, JobDone>,
      files: () => new Queue<StoredFile>(files, opened()) as unknown as Queue<StoredFile>,
      events: () => new QueueEvents(name, opened()) as unknown as QueueEvents,
      worker: (processor, lanes, lockMs) =>
        new Worker<Job, JobDone>(name, processor, {
          ...opened(),
          ...settings(lanes, lockMs),
        }) as unknown as Worker<Job, JobDone>,
      givenBack,
      putOff,
    };
  }
  const { Queue, QueueEvents, Worker } = bullmq;
  // A worker waits for its store as long as it takes; one that adds jobs is told that there is none.
  const patient: ConnectionOptions = { url, maxRetriesPerRequest: null };
  const hasty: ConnectionOptions = { url, maxRetriesPerRequest: 1, connectTimeout: 5000 };
  return {
    jobs: () => new Queue<Job, JobDone>(name, { connection: hasty }),
    files: () => new Queue<StoredFile>(files, { connection: hasty }),
    events: () => new QueueEvents(name, { connection: patient }),
    worker: (processor, lanes, lockMs) =>
      new Worker<Job, JobDone>(name, processor, { connection: patient, ...settings(lanes, lockMs) }),
    givenBack,
    putOff,
  };
}

async function reach(url: string, driver: keyof typeof PORTS): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname.replaceAll(/[[\]]/g, ''), port: port === '' ? PORTS[driver] : Number(port) });
  socket.setTimeout(REACH_MS, () => socket.destroy(new Error('no answer')));
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}

function settings(lanes: number, lockMs = LOCK_MS) {
  return { concurrency: lanes, lockDuration: lockMs, stalledInterval: lockMs / 2, maxStalledCount: MOST_LOSSES };
}

/** An address as it may be shown. */
function withoutSecret(url: string): string {
  if (!URL.canParse(url)) return url;
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '***';
  return shown.href;
}

/** What keeps a store from being used, in one line. */
export function queueProblem(url: string, error: unknown): QueueError {
  const { message, code = '' }: { readonly message: string; readonly code?: string } =
    error instanceof Error ? error : new Error(String(error));
  const text = (message === '' ? code : message).replaceAll(/\s*\n\s*/g, ' ');
  return new QueueError(`--queue: ${withoutSecret(url)} cannot be used: ${text}`);
}

function isKnown(protocol: string): protocol is keyof typeof STORES {
  return protocol in STORES;
}

async function loaded<T>(load: () => Promise<T>, name: string, driver: string): Promise<T> {
  try {
    return await load();
  } catch {
    throw new QueueError(`--queue needs the package ${name}, which is not installed: npm install bullmq ${driver}`);
  }
}
