/**
 * The story of pods in order of simulated time: each write of the API with its writer and what it
 * changed, the events about the pod, the steps of its state machine, and what its processes did on their node,
 * whatever the API shows. Nothing is recorded without a subscriber.
 */
import { defer, EMPTY, filter, map, merge, type Observable } from 'rxjs';
import { keyOf, parseKey, type EventRecord, type Pod } from '../api/objects/objects.js';
import { USER, type ObjectEvent } from '../apiserver/store/server-types.js';
import type { Lookout } from '../bus/bus-types.js';
import type { Clock } from '../kernel/engine/clock.js';
import type { ProcessFact } from '../kubelet/containers/process-facts.js';
import type { MachineStep } from '../machines/trail.js';
import { handOver } from './hand-over.js';
import { podChanges } from './pod-changes.js';

/** Which pods a timeline is about. */
export interface TimelineSelection {
  /** Absent = all namespaces. */
  readonly namespace?: string | undefined;
  /** Beginning of the names; absent = all names. */
  readonly namePrefix?: string | undefined;
}

/** What a story tells beside writes, events and processes. */
export interface TimelineOptions {
  /** Whether the steps of the pods' state machines are told as well. @defaultValue false */
  readonly machines?: boolean | undefined;
}

/** One line of a story. */
export interface TimelineEntry {
  /** Simulated time, ms. */
  readonly atMs: number;
  /** `namespace/name`. */
  readonly pod: string;
  /**
   * `api`: a write of the pod. `event`: an Event object about it. `machine`: a step of its state machine in the
   * kubelet (docs/machines.md), where that was asked for. `node`: what happened on its machine.
   */
  readonly source: 'api' | 'event' | 'machine' | 'node';
  /** The party that wrote or reported it, such as `kubelet/node-3`; `user` for calls of the program. */
  readonly by: string;
  /** What happened, in a few words; a write that changed several things has several lines of text. */
  readonly text: readonly string[];
}

/** What a timeline is read from. */
export interface TimelineSources {
  readonly lookout: Lookout;
  readonly clock: Clock;
  readonly facts$: Observable<ProcessFact>;
  readonly steps$: Observable<MachineStep>;
}

/** See the file header. Entries are handed over in a tick of their own at the same simulated time. */
export function timeline(
  { lookout, clock, facts$, steps$ }: TimelineSources,
  selection: TimelineSelection,
  { machines = false }: TimelineOptions = {},
): Observable<TimelineEntry> {
  return defer(() => {
    const story = new PodStory(selection);
    const { namespace } = selection;
    return merge(
      lookout.watch('Pod', { namespace }).pipe(map((event) => story.podWritten(event))),
      lookout.watch('Event', { namespace }).pipe(map((event) => story.eventWritten(event))),
      facts$.pipe(map((fact) => story.processTold(fact))),
      machines ? steps$.pipe(map((step) => story.machineMoved(step))) : EMPTY,
    ).pipe(
      filter((entry) => entry !== undefined),
      handOver(clock),
    );
  });
}

/** Turns what it hears into entries; `undefined` for what is not of these pods. */
class PodStory {
  readonly #selection: TimelineSelection;
  readonly #last = new Map<string, Pod>();

  constructor(selection: TimelineSelection) {
    this.#selection = selection;
  }

  podWritten({ type, object, atMs, by = USER }: ObjectEvent<'Pod'>): TimelineEntry | undefined {
    if (!this.#isMeant(object.metadata)) return undefined;
    const pod = keyOf(object);
    const text = type === 'DELETED' ? ['removed'] : podChanges(this.#last.get(pod), object);
    if (type === 'DELETED') this.#last.delete(pod);
    else this.#last.set(pod, object);
    return { atMs, pod, source: 'api', by, text: text.length === 0 ? ['nothing that a user would see'] : text };
  }

  eventWritten({ type, object, atMs }: ObjectEvent<'Event'>): TimelineEntry | undefined {
    if (type === 'DELETED') return undefined;
    const { kind, namespace, name } = object.involvedObject;
    if (kind !== 'Pod' || name === undefined || !this.#isMeant({ namespace, name })) return undefined;
    const pod = keyOf({ metadata: { namespace, name } });
    return { atMs, pod, source: 'event', by: reporterOf(object), text: [eventText(object)] };
  }

  processTold({ atMs, node, pod: { metadata }, text }: ProcessFact): TimelineEntry | undefined {
    if (!this.#isMeant(metadata)) return undefined;
    return { atMs, pod: keyOf({ metadata }), source: 'node', by: node, text: [text] };
  }

  machineMoved({ atMs, machine, name, by, event, from, to, isOver }: MachineStep): TimelineEntry | undefined {
    if (machine !== 'pod' || !this.#isMeant(parseKey(name))) return undefined;
    return {
      atMs,
      pod: name,
      source: 'machine',
      by,
      text: [`${pathText(from, to)} (${event}${isOver ? ', over' : ''})`],
    };
  }

  #isMeant({ namespace, name }: { readonly namespace?: string | undefined; readonly name: string }): boolean {
    const { namespace: wanted, namePrefix = '' } = this.#selection;
    return (wanted === undefined || wanted === namespace) && name.startsWith(namePrefix);
  }
}

function pathText(from: string | undefined, to: string): string {
  if (from === undefined) return to;
  return from === to ? `stopped in ${to}` : `${from} → ${to}`;
}

function eventText({ type = '', reason = '', message = '', count = 1 }: EventRecord): string {
  return `${type} ${reason}: ${message}${count > 1 ? ` (x${count})` : ''}`;
}

function reporterOf({ source, reportingComponent }: EventRecord): string {
  const component = source?.component ?? reportingComponent ?? '';
  return source?.host === undefined || source.host === '' ? component : `${component}/${source.host}`;
}
