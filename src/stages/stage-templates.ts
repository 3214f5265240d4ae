/** Templates of stages: Go's, with sprig's functions and kwok's (kwok, pkg/utils/gotpl), rendered to plain data. */
import { stringify } from 'yaml';
import type { RandomStream } from '../kernel/random.js';
import { createTimestamps } from '../kernel/timestamps.js';
import { fixed, variadic, type FunctionTable } from '../templates/functions.js';
import { sprigFunctions } from '../templates/sprig/sprig.js';
import { TemplateError } from '../templates/template-error.js';
import { parseTemplate, type Template } from '../templates/template.js';
import { plainOf, valueOf, type Value } from '../templates/values.js';
import { readYaml } from '../workload/yaml-text.js';
import type { Json, JsonObject } from './jq/jq-values.js';
import { StageFailure } from './stage.js';

/** What templates may see of the world around them. */
export interface TemplateWorld {
  readonly random: RandomStream;
  /** When the cluster began, milliseconds since 1970. */
  readonly startMs: number;
}

/** What an address is where no machine stands behind it. */
const ADDRESS = '10.0.0.1';
const VERSION = 'v0.8.0';
const NAME = 'stage';

/** The conditions of a node that is well. */
const NODE_CONDITIONS = [
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['NetworkUnavailable', 'False', 'RouteCreated', 'RouteController created a route'],
].map(([type, status, reason, message]) => ({
  type,
  status,
  lastHeartbeatTime: null,
  lastTransitionTime: null,
  reason,
  message,
}));

const timestamps = createTimestamps('1970-01-01T00:00:00Z');

/** Go's RFC3339Nano: no digits that are zero at the end. */
function nanoTime(ms: number): string {
  return timestamps.toMicroTime(ms).replace(/\.?0+Z$/, 'Z');
}

/** kwok's own functions. */
function stageFunctions(nowMs: () => number, startMs: number): FunctionTable {
  const address = variadic([], 'any', () => ADDRESS);
  const addresses = variadic([], 'any', () => [ADDRESS]);
  return {
    Quote: fixed(['any'], quoted),
    Now: fixed([], () => nanoTime(nowMs())),
    StartTime: fixed([], () => nanoTime(startMs)),
    YAML: variadic(['any'], 'int', ([indent = 0], value) => yamlText(value, indent)),
    Version: fixed([], () => VERSION),
    NodeConditions: fixed([], () => valueOf(NODE_CONDITIONS, 'yaml')),
    NodeName: fixed([], () => ''),
    NodePort: fixed([], () => 0),
    NodeIP: address,
    NodeIPWith: address,
    NodeIPsWith: addresses,
    PodIP: address,
    PodIPWith: address,
    PodIPsWith: addresses,
  };
}

/** JSON of texts; of all else the text of its JSON, quoted. */
function quoted(value: Value): string {
  const text = JSON.stringify(plainOf(value));
  return text.startsWith('"') ? text : JSON.stringify(text);
}

function yamlText(value: Value, indent: number): string {
  const text = stringify(plainOf(value), { sortMapEntries: true, lineWidth: 0, indentSeq: false });
  return indent > 0 ? `\n${text}`.replaceAll('\n', `\n${' '.repeat(2 * indent)}`) : text;
}

/** @throws TemplateError for a text that is no template */
export function checkTemplate(text: string): void {
  const random: RandomStream = { int: (min) => min, unit: () => 0, bits: () => 0 };
  new StageTemplates({ random, startMs: 0 }).read(text);
}

/** See the file header. */
export class StageTemplates {
  readonly #functions: FunctionTable;
  readonly #templates = new Map<string, Template>();
  #nowMs = 0;

  constructor({ random, startMs }: TemplateWorld) {
    const nowMs = (): number => this.#nowMs;
    this.#functions = {
      ...sprigFunctions({ random, nowMs, environment: {} }),
      ...stageFunctions(nowMs, startMs),
    };
  }

  /** @throws TemplateError */
  read(text: string): Template {
    let template = this.#templates.get(text);
    if (template === undefined) {
      template = parseTemplate(NAME, text.trim(), { functions: this.#functions });
      this.#templates.set(text, template);
    }
    return template;
  }

  /** The data that a template comes to for an object at a time. @throws StageFailure */
  render(text: string, object: JsonObject, nowMs: number): Json {
    this.#nowMs = nowMs;
    try {
      const rendered = this.read(text).render(valueOf(object, 'yaml'));
      const [document] = readYaml(rendered, NAME, (position, problem) => new StageFailure(`${position}: ${problem}`));
      return document === undefined ? null : (document.value as Json);
    } catch (error) {
      if (error instanceof TemplateError) throw new StageFailure(error.message);
      throw error;
    }
  }
}
