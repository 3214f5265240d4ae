/** Files in which a search writes down what it has found, so that it can be played again. */
import { stringify } from 'yaml';
import { Fields } from '../../workload/fields.js';
import { readYaml } from '../../workload/yaml-text.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import type { PlanDocument } from './plan-document.js';
import type { Discovery } from './search.js';

/** What such a file says. */
export interface FoundFile {
  /** Version of the program that found it. */
  readonly version: string;
  readonly seed: string;
  readonly invariant: string;
  readonly object: string;
  readonly text: string;
  /** Simulated time, ms. */
  readonly atMs: number;
  /** Of the shrunk plan. */
  readonly traceHash: string;
  readonly plan: PlanDocument;
}

/** The text of the file for a discovery. */
export function foundText({ seed, shrunk, shrunkOutcome }: Discovery, version: string): string {
  const [violation] = shrunkOutcome.violations;
  const file: FoundFile = {
    version,
    seed: String(seed),
    invariant: violation?.invariant ?? '',
    object: violation?.object ?? '',
    text: violation?.text ?? '',
    atMs: violation?.atMs ?? 0,
    traceHash: shrunkOutcome.traceHash,
    plan: shrunk,
  };
  // A run that broke down has come to no hash, and perhaps to no object.
  const told = Object.entries(file).filter(([, value]) => value !== '');
  return `# Play it again: npx kubeloom replay FILE [--timeline]\n${stringify(Object.fromEntries(told))}`;
}

/** @throws ScenarioError that names the line, the field, what it got and what is allowed */
export function parseFound(text: string, source: string): FoundFile {
  const documents = readYaml(text, source, (position, problem) => new ScenarioError(position, '', problem));
  const [document] = documents;
  if (document === undefined || documents.length > 1) {
    throw new ScenarioError(source, '', `must be one document, got ${documents.length}`);
  }
  const { value, positionOf } = document;
  const fields = new Fields(value, { path: [], positionOf, ErrorType: ScenarioError });
  fields.only(['version', 'seed', 'invariant', 'object', 'text', 'atMs', 'traceHash', 'plan']);
  const plan = fields.fields('plan');
  plan.only(['title', 'cluster', 'scripts', 'workloads', 'actions', 'reference']);
  const scripts = plan.value('scripts') as PlanDocument['scripts'];
  return {
    version: fields.text('version'),
    seed: fields.text('seed'),
    invariant: fields.text('invariant'),
    object: fields.optionalText('object') ?? '',
    text: fields.optionalText('text') ?? '',
    atMs: fields.count('atMs') ?? 0,
    traceHash: fields.optionalText('traceHash') ?? '',
    // What stands in it is read as a scenario when it is played.
    plan: {
      title: plan.text('title'),
      cluster: (plan.mapping('cluster') ?? {}) as PlanDocument['cluster'],
      workloads: (plan.value('workloads') ?? []) as PlanDocument['workloads'],
      actions: (plan.value('actions') ?? []) as PlanDocument['actions'],
      ...(scripts === undefined ? {} : { scripts }),
      ...(plan.flag('reference') ? { reference: true } : {}),
    },
  };
}
