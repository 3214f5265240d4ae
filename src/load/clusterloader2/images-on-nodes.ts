/**
 * Images that a test expects on every machine before it begins. Upstream's clusters are set up with them, and its
 * templates ask for them with the pull policy Never, so that the start of a pod is measured without a pull.
 */
import { isMapping } from '../../options/option-checks.js';
import type { Dict } from '../../templates/values.js';
import type { LoadConfig } from './load-config.js';
import { objectMapping } from './load-phase.js';
import type { TemplateFiles } from './template-files.js';

/**
 * What the first replica of each object asks for, in the order of the test.
 *
 * @throws LoadError for a template that cannot be read or rendered
 */
export function imagesOnNodes({ steps }: LoadConfig, files: TemplateFiles, values: Dict): ReadonlySet<string> {
  const images = new Set<string>();
  const bundles = steps
    .flatMap(({ phases }) => phases)
    .filter(({ replicasPerNamespace }) => replicasPerNamespace > 0)
    .flatMap(({ objectBundle }) => objectBundle);
  for (const object of bundles) {
    // Most templates name no pull policy, and need not be rendered to know it; in others a parameter may say it.
    if (!files.text(object.objectTemplatePath).includes('imagePullPolicy')) continue;
    const documents = files.documents(object.objectTemplatePath, objectMapping(values, object, 'default', 0));
    for (const value of documents) collect(value, images);
  }
  return images;
}

/** Of all that is below a document: pods, and templates of pods wherever a kind has them. */
function collect(value: unknown, into: Set<string>): void {
  if (Array.isArray(value)) for (const each of value) collect(each, into);
  if (!isMapping(value)) return;
  if (value['imagePullPolicy'] === 'Never' && typeof value['image'] === 'string') into.add(value['image']);
  for (const each of Object.values(value)) collect(each, into);
}
