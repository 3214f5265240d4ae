/**
 * Reads scenario files: YAML, one mapping. What can be checked without a cluster is checked here, strictly: an
 * unknown field or a wrong value is an error with its line, its path, what it got and what is allowed.
 */
import { ApiError } from '../../api/errors/api-error.js';
import type { Draft } from '../../api/objects/objects.js';
import { ScriptError } from '../../kubelet/scripts/script-error.js';
import { parseScriptRules, type ScriptRule } from '../../kubelet/scripts/script-rules.js';
import { tableAsText } from '../../offered-load/read-rate.js';
import { Fields } from '../../workload/fields.js';
import { printed, type InputError } from '../../workload/input-error.js';
import { fieldFaults, validateFields } from '../../workload/field-validation.js';
import { classify, ManifestError, parseManifests } from '../../workload/manifest.js';
import { readYaml, type ValuePath } from '../../workload/yaml-text.js';
import type { ClusterOptions } from '../../cluster/options.js';
import { parseThresholds, type Threshold } from '../../measurements/thresholds.js';
import { OptionError } from '../../options/option-error.js';
import { checkReferences, readAction, type FileReaders } from './read-action.js';
import { readExpectation } from './read-expectation.js';
import { durationOf } from './read-fields.js';
import { ScenarioError } from './scenario-error.js';
import type { Expectation, Scenario, ScenarioAction } from './scenario.js';

/** The text of a file that a scenario names, by its path beside the scenario. Throws when it cannot be read. */
export type FileReader = (path: string) => string;

const FIELDS = ['title', 'cluster', 'scripts', 'workloads', 'actions', 'expectations', 'thresholds', 'until'];

/**
 * Reads a scenario.
 *
 * @param source - how messages call the text: a file name
 * @throws ScenarioError that names the place, the field, what it got and what is allowed; ManifestError for a
 * file of manifests that cannot be used
 */
export function parseScenario(text: string, source: string, readFile: FileReader): Scenario {
  return scenarioOf(fieldsOf(text, source), source, readFile);
}

/** A scenario with what its file says, in which objects take the places of the files that are named. */
export interface WrittenScenario {
  readonly scenario: Scenario;
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly scripts: readonly unknown[] | undefined;
  readonly actions: readonly Readonly<Record<string, unknown>>[];
}

/** As {@link parseScenario}. @throws ScenarioError; ManifestError */
export function parseWritten(text: string, source: string, readFile: FileReader): WrittenScenario {
  const fields = fieldsOf(text, source);
  const scenario = scenarioOf(fields, source, readFile);
  const files = fileReaders(readFile);
  const written = (fields.value('actions') ?? []) as readonly Readonly<Record<string, unknown>>[];
  const actions = entriesOf(fields, 'actions').map((action, index) => {
    const apply = action.has('apply') ? { apply: files.objects(action, 'apply') } : {};
    return {
      ...written[index],
      ...apply,
      ...(action.has('load') ? { load: writtenLoad(action.fields('load'), files) } : {}),
    };
  });
  return {
    scenario,
    cluster: fields.mapping('cluster') ?? {},
    scripts: fields.value('scripts') as readonly unknown[] | undefined,
    actions,
  };
}

function writtenLoad(load: Fields, files: FileReaders): object {
  const { table, ...others } = load.whole;
  return table === undefined ? others : { ...others, rate: tableAsText(files.text(load, 'table')) };
}

function fieldsOf(text: string, source: string): Fields {
  const documents = readYaml(text, source, (position, problem) => new ScenarioError(position, '', problem));
  const [document] = documents;
  if (document === undefined || documents.length > 1) {
    throw new ScenarioError(source, '', `must be one document, got ${documents.length}`);
  }
  const { value, positionOf } = document;
  const fields = new Fields(value, { path: [], positionOf, ErrorType: ScenarioError });
  fields.only(FIELDS);
  return fields;
}

function scenarioOf(fields: Fields, source: string, readFile: FileReader): Scenario {
  const files = fileReaders(readFile);
  const actions = entriesOf(fields, 'actions').map((action) => readAction(action, files));
  checkReferences(actions);
  checkNames(actions);
  const expectations = entriesOf(fields, 'expectations').map(readExpectation);
  const untilMs = durationOf(fields, 'until') ?? 0;
  return {
    source,
    title: fields.optionalText('title'),
    cluster: readCluster(fields),
    workloads: fields.has('workloads') ? files.objects(fields, 'workloads') : [],
    actions: actions.toSorted((a, b) => a.atMs - b.atMs),
    expectations,
    thresholds: readThresholds(fields),
    untilMs,
    endMs: Math.max(untilMs, lastTime(actions, expectations)),
    refuse: (keys, problem) => fields.refusal(['cluster', ...keys], problem),
  };
}

