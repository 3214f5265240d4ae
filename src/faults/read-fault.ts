/** Reads faults out of plain data, strictly: what is unknown or wrong is an error with its path. */
import { parseDurationMs } from '../kernel/distribution.js';
import { nearestWord } from '../kernel/nearest-word.js';
import { LONGEST_DURATION_MS, LONGEST_TEXT } from '../kernel/time-units.js';
import { findUnreadable } from '../kernel/unreadable.js';
import type { Fault, FaultVerb } from './fault.js';
import { FaultError } from './fault-error.js';
import { FAULT_FIELDS, partyFields, printed } from './fault-fields.js';
import type { FaultSeams } from './fault-seams.js';

/** The words that name a fault. */
export const FAULT_VERBS = Object.keys(FAULT_FIELDS) as readonly FaultVerb[];

/** What fails, or is slow, but not both. */
const FAILING_VERBS: readonly FaultVerb[] = ['failRuntime', 'failVolume', 'failPool'];

/** Of which a partition names one. */
const SIDES = ['node', 'nodes', 'zone', 'groups'];

type Fields = Readonly<Record<string, unknown>>;

/**
 * The fault that a value describes; what it names must be there.
 *
 * @param isEarly - whether what users make may still come
 * @throws FaultError that names the field, what it got and what is allowed
 */
export function readFault(value: unknown, seams: FaultSeams, isEarly = false): Fault {
  const unreadable = findUnreadable(value);
  if (unreadable !== undefined) throw new FaultError(unreadable.split('.').slice(1), 'must be readable');
  if (!isMapping(value)) throw new FaultError([], `must be a mapping with one of ${FAULT_VERBS.join(', ')}`);
  const [verb, ...others] = FAULT_VERBS.filter((each) => value[each] !== undefined);
  if (verb === undefined) throw new FaultError([], `must have one of ${FAULT_VERBS.join(', ')}`);
  if (others.length > 0) throw new FaultError([], `must have one verb, got ${[verb, ...others].join(' and ')}`);
  refuseUnknown(value, [], [verb, 'for']);
  lastingMs(value['for']);
  checkTarget(verb, value[verb], seams, isEarly);
  return value as unknown as Fault;
}

/**
 * Looks at what stands under a verb; without seams at its form alone, whatever the names in it stand for.
 *
 * @throws FaultError
 */
export function checkTarget(verb: FaultVerb, target: unknown, seams?: FaultSeams, isEarly = false): void {
  const fields = FAULT_FIELDS[verb];
  const known = Object.keys(fields);
  if (!isMapping(target)) {
    throw new FaultError([verb], `must be a mapping with ${known.join(', ')}, got ${printed(target)}`);
  }
  refuseUnknown(target, [verb], known);
  const parties = partyFields(verb);
  if (parties.length > 1 && parties.filter((party) => target[party] !== undefined).length !== 1) {
    throw new FaultError([verb], `must name ${parties.length > 2 ? 'one of' : 'either'} ${listed(parties)}`);
  }
  for (const [field, { isRequired, isLate, problem }] of Object.entries(fields)) {
    if (!isRequired && target[field] === undefined) continue;
    const wrong = problem(target[field], isLate && isEarly ? undefined : seams);
    if (wrong !== undefined) throw new FaultError([verb, field], wrong);
  }
  checkTogether(verb, target);
}

/** What fields ask of each other. */
function checkTogether(verb: FaultVerb, target: Fields): void {
  if (verb === 'staleReads' && target['by'] === undefined && target['isPinned'] !== true) {
    throw new FaultError([verb, 'by'], 'is missing, must be a duration such as 5s unless isPinned is true');
  }
  if (FAILING_VERBS.includes(verb) && target['by'] !== undefined && target['error'] !== undefined) {
    throw new FaultError([verb, 'by'], 'cannot stand beside error: what is slow does not fail');
  }
  if (verb === 'failRuntime' && target['by'] !== undefined && target['operation'] === 'stopContainer') {
    throw new FaultError([verb, 'by'], 'must be absent of stopContainer: how a process obeys is in its script');
  }
  if (verb === 'partition') checkPartition(target);
  if (verb === 'breakAttachment' && (target['volume'] === undefined) === (target['claim'] === undefined)) {
    throw new FaultError([verb], 'must name either a volume or a claim');
  }
  if (verb === 'crashAfterWrites' && target['inOneReconcile'] === true && target['controller'] === undefined) {
    throw new FaultError([verb, 'inOneReconcile'], 'must be absent of a component: controllers reconcile');
  }
}

function checkPartition(target: Fields): void {
  const sides = SIDES.filter((side) => target[side] !== undefined);
  if (sides.length !== 1) throw new FaultError(['partition'], `must name one of ${SIDES.join(', ')}`);
  const { from, node, nodes = [node] } = target;
  if (from === undefined) return;
  if (target['groups'] !== undefined) throw new FaultError(['partition', 'from'], 'cannot stand beside groups');
  const twice = (from as readonly unknown[]).find((each) => (nodes as readonly unknown[]).includes(each));
  if (twice !== undefined) {
    throw new FaultError(['partition', 'from'], `must name other nodes than the first side, got ${printed(twice)}`);
  }
}

function listed(parties: readonly string[]): string {
  return `${parties
    .slice(0, -1)
    .map((party) => `a ${party}`)
    .join(', ')} or a ${parties.at(-1)}`;
}

/** How long a fault lasts; `undefined` = until healed. @throws FaultError */
export function lastingMs(lasting: unknown): number | undefined {
  if (lasting === undefined) return undefined;
  const ms = typeof lasting === 'string' ? parseDurationMs(lasting) : lasting;
  if (typeof ms !== 'number' || !Number.isFinite(ms) || ms < 0) {
    throw new FaultError(['for'], `must be milliseconds >= 0 or a duration such as 10m, got ${printed(lasting)}`);
  }
  if (ms > LONGEST_DURATION_MS) throw new FaultError(['for'], `must be ${LONGEST_TEXT}, got ${printed(lasting)}`);
  return Math.round(ms);
}

function refuseUnknown(value: Fields, keys: readonly string[], known: readonly string[]): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const nearest = nearestWord(unknown, known);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  throw new FaultError([...keys, unknown], `is not known here; known are ${known.join(', ')}${hint}`);
}

function isMapping(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
