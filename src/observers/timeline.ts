/**
 * The story of pods in order of simulated time: each write of the API with what it changed and who made
 * it, the events about the pod, and what its processes did on their node, whatever the API shows.
 * Nothing is recorded while nobody is subscribed.
 */
import { Observable } from 'rxjs';
import { keyOf, type EventRecord, type Pod } from '../api/objects/objects.js';
import type { ApiServer, WatchEvent, WatchHandle } from '../apiserver/store/server-types.js';
import type { Clock } from '../kernel/engine/clock.js';
import type { ProcessFact, ProcessWatch } from '../kubelet/containers/process-facts.js';
import { podChanges } from './pod-changes.js';

/** Which pods a timeline is about. */
export interface TimelineSelection {
  /** Absent = all namespaces. */
  readonly namespace?: string | undefined;
  /** Beginning of the names; absent = all names. */
  readonly namePrefix?: string | undefined;
}

/** One line of a story. */
export interface TimelineEntry {
  /** Simulated time, ms. */
  readonly atMs: number;
  /** `namespace/name`. */
  readonly pod: string;
  /** `api`: a write of the pod. `event`: an Event object about it. `node`: what happened on its machine. */
  readonly source: 'api' | 'event' | 'node';
  /** Who wrote or reported it, such as `kubelet/node-3` or `kube-scheduler`; `user` for calls of the program. */
  readonly by: string;
  /** What happened, in a few words; a write that changed several things has several lines of text. */
  readonly text: readonly string[];
}

/** What a timeline is read from. */
export interface TimelineSources {
  readonly server: ApiServer;
  readonly clock: Clock;
  readonly processes: ProcessWatch;
  readonly closed$: Observable<unknown>;
}

/** See the file header. Entries are handed over in a tick of their own at the same simulated time. */
export function timeline({ server, clock, processes, closed$ }: TimelineSources, selection: TimelineSelection) {
  return new Observable<TimelineEntry>((subscriber) => {
    let queue: TimelineEntry[] = [];
    const flush = (): void => {
      const entries = queue;
      queue = [];
      for (const entry of entries) if (!subscriber.closed) subscriber.next(entry);
    };
    const story = new PodStory(selection, (entry) => {
      if (queue.length === 0) clock.schedule(0, flush);
      queue.push(entry);
    });
    const { namespace } = selection;
    const handles: WatchHandle[] = [
      server.watch('Pod', { namespace }, (event) => story.podWritten(event, server.writer ?? 'user')),
      server.watch('Event', { namespace }, (event) => story.eventWritten(event)),
    ];
    const stopFacts = processes.add((fact) => story.processTold(fact));
    subscriber.add(() => {
      for (const handle of handles) handle.close();
      stopFacts();
    });
    subscriber.add(closed$.subscribe({ complete: () => subscriber.complete() }));
  });
}

/** Turns what it hears into entries. */
class PodStory {
  readonly #selection: TimelineSelection;
  readonly #tell: (entry: TimelineEntry) => void;
  readonly #last = new Map<string, Pod>();

  constructor(selection: TimelineSelection, tell: (entry: TimelineEntry) => void) {
    this.#selection = selection;
    this.#tell = tell;
  }

  podWritten(event: WatchEvent<'Pod'>, by: string): void {
    if (event.type === 'BOOKMARK' || !this.#isMeant(event.object.metadata)) return;
    const { atMs, object } = event;
    const pod = keyOf(object);
    const text = event.type === 'DELETED' ? ['removed'] : podChanges(this.#last.get(pod), object);
    if (event.type === 'DELETED') this.#last.delete(pod);
    else this.#last.set(pod, object);
    this.#tell({ atMs, pod, source: 'api', by, text: text.length === 0 ? ['nothing that a user would see'] : text });
  }

  eventWritten(event: WatchEvent<'Event'>): void {
    if (event.type === 'BOOKMARK' || event.type === 'DELETED') return;
    const { involvedObject } = event.object;
    const { kind, namespace, name } = involvedObject;
    if (kind !== 'Pod' || name === undefined || !this.#isMeant({ namespace, name })) return;
    const text = [eventText(event.object)];
    const pod = keyOf({ metadata: { namespace, name } });
    this.#tell({ atMs: event.atMs, pod, source: 'event', by: reporterOf(event.object), text });
  }

  processTold({ atMs, node, pod: { metadata }, text }: ProcessFact): void {
    if (!this.#isMeant(metadata)) return;
    this.#tell({ atMs, pod: keyOf({ metadata }), source: 'node', by: node, text: [text] });
  }

  #isMeant({ namespace, name }: { readonly namespace?: string | undefined; readonly name: string }): boolean {
    const { namespace: wanted, namePrefix = '' } = this.#selection;
    return (wanted === undefined || wanted === namespace) && name.startsWith(namePrefix);
  }
}

function eventText({ type = '', reason = '', message = '', count = 1 }: EventRecord): string {
  return `${type} ${reason}: ${message}${count > 1 ? ` (x${count})` : ''}`;
}

function reporterOf({ source, reportingComponent }: EventRecord): string {
  const component = source?.component ?? reportingComponent ?? '';
  return source?.host === undefined || source.host === '' ? component : `${component}/${source.host}`;
}
