/** Puts values into a document, by the paths of fields. Pure. */
import { VariantError } from '../../experiments/read-variant.js';
import { printed } from '../../workload/input-error.js';
import type { FieldValues } from './draw-values.js';

/**
 * A copy with these values in it. A path is `run.nodes`, `actions.0.at`, or, where names have dots, a JSON pointer:
 * `/cluster/nodes/0/labels/example.com~1zone`. What is missing on the way becomes a mapping.
 *
 * @throws VariantError for a path that leads through something else
 */
export function withValues(document: unknown, values: FieldValues, source: string): unknown {
  const copy = structuredClone(document);
  for (const [path, value] of Object.entries(values)) put(copy, stepsOf(path), value, path, source);
  return copy;
}

function stepsOf(path: string): readonly string[] {
  if (!path.startsWith('/')) return path.split('.');
  return path
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function put(document: unknown, steps: readonly string[], value: unknown, path: string, source: string): void {
  let place = document;
  steps.forEach((step, index) => {
    const isLast = index === steps.length - 1;
    if (Array.isArray(place)) {
      const list: unknown[] = place;
      if (!/^\d+$/.test(step) || Number(step) >= list.length) {
        throw new VariantError(source, path, `has ${printed(step)} where a list of ${list.length} is`);
      }
      if (isLast) list[Number(step)] = value;
      place = list[Number(step)];
      return;
    }
    if (typeof place !== 'object' || place === null || step === '' || step === '__proto__') {
      throw new VariantError(source, path, `leads through ${printed(place)}, which is no mapping`);
    }
    const mapping = place as Record<string, unknown>;
    if (isLast) mapping[step] = value;
    else mapping[step] ??= {};
    place = mapping[step];
  });
}