function entriesOf(fields: Fields, field: string): readonly Fields[] {
  return fields.has(field) ? fields.list(field) : [];
}

function readCluster(fields: Fields): ClusterOptions {
  const cluster = fields.mapping('cluster') ?? {};
  for (const field of ['realtime', 'scripts'] as const) {
    if (!(field in cluster)) continue;
    const problem =
      field === 'scripts' ? 'stands beside cluster, not in it' : 'cannot be: scenarios run in virtual time';
    throw fields.refusal(['cluster', field], problem);
  }
  const scripts = readScripts(fields);
  return { ...cluster, ...(scripts === undefined ? {} : { scripts }) };
}

function readThresholds(fields: Fields): readonly Threshold[] {
  const thresholds = fields.mapping('thresholds') ?? {};
  return Object.entries(thresholds).flatMap(([metric, expressions]) => {
    try {
      return parseThresholds({ [metric]: expressions }, '');
    } catch (error) {
      if (!(error instanceof OptionError)) throw error;
      const [, place = '', problem = ''] =
        /^(?:option )?(\S*) (.*)$/s.exec(error.message.replace(`.${metric}`, '')) ?? [];
      throw fields.refusal(['thresholds', metric, ...place.split('.').slice(1)], problem);
    }
  });
}

function readScripts(fields: Fields): readonly ScriptRule[] | undefined {
  if (!fields.has('scripts')) return undefined;
  try {
    return parseScriptRules(fields.value('scripts'), 'scripts');
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw fields.refusal(['scripts', ...error.keys], `must be ${error.allowed}, got ${error.got}`);
  }
}

function fileReaders(readFile: FileReader): FileReaders {
  return {
    objects: objectReader(readFile),
    text: (fields, field) => fileText(fields.text(field), readFile, (problem) => fields.refusal(field, problem)),
  };
}

/** Objects as they stand, or the names of files with manifests, mixed at will; one of them needs no list. */
function objectReader(readFile: FileReader): FileReaders['objects'] {
  return (fields, field) => {
    const value = fields.value(field);
    const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
    return entries.flatMap((entry, index): readonly Draft[] => {
      const keys = Array.isArray(value) ? [field, index] : [field];
      if (typeof entry === 'string')
        return objectsOf(
          fileText(entry, readFile, (problem) => fields.refusal(keys, problem)),
          entry,
        );
      if (typeof entry !== 'object' || entry === null) {
        throw fields.refusal(keys, `must be an object or the name of a file, got ${printed(entry)}`);
      }
      return inlineObject(entry, (below, problem) => fields.refusal([...keys, ...below], problem));
    });
  };
}

function fileText(path: string, readFile: FileReader, refuse: (problem: string) => InputError): string {
  try {
    return readFile(path);
  } catch (error) {
    throw refuse(`names ${path}, which cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function objectsOf(text: string, source: string): readonly Draft[] {
  const documents = parseManifests(text, source);
  validateFields(classify(documents).objects, 'strict', () => undefined);
  return documents.map(({ draft }) => draft);
}

function inlineObject(entry: object, refuse: (keys: ValuePath, problem: string) => InputError): readonly Draft[] {
  try {
    const documents = parseManifests([entry as Draft], 'object');
    const [fault] = classify(documents).objects.flatMap(fieldFaults);
    if (fault !== undefined) throw refuse(fault.path, `is not known: strict decoding error: ${fault.text}`);
    return documents.map(({ draft }) => draft);
  } catch (error) {
    if (error instanceof ApiError) throw refuse([], error.message.replace(/^object\[\d+\]: /, ''));
    if (!(error instanceof ManifestError)) throw error;
    const { source, field, message } = error;
    const problem = message.slice(`${source}: ${field === '' ? '' : `${field} `}`.length);
    throw refuse(field === '' ? [] : field.split('.'), problem);
  }
}

function checkNames(actions: readonly ScenarioAction[]): void {
  const names = new Set<string>();
  for (const { name, refuse } of actions) {
    if (name === undefined) continue;
    if (names.has(name)) throw refuse(['name'], `must be the name of one action, got ${printed(name)} twice`);
    names.add(name);
  }
}

function lastTime(actions: readonly ScenarioAction[], expectations: readonly Expectation[]): number {
  return Math.max(
    0,
    ...actions.map(({ atMs, step }) => atMs + ((step.verb === 'fault' ? step.forMs : undefined) ?? 0)),
    ...expectations.map(({ fromMs, untilMs }) => untilMs ?? fromMs),
  );
}
