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
  readonly source: { readonly component: string; readonly host?: string };
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
  /** RFC 3339, of the first and the last time. */
  readonly time: string;
  readonly writer: EventWriter;
}

/** Whether every field is stored as it stands: those that are empty are left out by decoding. */
export function isStoredAsTold({ name, namespace, regarding, type, reason, message, writer }: RecordedEvent): boolean {
  const { host, component } = writer.source;
  return (
    host !== '' &&
    isFilled(name) &&
    isFilled(namespace) &&
    isFilled(type) &&
    isFilled(reason) &&
    isFilled(message) &&
    isFilled(component) &&
    areFilled(regarding)
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

function contentOf({ regarding, reason, message, time, type, writer }: RecordedEvent) {
  return {
    involvedObject: regarding,
    reason,
    message,
    source: writer.source,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type,
    reportingComponent: writer.component,
    reportingInstance: writer.instance,
  };
}
