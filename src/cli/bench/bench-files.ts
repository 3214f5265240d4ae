/** Where the workloads of scheduler_perf's form and their templates are. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSchedulerPerf, type PerfWorkload, type TemplateFiles } from '../../index.js';
import { readInput } from '../input/read-input.js';

/** The workloads that come with the program: data beside the compiled files, wherever these are. */
export const WORKLOAD_FOLDER = folderAbove(path.dirname(fileURLToPath(import.meta.url)), 'bench/workloads');

/** The files of {@link WORKLOAD_FOLDER} that hold workloads, in order of their names. */
export function ownWorkloadFiles(): readonly string[] {
  const names = readdirSync(WORKLOAD_FOLDER).filter((name) => name.endsWith('.yaml'));
  return names.sort().map((name) => path.join(WORKLOAD_FOLDER, name));
}

/**
 * The workloads of a file.
 *
 * @param templates - where its templates are looked for; absent = as upstream, from the folder of the file
 * @throws UsageError when the file cannot be read, SchedulerPerfError for what is wrong in it
 */
export function readWorkloads(file: string, templates: string | undefined): readonly PerfWorkload[] {
  return parseSchedulerPerf(readInput('--config', file), path.basename(file), templateFiles(file, templates));
}

function templateFiles(file: string, templates: string | undefined): TemplateFiles {
  const base = templates ?? path.dirname(file);
  return {
    read(name) {
      // A folder of templates may lie elsewhere than the paths of the configuration say.
      const candidates = [
        path.resolve(base, name),
        ...(templates === undefined ? [] : [path.join(base, path.basename(name))]),
      ];
      const found = candidates.find((candidate) => existsSync(candidate));
      if (found === undefined) throw new Error(`no such file: ${candidates.join(' or ')}`);
      return { text: readFileSync(found, 'utf8'), source: name };
    },
  };
}

function folderAbove(start: string, name: string): string {
  for (let folder = start; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const candidate = path.join(folder, name);
    if (existsSync(path.join(candidate, 'templates'))) return candidate;
  }
  throw new Error(`there is no folder ${name} above ${start}`);
}
