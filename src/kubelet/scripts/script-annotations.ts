/**
 * Scripts in a pod's annotations: `kubeloom.dev/<word>` for all its containers, `kubeloom.dev/<word>.<container>`
 * for one. A text that cannot be used is told, and counts as absent.
 */
import { parseDocument } from 'yaml';
import type { Container, Pod, StringMap } from '../../api/objects/objects.js';
import { LOGS } from './log-text.js';
import { ScriptError } from './script-error.js';
import { readScript } from './script-fields.js';
import { NO_SCRIPT, over, type ScriptLayer } from './script-layer.js';
import {
  CREATION,
  DURATION,
  EXIT_CODE,
  HOOK,
  IMAGE_PULL,
  NEEDS,
  PLAYED_IMAGE,
  PROBE,
  REQUEST_COST,
  RUNS,
  SHUTDOWN,
} from './script-text.js';
import type { ScriptProblem } from './script-types.js';
import type { TextForm } from './text-form.js';
import { BYTES_USAGE, COUNT_USAGE, CPU_USAGE } from './usage-text.js';

const PREFIX = 'kubeloom.dev/';
/** The word of a whole script. */
const SCRIPT_WORD = 'script';

/** One word: its form of text, what it says, and the words that say it better. */
interface Word {
  readonly allowed: string;
  /** `undefined` when the text cannot be used. */
  read(text: string): ScriptLayer | undefined;
  readonly unless: readonly string[];
}

function word<T>(form: TextForm<T>, layerOf: (value: T) => ScriptLayer, ...unless: readonly string[]): Word {
  return {
    allowed: form.allowed,
    read(text) {
      const value = form.parse(text);
      return value === undefined ? undefined : layerOf(value);
    },
    unless,
  };
}

/** All words. A later one wins over an earlier one that says the same field. */
const WORDS: ReadonlyMap<string, Word> = new Map(
  Object.entries({
    'image-pull': word(IMAGE_PULL, (imagePull) => ({ imagePull })),
    creation: word(CREATION, (creation) => ({ creation })),
    'start-delay': word(DURATION, (startDelay) => ({ startDelay })),
    'readiness-delay': word(DURATION, (readinessDelay) => ({ readinessDelay })),
    'run-for': word(DURATION, (duration) => ({ runs: [{ duration }] }), 'runs', 'crash-after'),
    'crash-after': word(DURATION, (duration) => ({ runs: [{ duration }], exitCode: 1 }), 'runs'),
    runs: word(RUNS, (runs) => ({ runs })),
    'exit-code': word(EXIT_CODE, (exitCode) => ({ exitCode })),
    'shutdown-delay': word(DURATION, (delay) => ({ shutdown: { delay } }), 'shutdown'),
    shutdown: word(SHUTDOWN, (shutdown) => ({ shutdown })),
    plays: word(PLAYED_IMAGE, (plays) => ({ plays })),
    readiness: word(PROBE, (readiness) => ({ readiness })),
    liveness: word(PROBE, (liveness) => ({ liveness })),
    needs: word(NEEDS, (needs) => ({ needs })),
    'post-start': word(HOOK, (postStart) => ({ postStart })),
    'pre-stop': word(HOOK, (preStop) => ({ preStop })),
    cpu: word(CPU_USAGE, (cpuMillis) => ({ cpuMillis })),
    'request-cost': word(REQUEST_COST, (requestCost) => ({ requestCost })),
    memory: word(BYTES_USAGE, (memoryBytes) => ({ memoryBytes })),
    storage: word(BYTES_USAGE, (storageBytes) => ({ storageBytes })),
    processes: word(COUNT_USAGE, (processes) => ({ processes })),
    logs: word(LOGS, (logs) => ({ logs })),
  } satisfies Record<string, Word>),
);
const KNOWN_WORDS = [...WORDS.keys(), SCRIPT_WORD].join(', ');

/** What annotations say of one container. */
export interface AnnotationScript {
  readonly layer: ScriptLayer;
  readonly problems: readonly ScriptProblem[];
}

const NOTHING_SAID: AnnotationScript = { layer: NO_SCRIPT, problems: [] };

/** Sets of annotations that are kept with what was read from them; with more than that the cache starts anew. */
const CACHE_LIMIT = 4096;

