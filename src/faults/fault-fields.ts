/** The fields of each fault and what may stand in them. */
import { kindRegistry } from '../api/kinds/registry.js';
import { parseDistribution, parseDurationMs } from '../kernel/distribution.js';
import { nearestWord } from '../kernel/nearest-word.js';
import { printedValue } from '../kernel/printed-value.js';
import { LONGEST_DURATION_MS, LONGEST_TEXT } from '../kernel/time-units.js';
import type { FaultVerb } from './fault.js';
import { STORE, type FaultSeams } from './fault-seams.js';

/** What is wrong with the value of a field; `undefined` = nothing. Without seams names are not looked up. */
export interface FieldCheck {
  (value: unknown, seams: FaultSeams | undefined): string | undefined;
  /** The words of which the value is one, or, where `isList`, some; the schema of faults is made of them. */
  readonly words?: readonly string[];
  readonly isList?: boolean;
}

/** One field. */
export interface FaultField {
  readonly isRequired: boolean;
  /** It names what users make, and what may come while the cluster runs. */
  readonly isLate: boolean;
  readonly problem: FieldCheck;
}

/** A longer list of names is left out of a message. */
const LONGEST_LIST = 30;
/** Beyond that many words an example says more. */
const MOST_ALTERNATIVES = 10;
const DIRECTIONS = ['in', 'out'];
const LOSSES = ['before', 'after', 'either'];
const REFUSALS = ['Conflict', 'InternalError', 'TooManyRequests', 'ServerTimeout'];
const OPERATIONS = ['pullImage', 'createSandbox', 'stopContainer'];
const VOLUME_OPERATIONS = ['attach', 'mount', 'unmount', 'detach'];
const POOL_OPERATIONS = ['resize', 'create'];
const REPLICATED = ['kube-scheduler', 'kube-controller-manager', 'cluster-autoscaler'];
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const KINDS = Object.keys(kindRegistry);
const LAGGING_KINDS = KINDS.filter((kind) => kind !== 'Lease');

const NODE = required(named('node', ({ nodes }) => nodes));
const ZONE = optional(named('zone', ({ zones }) => zones));
/** A node, or all of a zone. */
const NODE_TARGET = { node: optional(NODE.problem), zone: ZONE };
const CONTROLLER = required(named('controller', ({ controllers }) => controllers));
const PARTY = {
  ...NODE_TARGET,
  component: optional(named('component', ({ components }) => components)),
  controller: optional(CONTROLLER.problem),
};
const LINK = {
  ...PARTY,
  component: optional(named('component', ({ components }) => [...components, STORE])),
};
const LAG = { ...LINK, kind: optional(oneOf(LAGGING_KINDS)), by: required(duration) };

const NODES = listOfNames('node', ({ nodes }) => nodes);

const FAILING = { error: optional(text), by: optional(duration) };

/** The fields of each verb, besides which there is `for`. */
export const FAULT_FIELDS: Readonly<Record<FaultVerb, Readonly<Record<string, FaultField>>>> = {
  cut: { ...LINK, direction: optional(oneOf(DIRECTIONS, ' (absent = both)')) },
  partition: {
    node: optional(NODE.problem),
    nodes: optional(NODES),
    zone: ZONE,
    groups: optional(groups),
    from: optional(NODES),
  },
  slow: { ...LINK, latency: required(latency) },
  lossy: { ...LINK, requests: required(share), when: optional(oneOf(LOSSES)) },
  refuse: {
    ...LINK,
    kinds: optional(listOf(KINDS)),
    verbs: optional(listOf(VERBS)),
    share: optional(share),
    with: required(oneOf(REFUSALS)),
  },
  delayWatch: LAG,
  coalesceWatch: LAG,
  staleReads: { ...LAG, by: optional(duration), isPinned: optional(flag) },
  restartApiServer: { forgetsHistory: optional(flag) },
  stopKubelet: NODE_TARGET,
  powerOff: NODE_TARGET,
  shutDown: NODE_TARGET,
  failRuntime: { ...NODE_TARGET, operation: required(oneOf(OPERATIONS)), ...FAILING },
  failVolume: { ...NODE_TARGET, operation: required(oneOf(VOLUME_OPERATIONS)), ...FAILING },
  failPool: {
    pool: late(
      named('NodePool', ({ pools }) => pools),
      true,
    ),
    operation: required(oneOf(POOL_OPERATIONS)),
    ...FAILING,
  },
  breakAttachment: {
    node: NODE,
    volume: late(named('PersistentVolume', ({ volumes }) => volumes)),
    claim: late(claim),
  },
  stopController: { controller: CONTROLLER },
  runTwice: { controller: CONTROLLER },
  crashAfterWrites: {
    controller: optional(CONTROLLER.problem),
    component: optional(oneOf(REPLICATED)),
    writes: required(count),
    inOneReconcile: optional(flag),
  },
  stopComponent: { component: required(oneOf(REPLICATED)) },
  skewClock: { ...PARTY, by: required(skew) },
};

/** Those of a verb's fields of which a target names exactly one. The sides of a partition have a rule of their own. */
export function partyFields(verb: FaultVerb): readonly string[] {
  return verb === 'partition' ? [] : Object.keys(PARTY).filter((party) => party in FAULT_FIELDS[verb]);
}

