/** Values that several parts of a scenario are written in. */
import { resolveResource } from '../../api/kinds/registry.js';
import type { Kind } from '../../api/objects/objects.js';
import { parseDurationMs } from '../../kernel/distribution.js';
import { nearestWord } from '../../kernel/nearest-word.js';
import type { Fields } from '../../workload/fields.js';
import { LONGEST_DURATION_MS, LONGEST_TEXT } from '../../kernel/time-units.js';
import { printed } from '../../workload/input-error.js';
import type { NodeChoice } from './scenario.js';

const DEFAULT_NAMESPACE = 'default';
const NODE_FORMS = 'the name of a node, {ofPod: NAME}, {ofPods: SELECTOR} or {ofAction: NAME}';

/** A duration of a field, in milliseconds. */
export function durationOf(fields: Fields, field: string): number | undefined {
  const value = fields.value(field);
  if (value === undefined) return undefined;
  const ms = value === 0 ? 0 : parseDurationMs(typeof value === 'string' ? value : '');
  if (ms !== undefined && ms > LONGEST_DURATION_MS) {
    throw fields.refusal(field, `must be ${LONGEST_TEXT}, got ${printed(value)}`);
  }
  if (ms !== undefined) return Math.round(ms);
  throw fields.refusal(field, `must be a duration such as 90s, 10m or 1h30m, got ${printed(value)}`);
}

/** A duration that must be there. */
export function requiredDuration(fields: Fields, field: string): number {
  const ms = durationOf(fields, field);
  if (ms !== undefined) return ms;
  throw fields.refusal(field, 'is missing, must be a duration such as 90s, 10m or 1h30m');
}

/** A whole number of a field that is not negative. */
export function requiredCount(fields: Fields, field: string): number {
  const count = fields.count(field);
  if (count !== undefined) return count;
  throw fields.refusal(field, 'is missing, must be an integer >= 0');
}

/** A node by its name, by a pod of it, or by an earlier action. */
export function nodeOf(fields: Fields, field: string): NodeChoice | undefined {
  const value = fields.value(field);
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value !== '') return { name: value };
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw fields.refusal(field, `must be ${NODE_FORMS}, got ${printed(value)}`);
  }
  const choice = fields.fields(field);
  const forms = ['ofPod', 'ofPods', 'ofAction'] as const;
  choice.only(forms);
  const [form, ...others] = forms.filter((each) => choice.has(each));
  if (form === undefined || others.length > 0) {
    throw choice.refusal(undefined, `must have one of ${forms.join(', ')}`);
  }
  const text = choice.text(form);
  if (form === 'ofPods') return { ofPods: text };
  return form === 'ofPod' ? { ofPod: qualified(text) } : { ofAction: text };
}

/** A node that must be there. */
export function requiredNode(fields: Fields, field: string): NodeChoice {
  const node = nodeOf(fields, field);
  if (node !== undefined) return node;
  throw fields.refusal(field, `is missing, must be ${NODE_FORMS}`);
}

/** An object as `kubectl` names it: `pod/web-0`, `statefulset/db`, `node/node-1`. */
export interface NamedObject {
  readonly kind: Kind;
  readonly name: string;
}

/** Reads `KIND/NAME`. */
export function namedObject(fields: Fields, field: string, text: string): NamedObject {
  const slash = text.indexOf('/');
  const name = text.slice(slash + 1);
  if (slash < 1 || name === '' || name.includes('/')) {
    throw fields.refusal(field, `must be KIND/NAME such as pod/web-0, got ${printed(text)}`);
  }
  return { kind: kindOf(fields, field, text.slice(0, slash)), name };
}

/** A kind as users write it: `Pod`, `pods`, `po`. */
export function kindOf(fields: Fields, field: string, text: string): Kind {
  const kind = resolveResource(text);
  if (kind !== undefined) return kind;
  const nearest = nearestWord(text, USUAL_KINDS);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  throw fields.refusal(field, `must name a kind that is simulated, got ${printed(text)}${hint}`);
}

const USUAL_KINDS: readonly string[] = [
  'pod',
  'node',
  'deployment',
  'replicaset',
  'statefulset',
  'daemonset',
  'job',
  'cronjob',
  'service',
  'namespace',
  'poddisruptionbudget',
  'persistentvolumeclaim',
  'persistentvolume',
];

/** `namespace/name`; without a namespace, in `default`. */
export function qualified(text: string): string {
  return text.includes('/') ? text : `${DEFAULT_NAMESPACE}/${text}`;
}

/** Plain data on one line, as YAML's flow style has it. */
export function flowText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, each]) => `${key}: ${flowText(each)}`)
      .join(', ')}}`;
  }
  return String(value);
}
