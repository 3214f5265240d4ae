import type { SchedulerConfiguration } from '../scheduler/config/configuration.js';
import { parseSchedulerConfig } from '../scheduler/config/parse-scheduler-config.js';
import { SchedulerConfigError } from '../scheduler/config/scheduler-config-error.js';
import { readYaml } from '../workload/yaml-text.js';

/**
 * Reads a KubeSchedulerConfiguration: YAML or JSON text, strictly, or the parsed object.
 *
 * @param source - names it in messages, such as the path of its file
 * @throws SchedulerConfigError with everything that is wrong, of a text each with its line
 */
export function readSchedulerConfig(input: string | object, source: string): SchedulerConfiguration {
  if (typeof input !== 'string') return parseSchedulerConfig(input, source);
  const documents = readYaml(input, source, (position, problem) => new SchedulerConfigError(position, [problem]));
  const [document] = documents;
  if (document === undefined) throw new SchedulerConfigError(source, ['holds no KubeSchedulerConfiguration']);
  if (documents.length > 1) {
    const problem = `must hold one KubeSchedulerConfiguration, got ${documents.length} documents`;
    throw new SchedulerConfigError(source, [problem]);
  }
  return parseSchedulerConfig(document.value, source, document.positionOf);
}