/** How a value is shown in a text. */
export function printed(value: unknown): string {
  return value === undefined || value === null ? 'nothing' : printedValue(value);
}

function required(problem: FieldCheck): FaultField {
  return { isRequired: true, isLate: false, problem };
}

function optional(problem: FieldCheck): FaultField {
  return { isRequired: false, isLate: false, problem };
}

function late(problem: FieldCheck, isRequired = false): FaultField {
  return { isRequired, isLate: true, problem };
}

function named(what: string, known: (seams: FaultSeams) => Iterable<string>): FieldCheck {
  return (value, seams) => {
    const isName = typeof value === 'string' && value !== '';
    if (seams === undefined) return isName ? undefined : `must be the name of a ${what}, got ${printed(value)}`;
    const names = [...known(seams)];
    if (isName && names.includes(value)) return undefined;
    const listed = names.length <= LONGEST_LIST ? ` (${names.join(', ')})` : '';
    return `must be a ${what} of the cluster${listed}, got ${printed(value)}${hint(value, names)}`;
  };
}

function hint(value: unknown, names: readonly string[]): string {
  const nearest = typeof value === 'string' ? nearestWord(value, names) : undefined;
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

function oneOf(words: readonly string[], besides = ''): FieldCheck {
  const allowed = words.length <= MOST_ALTERNATIVES ? alternatives(words) : 'a kind such as Pod';
  const problem = (value: unknown): string | undefined => {
    if (typeof value === 'string' && words.includes(value)) return undefined;
    return `must be ${allowed}${besides}, got ${printed(value)}${besides === '' ? hint(value, words) : ''}`;
  };
  return Object.assign(problem, { words });
}

function alternatives(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function listOf(words: readonly string[]): FieldCheck {
  const problem = oneOf(words);
  const ofList: FieldCheck = (value, seams) => {
    if (!Array.isArray(value) || value.length === 0) return `must be a list, got ${printed(value)}`;
    const wrong = (value as readonly unknown[]).find((each) => problem(each, seams) !== undefined);
    return wrong === undefined ? undefined : `must be a list of which each ${problem(wrong, seams)}`;
  };
  return Object.assign(ofList, { words, isList: true });
}

function listOfNames(what: string, known: (seams: FaultSeams) => Iterable<string>): FieldCheck {
  const problem = named(what, known);
  return (value, seams) => {
    if (!Array.isArray(value) || value.length === 0) return `must be a list of ${what}s, got ${printed(value)}`;
    const wrong = (value as readonly unknown[]).find((each) => problem(each, seams) !== undefined);
    return wrong === undefined ? undefined : `must be a list of which each ${problem(wrong, seams)}`;
  };
}

function groups(value: unknown, seams: FaultSeams | undefined): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return `must be a list of lists of nodes, got ${printed(value)}`;
  const wrong = (value as readonly unknown[]).map((group) => NODES(group, seams)).find((each) => each !== undefined);
  if (wrong !== undefined) return `must be a list of groups of which each ${wrong}`;
  const names = (value as readonly (readonly string[])[]).flat();
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `must have each node once, got ${printed(twice)} twice`;
}

function claim(value: unknown, seams: FaultSeams | undefined): string | undefined {
  const problem = named('bound claim', ({ claims }) => claims);
  const isShort = typeof value === 'string' && value !== '' && !value.includes('/');
  return problem(isShort ? `default/${value}` : value, seams);
}

function share(value: unknown): string | undefined {
  if (typeof value === 'number' && value >= 0 && value <= 1) return undefined;
  return `must be a number in 0..1, got ${printed(value)}`;
}

function count(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return undefined;
  return `must be an integer >= 1, got ${printed(value)}`;
}

function flag(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : `must be true or false, got ${printed(value)}`;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? undefined : `must be a text, got ${printed(value)}`;
}

function duration(value: unknown): string | undefined {
  const ms = typeof value === 'string' ? parseDurationMs(value) : value;
  if (isAmount(ms)) return tooLong(ms, value);
  return `must be milliseconds >= 0 or a duration such as 5s, got ${printed(value)}`;
}

function skew(value: unknown): string | undefined {
  const ms = skewOf(value);
  if (ms !== undefined) return tooLong(Math.abs(ms), value);
  return `must be milliseconds or a duration such as -30s, got ${printed(value)}`;
}

/** Milliseconds of a skew, such as `-30s`; `undefined` = it is none. */
export function skewOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const isBehind = value.startsWith('-');
  const ms = parseDurationMs(isBehind ? value.slice(1) : value);
  if (ms === undefined) return undefined;
  return isBehind ? -ms : ms;
}

/** What no timestamp could tell. */
function tooLong(ms: number, value: unknown): string | undefined {
  return ms > LONGEST_DURATION_MS ? `must be ${LONGEST_TEXT}, got ${printed(value)}` : undefined;
}

function latency(value: unknown): string | undefined {
  if (isAmount(value) || (typeof value === 'string' && parseDistribution(value) !== undefined)) return undefined;
  return `must be milliseconds >= 0 or a duration such as 200ms or uniform(10ms, 2s), got ${printed(value)}`;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
