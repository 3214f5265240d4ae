/** The options of the requests of a cluster's user, checked at the door: names that are not known, and wrong types. */
import type { DeleteOptions, ListOptions, Selection } from '../apiserver/store/server-types.js';
import type { PodFocus } from '../scheduler/explain/explanation.js';
import { checkedOptions, COUNT, FLAG, MAPPING, TEXT, WHOLE, type Checks } from '../options/option-checks.js';
import { MACHINE_KINDS } from '../machines/trail.js';
import type { MachineSelection } from './machine-selection.js';
import type { TimelineOptions, TimelineSelection } from '../observers/timeline.js';

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
const MACHINES: Checks<MachineSelection> = {
  machine: [`one of ${MACHINE_KINDS.join(', ')}`, (value) => MACHINE_KINDS.some((kind) => kind === value)],
  name: TEXT,
  by: TEXT,
};
const TELLING: Checks<TimelineOptions> = { machines: FLAG };
const PODS: Checks<TimelineSelection> = { namespace: TEXT, namePrefix: TEXT };

/** Of a list. @throws OptionError */
export function listOptions(options: ListOptions): ListOptions {
  return checkedOptions('', options, LIST);
}

/** Of a watch. @throws OptionError */
export function selectionOptions(options: Selection): Selection {
  return checkedOptions('', options, SELECTION);
}

/** Of machines. @throws OptionError */
export function machineOptions(options: MachineSelection): MachineSelection {
  return checkedOptions('', options, MACHINES);
}

/** Of what a timeline tells. @throws OptionError */
export function timelineOptions(options: TimelineOptions): TimelineOptions {
  return checkedOptions('', options, TELLING);
}

/** Of a timeline, or of a focus. @throws OptionError */
export function podOptions<T extends TimelineSelection | PodFocus>(options: T): T {
  return checkedOptions('', options, PODS);
}

/** Of a deletion. @throws OptionError */
export function deleteOptions<T extends DeleteOptions>(options: T): T {
  const { preconditions } = checkedOptions('', options, DELETE);
  if (preconditions !== undefined) checkedOptions('preconditions.', preconditions, PRECONDITIONS);
  return options;
}
