/** The option `from` of a cluster, in whatever form it was given. */
import { freezeInput } from '../../options/freeze-input.js';
import { OptionError } from '../../options/option-error.js';
import { pictureOf, type ClusterPicture } from './picture.js';
import { isFields } from './source-object.js';
import { digestOf, readText, readValues } from './source-objects.js';

const NAME = 'from';

/** See the file header. @throws OptionError, ImportError, ManifestError */
export function pictureFrom(from: unknown): ClusterPicture {
  if (typeof from === 'string') return pictureOf({ objects: readText(from, NAME), digest: digestOf([from]) });
  if (isPicture(from)) return from;
  if (typeof from !== 'object' || from === null) throw new OptionError(NAME, 'objects, or their text', from);
  const values: readonly unknown[] = Array.isArray(freezeInput(NAME, from)) ? (from as readonly unknown[]) : [from];
  const objects = readValues(values, NAME);
  return pictureOf({ objects, digest: digestOf(objects.map(({ value }) => JSON.stringify(value))) });
}

/** Only what files were read into has said what was left out. */
function isPicture(from: unknown): from is ClusterPicture {
  return isFields(from) && typeof from['digest'] === 'string' && isFields(from['leftOut']);
}