/** See the file header. */
export class AnnotationScripts {
  readonly #known = new Map<string, AnnotationScript>();

  read({ metadata: { annotations }, spec }: Pod, { name }: Container): AnnotationScript {
    if (annotations === undefined || !speaksOfScripts(annotations)) return NOTHING_SAID;
    const texts = Object.entries(annotations).filter(([annotation]) => annotation.startsWith(PREFIX));
    const names = [...(spec.initContainers ?? []), ...spec.containers].map((container) => container.name);
    const key = JSON.stringify([name, names, texts]);
    let script = this.#known.get(key);
    if (script === undefined) {
      script = readTexts(texts, name, names);
      if (this.#known.size >= CACHE_LIMIT) this.#known.clear();
      this.#known.set(key, script);
    }
    return script;
  }
}

/** The text of the warning that the kubelet records on the pod. */
export function problemText({ annotation, field, value, allowed }: ScriptProblem): string {
  const place = field === undefined ? annotation : `${annotation}: ${field}`;
  const got = field === undefined ? JSON.stringify(value) : value;
  return `annotation ${place} must be ${allowed}, got ${got}; the default is used`;
}

/** Most pods have no such annotation: they are not to cost a list. */
function speaksOfScripts(annotations: StringMap): boolean {
  for (const annotation in annotations) if (annotation.startsWith(PREFIX)) return true;
  return false;
}

/** The texts of one level, by word. */
type Level = Map<string, { readonly annotation: string; readonly value: string }>;

function readTexts(
  texts: readonly (readonly [string, string])[],
  container: string,
  names: readonly string[],
): AnnotationScript {
  const own: Level = new Map();
  const all: Level = new Map();
  const problems: ScriptProblem[] = [];
  const ofAll: ScriptProblem[] = [];
  for (const [annotation, text] of texts) {
    const [name = '', ...rest] = annotation.slice(PREFIX.length).split('.');
    // The first line of YAML must stand as far in as the others.
    const value = name === SCRIPT_WORD ? text : text.trim();
    const suffix = rest.length === 0 ? undefined : rest.join('.');
    if (!WORDS.has(name) && name !== SCRIPT_WORD) {
      ofAll.push({ annotation, value, allowed: `absent: the words after ${PREFIX} are ${KNOWN_WORDS}` });
    } else if (suffix === undefined || suffix === container) {
      (suffix === undefined ? all : own).set(name, { annotation, value });
    } else if (!names.includes(suffix)) {
      ofAll.push({ annotation, value, allowed: `absent: the pod's containers are ${names.join(', ')}` });
    }
  }
  const layer = over(readLevel(own, problems), readLevel(all, ofAll));
  // What concerns the whole pod is told with its first container.
  return { layer, problems: names[0] === container ? [...problems, ...ofAll] : problems };
}

/** Single words over the whole script of the same level. */
function readLevel(level: Level, problems: ScriptProblem[]): ScriptLayer {
  let words: ScriptLayer = NO_SCRIPT;
  for (const [name, each] of WORDS) {
    const text = level.get(name);
    if (text === undefined) continue;
    const better = each.unless.map((other) => level.get(other)?.annotation).find((other) => other !== undefined);
    const layer = better === undefined ? each.read(text.value) : undefined;
    if (layer !== undefined) words = { ...words, ...layer };
    else problems.push({ ...text, allowed: better === undefined ? each.allowed : `absent beside ${better}` });
  }
  return over(words, readWhole(level, problems));
}

function readWhole(level: Level, problems: ScriptProblem[]): ScriptLayer {
  const text = level.get(SCRIPT_WORD);
  if (text === undefined) return NO_SCRIPT;
  const document = parseDocument(text.value, { prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    problems.push({ ...text, allowed: `a script in YAML or JSON (${error.message.replaceAll(/\s+/g, ' ').trim()})` });
    return NO_SCRIPT;
  }
  try {
    return readScript(document.toJS(), { path: '', keys: [] });
  } catch (problem) {
    if (!(problem instanceof ScriptError)) throw problem;
    const { field, got, allowed } = problem;
    problems.push({ annotation: text.annotation, field: field === '' ? 'the whole' : field, value: got, allowed });
    return NO_SCRIPT;
  }
}
