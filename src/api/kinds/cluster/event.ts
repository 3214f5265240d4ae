/** Event records of the core group (pkg/apis/core/validation/events.go, v1.34). */
import { describeKind, type KindTraits } from '../rules/describe-kind.js';
import { filled } from '../rules/filling.js';
import { eventChangeErrors, eventErrors, STRICT_GROUP } from './event-validation.js';

const NO_SOURCE = Object.freeze({});

const traits: KindTraits<'Event'> = {
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  createsOnUpdate: true,
  selectableFields: {
    'involvedObject.kind': ({ involvedObject }) => involvedObject.kind ?? '',
    'involvedObject.namespace': ({ involvedObject }) => involvedObject.namespace ?? '',
    'involvedObject.name': ({ involvedObject }) => involvedObject.name ?? '',
    'involvedObject.uid': ({ involvedObject }) => involvedObject.uid ?? '',
    'involvedObject.apiVersion': ({ involvedObject }) => involvedObject.apiVersion ?? '',
    'involvedObject.resourceVersion': ({ involvedObject }) => involvedObject.resourceVersion ?? '',
    'involvedObject.fieldPath': ({ involvedObject }) => involvedObject.fieldPath ?? '',
    reason: ({ reason }) => reason ?? '',
    reportingComponent: ({ reportingComponent }) => reportingComponent ?? '',
    source: ({ source, reportingComponent }) => source?.component || (reportingComponent ?? ''),
    type: ({ type }) => type ?? '',
  },
  applyDefaults: (draft) =>
    filled(draft, { involvedObject: {}, source: NO_SOURCE, reportingComponent: '', reportingInstance: '' }),
};
const described = describeKind<'Event'>(traits);
/** By the core group, whose strategy does not look at metadata. */
const looselyDescribed = describeKind<'Event'>({ ...traits, looks: [] });

function describedBy(group: string | undefined): typeof described {
  return group === STRICT_GROUP ? described : looselyDescribed;
}

/** The description of event records, which are judged by the group that they are written in, even their metadata. */
export const eventKind: typeof described = {
  ...described,
  validateCreate: (event, group) => eventErrors(event, group, () => described.validateCreate(event)),
  changesTold: (group) => describedBy(group).changesTold(),
  validateUpdate(next, previous, asked = {}) {
    const { group } = asked;
    return eventChangeErrors(next, previous, group, () => describedBy(group).validateUpdate(next, previous, asked));
  },
};
