/**
 * An Event record as a component tells it: what is its own, and by reference what all records of that component
 * have alike. Most records are never read, so that the API server makes the object only when something asks for it.
 */
import type { Draft, EventRecord } from './objects.js';

/** A core/v1 ObjectReference to what a record is about. */
export interface EventReference {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** What all records of one component have alike. */
export interface EventWriter {
  /** Empty of a component whose records say what it did (`action`). */
  readonly source: { readonly component?: string; readonly host?: string };
  readonly component: string;
  readonly instance: string;
}

/** A record of what has happened once so far. */
export interface RecordedEvent {
  readonly name: string;
  readonly namespace: string;
  readonly regarding: EventReference;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** RFC 3339: of the first and the last time, or, with microseconds, of what was done. */
  readonly time: string;
  readonly writer: EventWriter;
  /** What the component did; absent = it tells what has come about. */
  readonly action?: string;
  /** Of what was done: with what else it had to do. */
  readonly related?: EventReference;
}

/** Whether every field is stored as it stands: those that are empty are left out by decoding. */
export function isStoredAsTold(event: RecordedEvent): boolean {
  const { name, namespace, regarding, type, reason, message, writer, action, related } = event;
  const { component, host } = writer.source;
  return (
    host !== '' &&
    component !== '' &&
    action !== '' &&
    isFilled(name) &&
    isFilled(namespace) &&
    isFilled(type) &&
    isFilled(reason) &&
    isFilled(message) &&
    isFilled(writer.component) &&
    areFilled(regarding) &&
    (related === undefined || areFilled(related))
  );
}

/** Records of one container refer to it alike, one after the other. */
let lastFilled: EventReference | undefined;

function areFilled(regarding: EventReference): boolean {
  if (regarding === lastFilled) return true;
  for (const field in regarding) if (!isFilled(regarding[field as keyof EventReference])) return false;
  lastFilled = regarding;
  return true;
}

function isFilled(text: unknown): boolean {
  return typeof text === 'string' && text !== '';
}

/** The record as a client submits it. */
export function draftOf(event: RecordedEvent): Draft {
  return { metadata: { name: event.name, namespace: event.namespace }, ...contentOf(event) };
}

/** The record as an object. */
export function objectOf(event: RecordedEvent, metadata: EventRecord['metadata']): EventRecord {
  return { apiVersion: 'v1', kind: 'Event', metadata, ...contentOf(event) };
}

function contentOf(event: RecordedEvent) {
  const { regarding, reason, message, time, type, writer, action, related } = event;
  const { source, component: reportingComponent, instance: reportingInstance } = writer;
  const what = { involvedObject: regarding, reason, message, source };
  const by = { reportingComponent, reportingInstance };
  if (action === undefined) return { ...what, firstTimestamp: time, lastTimestamp: time, count: 1, type, ...by };
  return { ...what, type, eventTime: time, action, ...(related === undefined ? {} : { related }), ...by };
}
