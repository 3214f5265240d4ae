/** The form of a recorded story of a real control plane, and how its file is read. */
import { isObject, parseLine, readLines, RecordingError, type Json, type JsonObject } from '../recorded-lines.js';

/** A Kubernetes object as a watch or an answer shows it. */
export interface RecordedObject extends JsonObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: JsonObject & {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generateName?: string;
  };
}

/** A request as it was sent. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string | null;
  readonly body?: unknown;
}

/** A step of the story: every line up to the next one belongs to it. */
export interface MarkLine {
  readonly line: number;
  readonly ms: number;
  readonly mark: string;
}

/** A request of the story itself, written down with its answer when that had come. */
export interface ActionLine {
  readonly line: number;
  readonly ms: number;
  /** When it was sent: the time of its mark. */
  readonly sentMs: number;
  /** The line of its mark: what stands before was known. */
  readonly sentLine: number;
  readonly action: string;
  readonly request: RecordedRequest;
  readonly status: number;
  readonly response: unknown;
}

/** What a watch of one resource told. */
export interface EventLine {
  readonly line: number;
  readonly ms: number;
  /** Plural name of the resource that was watched. */
  readonly res: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: RecordedObject;
}

/** A story, its lines by what they are, each in the order of the file. */
export interface Story {
  readonly marks: readonly MarkLine[];
  readonly actions: readonly ActionLine[];
  readonly events: readonly EventLine[];
  readonly lastMs: number;
}

/** Whether the line is one of a story, and not a scheduling decision. */
export function isStoryLine(line: JsonObject): boolean {
  return ['ms', 'mark', 'action', 'event'].some((field) => field in line);
}

/** Whether it is an object with a name. */
export function isRecordedObject(value: unknown): value is RecordedObject {
  if (!isObject(value) || typeof value['kind'] !== 'string' || !isObject(value['metadata'])) return false;
  return typeof value['metadata']['name'] === 'string';
}

/** Reads the stories of a file; where the time goes back another one begins. @throws RecordingError that names the line */
export function readStories(path: string): readonly Story[] {
  const stories: StoryLines[] = [];
  let story: StoryLines | undefined;
  for (const [number, text] of readLines(path)) {
    const refuse = (why: string): never => {
      throw new RecordingError(`${path}:${number}: ${why}`);
    };
    const value = parseLine(path, number, text);
    const { ms } = value;
    if (typeof ms !== 'number') return refuse('`ms` must be a number');
    if (story === undefined || (ms < story.lastMs && 'mark' in value)) {
      story = { marks: [], actions: [], events: [], lastMs: ms };
      stories.push(story);
    }
    story.lastMs = Math.max(story.lastMs, ms);
    addLine(story, value, { line: number, ms }, refuse);
  }
  const isEmpty = ({ actions, events }: Story): boolean => actions.length + events.length === 0;
  if (stories.every(isEmpty)) throw new RecordingError(`${path}:1: there is neither a request nor a watch event`);
  return stories;
}

interface StoryLines extends Story {
  readonly marks: MarkLine[];
  readonly actions: ActionLine[];
  readonly events: EventLine[];
  lastMs: number;
}

/** What a watch tells of itself. */
const WATCH_NOTES: ReadonlySet<unknown> = new Set(['BOOKMARK', 'ERROR']);

function addLine({ marks, actions, events }: StoryLines, value: JsonObject, place: Place, refuse: Refuse): void {
  if ('mark' in value) marks.push({ ...place, mark: textOf(value['mark']) });
  else if ('action' in value) actions.push(actionOf(value, place, marks, refuse));
  else if (!('event' in value)) refuse('a line must have `mark`, `action` or `event`');
  else if (!isObject(value['event']) || !WATCH_NOTES.has(value['event']['type'])) {
    events.push(eventOf(value, place, refuse));
  }
}

type Refuse = (why: string) => never;
type Place = Readonly<Record<'line' | 'ms', number>>;

function actionOf(value: JsonObject, place: Place, marks: readonly MarkLine[], refuse: Refuse): ActionLine {
  const { action, request, status, response } = value;
  if (typeof action !== 'string') return refuse('`action` must be a text');
  if (typeof status !== 'number') return refuse('`status` of an action must be a number');
  if (!isObject(request)) return refuse('`request` must be an object');
  const { method, path, contentType, body } = request;
  if (typeof method !== 'string' || typeof path !== 'string' || !path.startsWith('/')) {
    return refuse('`request` must have a method and a path');
  }
  const mark = marks.findLast((each) => each.mark === action);
  return {
    ...place,
    sentMs: mark?.ms ?? place.ms,
    sentLine: mark?.line ?? place.line,
    action,
    request: { method, path, contentType: typeof contentType === 'string' ? contentType : null, body },
    status,
    response,
  };
}

function eventOf(value: JsonObject, place: Place, refuse: Refuse): EventLine {
  const { res, event } = value;
  if (typeof res !== 'string') return refuse('`res` must be a text');
  if (!isObject(event)) return refuse('`event` must be an object');
  const { type, object } = event;
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') {
    return refuse(`\`event.type\` must be ADDED, MODIFIED or DELETED, got ${JSON.stringify(type)}`);
  }
  if (!isRecordedObject(object)) return refuse('`event.object` must be an object with a kind and a name');
  return { ...place, res, type, object };
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
