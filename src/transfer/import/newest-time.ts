/**
 * The newest time that a dump tells of what has happened: the present of the cluster that it was taken from. Pure.
 * Times that may lie ahead, such as that of a deletion, and what users wrote do not count.
 */
import { isFields, type Fields } from './source-object.js';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
/** Fields of objects that are times of records, beside those of metadata and status. */
const RECORDED: readonly string[] = ['firstTimestamp', 'lastTimestamp', 'eventTime'];

/** RFC 3339 with whole seconds; `undefined` = nothing tells. */
export function newestTime(objects: Iterable<Fields>): string | undefined {
  let newest = '';
  const note = (value: unknown): void => {
    if (typeof value === 'string' && value.length >= 20 && value > newest && TIME.test(value)) newest = value;
  };
  for (const { kind, metadata, status, spec, ...others } of objects) {
    if (isFields(metadata)) {
      note(metadata['creationTimestamp']);
      const { managedFields } = metadata;
      if (Array.isArray(managedFields)) for (const entry of managedFields) if (isFields(entry)) note(entry['time']);
    }
    if (isFields(status)) noteAll(status, note);
    for (const field of RECORDED) note(others[field]);
    if (kind === 'Lease' && isFields(spec)) note(spec['renewTime']);
  }
  return newest === '' ? undefined : `${newest.slice(0, 19)}Z`;
}

/** Every time in a status. */
function noteAll(value: object, note: (value: unknown) => void): void {
  for (const each of Object.values(value) as readonly unknown[]) {
    if (typeof each === 'object' && each !== null) noteAll(each, note);
    else note(each);
  }
}
