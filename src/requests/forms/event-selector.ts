/** Selectors of event records by the fields of events.k8s.io (pkg/apis/events/v1/conversion.go, v1.34). */
import { ApiError } from '../../api/errors/api-error.js';
import { toKept } from '../../api/objects/event-form.js';
import { parseFieldSelector } from '../../api/selectors/field-selector.js';

/** Fields that both forms call the same, by which records are selected. */
const SAME_FIELDS: ReadonlySet<string> = new Set(['reason', 'type', 'metadata.name', 'metadata.namespace']);

/** A selector by the fields that the other group shows, such as `regarding.name`. @throws ApiError 400 for any other */
export function keptEventSelector(fieldSelector: string): string {
  const terms = parseFieldSelector(fieldSelector).map(({ field, operator, value }) => {
    const [first = '', ...below] = field.split('.');
    const kept = [toKept.get(first) ?? '', ...below].join('.');
    const isShown = first === 'regarding' ? below.length === 1 : field === 'reportingController';
    if (!isShown && !SAME_FIELDS.has(field)) {
      throw new ApiError(400, 'BadRequest', `field label not supported: ${field}`);
    }
    return `${isShown ? kept : field}${operator}${value.replace(/[\\,=]/g, (letter) => `\\${letter}`)}`;
  });
  return terms.join(',');
}
