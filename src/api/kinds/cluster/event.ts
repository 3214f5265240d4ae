/** Event records of the core group (pkg/apis/core/validation/events.go, v1.34). */
import { invalid } from '../../errors/field-errors.js';
import type { EventRecord } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { describeKind } from '../rules/describe-kind.js';
import { filled } from '../rules/filling.js';

const NO_SOURCE = Object.freeze({});

/** The description of event records. */
export const eventKind = describeKind({
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
  validate: validateNamespaces,
});

/** A record lies beside its object; those of cluster-scoped objects lie in `default`. */
function validateNamespaces({ metadata, involvedObject }: EventRecord): FieldError[] {
  const { namespace = '' } = involvedObject;
  const own = metadata.namespace ?? '';
  if (namespace === own || (namespace === '' && own === 'default')) return [];
  return [invalid('involvedObject.namespace', namespace, 'does not match event.namespace')];
}
