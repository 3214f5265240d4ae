/**
 * What is refused of event records (pkg/apis/core/validation/events.go, v1.34): the core group takes nearly everything,
 * for the sake of old clients, and events.k8s.io is strict. What the cluster's own parts record is well-formed by their
 * make, and only its place is looked at: there are many.
 */
import { asGo } from '../../go/go-json.js';
import { invalid, invalidEach, required } from '../../errors/field-errors.js';
import type { EventRecord } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { dns1123Subdomain, pathSegmentName, qualifiedName } from '../../values/names.js';
import { validateObjectMeta } from '../rules/object-meta.js';
import { immutable } from '../rules/storage-fields.js';

/** The group whose records are judged closely. */
export const STRICT_GROUP = 'events.k8s.io';
const MOST_CHARACTERS = 128;
const MOST_OF_NOTE = 1024;
const FEWEST_OF_SERIES = 2;
const ANY_NAME = { isNamespaced: true, nameCheck: pathSegmentName, hasQualifiedFinalizers: false };
/** A time to the millionth of a second, of which more digits do not count. */
const MICROSECONDS = /(\.\d{6})\d*/;

/** Everything wrong with a new record. @param metadata - what is wrong with its metadata */
export function eventErrors(
  event: EventRecord,
  group: string | undefined,
  metadata: () => readonly FieldError[],
): readonly FieldError[] {
  if (group === undefined) return [...metadata(), ...placeErrors(event, event.metadata.namespace ?? '')];
  const errors = commonErrors(event, group);
  // What all kinds have in common is looked at when nothing else is wrong.
  if (group !== STRICT_GROUP) return errors.length > 0 ? errors : validateObjectMeta(event.metadata, ANY_NAME);
  errors.push(...metadata(), ...seriesErrors(event));
  if ((event.eventTime ?? '') === '') errors.push(required('eventTime'));
  const { type = '', count = 0, source, firstTimestamp = '', lastTimestamp = '' } = event;
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalid('type', '', `has invalid value: ${type}`));
  const isFromSource = (source?.component ?? '') !== '' || (source?.host ?? '') !== '';
  const set = { firstTimestamp: firstTimestamp !== '', lastTimestamp: lastTimestamp !== '', count: count !== 0 };
  for (const [field, isSet] of Object.entries({ ...set, source: isFromSource })) {
    if (isSet) errors.push(invalid(field, '', 'needs to be unset'));
  }
  return errors;
}

/** Everything wrong with a record after an update. @param metadata - what is wrong with its metadata */
export function eventChangeErrors(
  next: EventRecord,
  previous: EventRecord,
  group: string | undefined,
  metadata: () => readonly FieldError[],
): readonly FieldError[] {
  if (group === undefined) return [...metadata(), ...placeErrors(next, next.metadata.namespace ?? '')];
  const errors = [...metadata(), ...commonErrors(next, group)];
  if (group !== STRICT_GROUP) return errors;
  if (immutable(next.series, previous.series, 'series').length > 0) errors.push(...seriesErrors(next));
  const same = (field: keyof EventRecord, type?: string, named: string = field): FieldError[] =>
    immutable(
      next[field] ?? (type === undefined ? EMPTY[field] : undefined),
      previous[field] ?? (type === undefined ? EMPTY[field] : undefined),
      named,
    ).map((error) =>
      type === undefined ? error : invalid(named, asGo(type, next[field] ?? {}), 'field is immutable'),
    );
  errors.push(
    ...same('involvedObject', 'ObjectReference'),
    ...same('reason'),
    ...same('message'),
    ...same('source', 'EventSource'),
    ...same('firstTimestamp'),
    ...same('lastTimestamp'),
    ...same('count'),
    ...same('reason'),
    ...same('type'),
    ...(microseconds(next.eventTime) === microseconds(previous.eventTime) ? [] : same('eventTime')),
    ...same('action'),
    ...same('related', 'ObjectReference'),
    ...same('reportingComponent', undefined, 'reportingController'),
    ...same('reportingInstance'),
  );
  return errors;
}

/** What is printed of fields that are not there. */
const EMPTY: Readonly<Partial<Record<keyof EventRecord, unknown>>> = {
  reason: '',
  message: '',
  count: 0,
  type: '',
  action: '',
  reportingComponent: '',
  reportingInstance: '',
};

function microseconds(time: string | null | undefined): string {
  return (time ?? '').replace(MICROSECONDS, '$1');
}

function seriesErrors({ series }: EventRecord): readonly FieldError[] {
  if (series === undefined) return [];
  const errors: FieldError[] = [];
  if ((series.count ?? 0) < FEWEST_OF_SERIES) errors.push(invalid('series.count', '', 'should be at least 2'));
  if ((series.lastObservedTime ?? '') === '') errors.push(required('series.lastObservedTime'));
  return errors;
}

/** Records with a time of their own are of the newer form, whatever group they are written in. */
function commonErrors(event: EventRecord, group: string | undefined): FieldError[] {
  const { namespace = '' } = event.metadata;
  const errors =
    (event.eventTime ?? '') === '' ? placeErrors(event, namespace) : newFormErrors(event, namespace, group);
  errors.push(...invalidEach('namespace', namespace, dns1123Subdomain(namespace)));
  return errors;
}

/** A record lies beside its object; those of cluster-scoped objects lie in `default`. */
function placeErrors({ involvedObject }: EventRecord, own: string): FieldError[] {
  const { namespace = '' } = involvedObject;
  if (namespace === own || (namespace === '' && own === 'default')) return [];
  return [invalid('involvedObject.namespace', namespace, 'does not match event.namespace')];
}

function newFormErrors(event: EventRecord, own: string, group: string | undefined): FieldError[] {
  const {
    involvedObject,
    reportingComponent = '',
    reportingInstance = '',
    action = '',
    reason = '',
    message = '',
  } = event;
  const errors: FieldError[] = [];
  const { namespace = '' } = involvedObject;
  if (namespace === '' && own !== 'default' && own !== 'kube-system') {
    errors.push(invalid('involvedObject.namespace', namespace, 'does not match event.namespace'));
  }
  const reporter = group === STRICT_GROUP ? 'reportingController' : 'reportingComponent';
  if (reportingComponent === '') errors.push(required(reporter));
  errors.push(...invalidEach(reporter, reportingComponent, qualifiedName(reportingComponent)));
  for (const [field, value] of Object.entries({ reportingInstance, action, reason })) {
    if (value === '') errors.push(required(field));
    if (Buffer.byteLength(value) > MOST_CHARACTERS) errors.push(tooManyCharacters(field, MOST_CHARACTERS));
  }
  if (Buffer.byteLength(message) > MOST_OF_NOTE) errors.push(tooManyCharacters('message', MOST_OF_NOTE));
  return errors;
}

function tooManyCharacters(field: string, most: number): FieldError {
  return invalid(field, '', `can have at most ${most} characters`);
}
