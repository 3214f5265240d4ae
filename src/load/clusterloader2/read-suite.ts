import { dirname, join } from 'node:path';
import { documentsOf, LoadFields } from '../input/load-fields.js';
import { LoadError } from '../input/load-error.js';
import { printed } from '../../workload/input-error.js';
import type { FileReader } from './template-files.js';

/** One test of a suite. */
export interface SuiteTest {
  readonly identifier: string;
  readonly path: string;
  readonly overrides: readonly string[];
}

/** A suite of tests; paths that are not there as they are written are looked for beside the suite. @throws LoadError */
export function readSuite(file: string, read: FileReader): readonly SuiteTest[] {
  let text: string;
  try {
    text = read(file);
  } catch (error) {
    throw new LoadError(file, '', `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const [document] = documentsOf(text, file);
  const tests = document?.value ?? [];
  if (!Array.isArray(tests)) throw new LoadError(file, '', `must be a list of tests, got ${printed(tests)}`);
  const located = (path: string): string => {
    try {
      read(path);
      return path;
    } catch {
      return join(dirname(file), path);
    }
  };
  return tests.map((test: unknown, index) => {
    const fields = new LoadFields(test, [index], document?.positionOf ?? (() => file));
    const identifier = fields.text('identifier', '');
    if (identifier.includes('_'))
      throw fields.refusal('identifier', `must have no underscore, got ${printed(identifier)}`);
    return {
      identifier,
      path: located(fields.requiredText('configPath')),
      overrides: (fields.texts('overridePaths') ?? []).map(located),
    };
  });
}
