import { LineCounter, parseAllDocuments, type Document } from 'yaml';
import { SchedulerConfigError } from './scheduler-config-error.js';

/**
 * The one document of a YAML or JSON text.
 *
 * @throws SchedulerConfigError for a text that cannot be read, with the line
 */
export function readConfigText(text: string, source: string): unknown {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, merge: true });
  // Without any document the library answers with an empty list of another type.
  const documents = ([...parsed] as Document[]).filter(
    ({ contents, errors }) => contents !== null || errors.length > 0,
  );
  const [document] = documents;
  if (document === undefined) throw new SchedulerConfigError(source, ['holds no KubeSchedulerConfiguration']);
  const [error] = document.errors;
  if (error !== undefined) {
    const line = Math.max(lines.linePos(error.pos[0]).line, 1);
    throw new SchedulerConfigError(`${source}:${line}`, [oneLine(error.message)]);
  }
  if (documents.length > 1) {
    throw new SchedulerConfigError(source, [
      `must hold one KubeSchedulerConfiguration, got ${documents.length} documents`,
    ]);
  }
  try {
    return document.toJS();
  } catch (problem) {
    // Aliases that do not resolve, or that unfold without end.
    throw new SchedulerConfigError(source, [oneLine(problem instanceof Error ? problem.message : String(problem))]);
  }
}

function oneLine(message: string): string {
  return message.replaceAll(/\s+/g, ' ').trim();
}
