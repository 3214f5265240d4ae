/** The options of the requests of a cluster's user, checked at the door: names that are not known, and wrong types. */
import type { DeleteOptions, ListOptions, Selection } from '../apiserver/store/server-types.js';
import type { PodFocus } from '../scheduler/explain/explanation.js';
import { OptionError, refuseUnknown } from '../options/option-error.js';
import type { TimelineSelection } from '../observers/timeline.js';

type Check = readonly [allowed: string, isAllowed: (value: unknown) => boolean];
type Checks<T> = { readonly [Name in keyof Required<T>]: Check };

const TEXT: Check = ['a text', (value) => typeof value === 'string'];
const COUNT: Check = ['an integer >= 0', (value) => Number.isSafeInteger(value) && Number(value) >= 0];
const WHOLE: Check = ['an integer', Number.isSafeInteger];
const MAPPING: Check = ['an object', (value) => typeof value === 'object' && value !== null];
const FLAG: Check = ['true or false', (value) => typeof value === 'boolean'];

const SELECTION: Checks<Selection> = { namespace: TEXT, labelSelector: TEXT, fieldSelector: TEXT };
const LIST: Checks<ListOptions> = {
  ...SELECTION,
  resourceVersion: TEXT,
  resourceVersionMatch: TEXT,
  limit: COUNT,
  continue: TEXT,
};
const DELETE: Checks<DeleteOptions & { readonly force?: boolean }> = {
  gracePeriodSeconds: WHOLE,
  preconditions: MAPPING,
  propagationPolicy: TEXT,
  force: FLAG,
};
const PRECONDITIONS: Checks<NonNullable<DeleteOptions['preconditions']>> = { uid: TEXT, resourceVersion: TEXT };
const PODS: Checks<TimelineSelection> = { namespace: TEXT, namePrefix: TEXT };

/** Of a list. @throws OptionError */
export function listOptions(options: ListOptions): ListOptions {
  return checked('', options, LIST);
}

/** Of a watch. @throws OptionError */
export function selectionOptions(options: Selection): Selection {
  return checked('', options, SELECTION);
}

/** Of a timeline, or of a focus. @throws OptionError */
export function podOptions<T extends TimelineSelection | PodFocus>(options: T): T {
  return checked('', options, PODS);
}

/** Of a deletion. @throws OptionError */
export function deleteOptions<T extends DeleteOptions>(options: T): T {
  const { preconditions } = checked('', options, DELETE);
  if (preconditions !== undefined) checked('preconditions.', preconditions, PRECONDITIONS);
  return options;
}

function checked<T extends object>(path: string, options: T, checks: Readonly<Record<string, Check>>): T {
  refuseUnknown(path, options, Object.keys(checks));
  for (const [name, value] of Object.entries(options) as readonly (readonly [string, unknown])[]) {
    const check = checks[name];
    if (value === undefined || check === undefined) continue;
    const [allowed, isAllowed] = check;
    if (!isAllowed(value)) throw new OptionError(path + name, allowed, value);
  }
  return options;
}
