/** A story as it was told, by the recording or by the replay: what the watches saw, in one form for both. */
import { isForeignObject, maskedText, plainObject, textField, type PlainObject } from './plain-object.js';
import { isObject, type JsonObject } from '../recorded-lines.js';
import type { EventLine, RecordedObject, Story } from './story.js';

/** One change of one object. */
export interface Change {
  /** Line of the recording; `undefined` in a replay. */
  readonly line: number | undefined;
  readonly ms: number;
  /** By the clock of the recording: ours may run behind it. */
  readonly storyMs: number;
  /** How many actions had been sent. */
  readonly sent: number;
  readonly type: EventLine['type'];
  /** `Kind namespace/name`; of an Event what it says. */
  readonly key: string;
  readonly kind: string;
  readonly object: PlainObject;
  readonly isTerminating: boolean;
  /** Of the store; 0 when it is not told. */
  readonly version: number;
  /** Of an Event: the uid of the object that it is about; empty where it does not say. */
  readonly regarding: string;
  /** Of an Event: how often it came about. */
  readonly count: number;
  /** Of an Event: whether it stands for many that are similar. */
  readonly isCombined: boolean;
}

/** The changes of a recording. */
export function recordedChanges({ events, actions }: Story): readonly Change[] {
  return events.flatMap((each) => {
    if (isForeignObject(each.object)) return [];
    const sent = actions.filter(({ sentMs }) => sentMs <= each.ms).length;
    return changeOf(each.type, each.object, { line: each.line, ms: each.ms, storyMs: each.ms, sent });
  });
}

/** One change in the form in which it is compared. */
export function changeOf(
  type: EventLine['type'],
  object: RecordedObject,
  place: Pick<Change, 'line' | 'ms' | 'storyMs' | 'sent'>,
): Change {
  const { kind, metadata } = object;
  const isEvent = kind === 'Event';
  return {
    ...place,
    type,
    kind,
    key: isEvent ? eventKey(object) : objectKey(object),
    object: isEvent ? new Map() : plainObject(object),
    isTerminating: metadata['deletionTimestamp'] !== undefined,
    version: Number(metadata.resourceVersion ?? 0) || 0,
    regarding: textField(object, 'involvedObject', 'uid') || textField(object, 'regarding', 'uid'),
    count: isEvent ? eventCount(object) : 1,
    isCombined: isEvent && isCombined(object),
  };
}

/** `Kind namespace/name`. */
function objectKey({ kind, metadata: { namespace, name } }: RecordedObject): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

/** What an Event says and about which object, in whichever of the two versions it is written. */
function eventKey(event: RecordedObject): string {
  const regarding = isObject(event['regarding']) ? event['regarding'] : event['involvedObject'];
  const related = isObject(event['related']) ? ` with ${objectText(event['related'])}` : '';
  const by = textField(event, 'reportingController') || textField(event, 'reportingComponent');
  const source = textField(event, 'deprecatedSource', 'component') || textField(event, 'source', 'component');
  const action = textField(event, 'action');
  const text = (textField(event, 'note') || textField(event, 'message')).replace(SKIPPED, sortedFaults);
  const note = maskedText(text).replace(COMBINED, '');
  const who = by === '' || source === '' || source === by ? by || source : `${by} (${source})`;
  const component = `${who}${action === '' ? '' : ` ${action}`}`;
  const what = `${textField(event, 'type')} ${textField(event, 'reason')}`;
  return `Event ${component}: ${what} of ${objectText(isObject(regarding) ? regarding : {})}${related}: ${note}`;
}

/** Faults of several pods come in the order of a map. */
const SKIPPED = /\[(skipping Pod [^\]]+)\]/;

function sortedFaults(_all: string, faults: string): string {
  return `[${faults.split(', ').toSorted().join(', ')}]`;
}

function objectText(reference: JsonObject): string {
  const [kind, namespace, name, path] = ['kind', 'namespace', 'name', 'fieldPath'].map((field) =>
    textField(reference, field),
  );
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}${path === '' ? '' : ` ${path}`}`;
}

/** Before the text of an Event that stands for many; which of them it is depends on which was first. */
const COMBINED = '(combined from similar events): ';

/** Whether an Event is the tenth of its kind or a later one. */
function isCombined(event: RecordedObject): boolean {
  return (textField(event, 'note') || textField(event, 'message')).startsWith(COMBINED);
}

function eventCount(event: RecordedObject): number {
  const { series } = event;
  const counts = [event['count'], event['deprecatedCount'], isObject(series) ? series['count'] : undefined];
  return Math.max(1, ...counts.filter((count) => typeof count === 'number'));
}
