/** Files of stages: YAML or JSON, any number of documents, lists flattened. */
import { InputError } from '../workload/input-error.js';
import { parseManifests, type ManifestDocument } from '../workload/manifest.js';
import type { Draft } from '../api/objects/objects.js';
import { isStage, readStage } from './read-stage.js';
import type { Stage } from './stage.js';
import { StageError } from './stage-error.js';

/** A stage that cannot be used, with its file and line. */
export class StageFileError extends InputError {
  override readonly name = 'StageFileError';
}

/** @throws StageFileError */
export function stageOf({ draft, positionOf }: ManifestDocument): Stage | undefined {
  try {
    return readStage(draft);
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    throw new StageFileError(positionOf(error.path), error.field, error.problem);
  }
}

/** The stages of a text or of objects as they are played. @throws StageFileError, ManifestError */
export function readStages(input: string | readonly Draft[], source: string): readonly Stage[] {
  return documentsOf(input, source).flatMap((document) => stageOf(document) ?? []);
}

/**
 * Reads the stages of a text, for `createCluster({ stages })`.
 *
 * @param source - how messages call the text: a file name
 * @throws StageFileError that names the place, the field, what it got and what is allowed; ManifestError
 */
export function parseStages(text: string, source: string): readonly Draft[] {
  const documents = documentsOf(text, source);
  for (const document of documents) stageOf(document);
  return documents.map(({ draft }) => draft);
}

function documentsOf(input: string | readonly Draft[], source: string): readonly ManifestDocument[] {
  const documents = parseManifests(input, source);
  if (documents.length === 0 && typeof input === 'string')
    throw new StageFileError(`${source}:1`, '', 'holds no stages');
  for (const document of documents) {
    if (isStage(document)) continue;
    const problem = `must be a Stage of kwok.x-k8s.io/v1alpha1, got ${document.apiVersion} ${document.kind}`;
    throw new StageFileError(document.source, 'kind', problem);
  }
  return documents;
}
