/** The records of v1 in the form of events.k8s.io (pkg/apis/events/v1/conversion.go, v1.34): kept once, shown twice. */
import type { Draft } from './objects.js';

type Fields = Readonly<Record<string, unknown>>;

/** The names of a field: as it is kept, and as the other group shows it. */
const NAMES: readonly (readonly [kept: string, shown: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];
const toShown: ReadonlyMap<string, string> = new Map(NAMES);
/** The names as they are kept, by those that are shown. */
export const toKept: ReadonlyMap<string, string> = new Map(NAMES.map(([kept, shown]) => [shown, kept]));

function renamed(object: Fields, names: ReadonlyMap<string, string>, apiVersion: string): Fields {
  const entries = Object.entries(object).map(([field, value]) => [names.get(field) ?? field, value] as const);
  return { ...Object.fromEntries(entries), ...(object['apiVersion'] === undefined ? {} : { apiVersion }) };
}

/** A record as events.k8s.io shows it. */
export function shownEvent(object: object): object {
  return renamed(object as Fields, toShown, 'events.k8s.io/v1');
}

/** What a client of events.k8s.io wrote, as it is kept. */
export function keptEvent(draft: object): Draft {
  return renamed(draft as Fields, toKept, 'v1');
}
