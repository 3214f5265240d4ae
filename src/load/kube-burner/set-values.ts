import { LoadError } from '../input/load-error.js';
import { parse } from 'yaml';

/** Values of `--set a.b=c,jobs.0.name=x`, put into a document of plain data. @throws LoadError for a text without `=` */
export function withSetValues(document: unknown, assignments: readonly string[]): unknown {
  const copy: unknown = structuredClone(document);
  for (const assignment of assignments.flatMap((each) => each.split(','))) {
    const equals = assignment.indexOf('=');
    if (equals < 1)
      throw new LoadError('--set', '', `must be KEY=VALUE such as jobs.0.qps=10, got ${JSON.stringify(assignment)}`);
    put(copy, assignment.slice(0, equals).split('.'), parse(assignment.slice(equals + 1)));
  }
  return copy;
}

function put(target: unknown, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (typeof target !== 'object' || target === null) return;
  const place = target as Record<string, unknown>;
  if (rest.length === 0) {
    place[key] = value;
    return;
  }
  const below = place[key];
  if (typeof below !== 'object' || below === null) place[key] = {};
  put(place[key], rest, value);
}
