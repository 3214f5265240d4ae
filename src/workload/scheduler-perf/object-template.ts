/**
 * A template of an object: a YAML file whose values may be computed from the object's number. The file
 * is read once; for each object only what depends on the number is made anew, and parts that come out
 * equal are shared, as the pods of one Deployment share their spec.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parse,
  parseDocument,
  type Document,
  type Node,
  type Pair,
} from 'yaml';
import { kindRegistry, resolveKind } from '../../api/kinds/registry.js';
import type { Draft, Kind } from '../../api/objects.js';
import { printed } from '../input-error.js';
import {
  parseGoTemplate,
  type RefuseAt,
  type TemplateAction,
  type TemplatePart,
  type TemplateValues,
} from './go-template.js';
import { SchedulerPerfError } from './perf-error.js';

/** See the file header. */
export interface ObjectTemplate {
  /** The file, as messages call it. */
  readonly source: string;
  readonly kind: Kind;
  readonly isNamespaced: boolean;
  /** The object of a number. @throws SchedulerPerfError when an expression cannot be computed */
  instantiate(values: TemplateValues): Draft;
}

/** A value of the file: as it stands, or made from the number. */
type Compiled = { readonly fixed: unknown } | Computed;

interface Computed {
  make(values: TemplateValues): unknown;
  /** The texts of all actions inside, which tell equal results apart from others. */
  key(values: TemplateValues): string;
}

/** Results kept per part of a template; beyond that a part has so many forms that keeping them is no use. */
const MAX_FORMS = 256;

/** Stand for actions while YAML is read: characters of the private-use area, which no manifest contains. */
const MARK_OPEN = '\uE000';
const MARK_CLOSE = '\uE001';
const MARK = /\uE000(\d+)\uE001/g;

/** Reads a template of a kind that is simulated. @throws SchedulerPerfError that names the file, the line and the construct */
export function parseObjectTemplate(text: string, source: string): ObjectTemplate {
  const lines = new LineCounter();
  const refuse: RefuseAt = (offset, problem) =>
    new SchedulerPerfError(`${source}:${text.slice(0, offset).split('\n').length}`, '', problem);
  const actions: TemplateAction[] = [];
  const marked = parseGoTemplate(text, refuse).map((part) => {
    if (typeof part === 'string') return part;
    actions.push(part);
    return `${MARK_OPEN}${actions.length - 1}${MARK_CLOSE}`;
  });
  const document = parseDocument(marked.join(''), { lineCounter: lines, prettyErrors: false, merge: true });
  const [error] = document.errors;
  const lineOf = (offset: number): string => `${source}:${Math.max(lines.linePos(offset).line, 1)}`;
  if (error !== undefined)
    throw new SchedulerPerfError(lineOf(error.pos[0]), '', error.message.replaceAll(/\s+/g, ' '));
  const root = new TemplateCompiler(document, actions, refuse).compile(document.contents, false);
  const kind = kindOf(document, source);
  const { isNamespaced } = kindRegistry[kind];
  const instantiate = (values: TemplateValues): Draft => ('fixed' in root ? root.fixed : root.make(values)) as Draft;
  return { source, kind, isNamespaced, instantiate };
}

/** Which kind of object it is does not depend on its number. */
function kindOf(document: Document, source: string): Kind {
  if (!isMap(document.contents))
    throw new SchedulerPerfError(
      source,
      '',
      `must be one object with apiVersion and kind, got ${printed(document.toJS())}`,
    );
  const [apiVersion, kind] = [document.get('apiVersion'), document.get('kind')];
  if (typeof apiVersion !== 'string')
    throw new SchedulerPerfError(source, 'apiVersion', `must be a text such as v1, got ${printed(apiVersion)}`);
  if (typeof kind !== 'string')
    throw new SchedulerPerfError(source, 'kind', `must be the name of a kind such as Pod, got ${printed(kind)}`);
  const simulated = resolveKind(apiVersion, kind);
  if (simulated === undefined)
    throw new SchedulerPerfError(source, 'kind', `${kind} of ${apiVersion} is not simulated`);
  return simulated;
}

class TemplateCompiler {
  constructor(
    private readonly document: Document,
    private readonly actions: readonly TemplateAction[],
    private readonly refuse: RefuseAt,
  ) {}

  /** @param isShared - equal results are to be one object */
  compile(node: unknown, isShared: boolean): Compiled {
    if (isScalar(node)) {
      const { value } = node;
      if (typeof value !== 'string' || !value.includes(MARK_OPEN)) return { fixed: value };
      return this.#text(value, node.type === 'PLAIN');
    }
    if (isMap(node)) return this.#map(node.items as Pair<Node, Node | null>[], node, isShared);
    if (isSeq(node)) {
      const items = node.items.map((item) => this.compile(item, true));
      if (items.every(isFixed)) return { fixed: this.#plain(node) };
      return shared({ make: (values) => items.map((item) => valueOf(item, values)), key: keyOf(items) }, isShared);
    }
    return { fixed: isAlias(node) ? this.#plain(node) : null };
  }

  #map(pairs: readonly Pair<Node, Node | null>[], node: Node, isShared: boolean): Compiled {
    const entries = pairs.map((pair) => {
      const key = this.compile(pair.key, true);
      // The metadata of an object is its own; what stands in it, such as labels, may be shared.
      const isOwn = 'fixed' in key && key.fixed === 'metadata';
      return { key, value: this.compile(pair.value, !isOwn) };
    });
    const parts = entries.flatMap(({ key, value }) => [key, value]);
    if (parts.every(isFixed)) return { fixed: this.#plain(node) };
    const make = (values: TemplateValues): unknown =>
      Object.fromEntries(entries.map(({ key, value }) => [String(valueOf(key, values)), valueOf(value, values)]));
    return shared({ make, key: keyOf(parts) }, isShared);
  }

  #plain(node: Node): unknown {
    return node.toJS(this.document) as unknown;
  }

  /** @param isPlain - written without quotes, so that a number is a number */
  #text(text: string, isPlain: boolean): Computed {
    const parts: readonly TemplatePart[] = text.split(MARK).map((part, index) => {
      // Texts and numbers of marks alternate.
      if (index % 2 === 0) return part;
      const action = this.actions[Number(part)];
      return action ?? part;
    });
    const key = (values: TemplateValues): string =>
      parts.map((part) => (typeof part === 'string' ? part : this.#evaluated(part, values))).join('');
    return { make: isPlain ? (values) => scalarOf(key(values)) : key, key };
  }

  #evaluated(action: TemplateAction, values: TemplateValues): string {
    try {
      return action.evaluate(values);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      throw this.refuse(action.offset, `with .Index ${values.Index} and .Count ${values.Count}: ${problem}`);
    }
  }
}

function isFixed(part: Compiled): part is { readonly fixed: unknown } {
  return 'fixed' in part;
}

function valueOf(part: Compiled, values: TemplateValues): unknown {
  return 'fixed' in part ? part.fixed : part.make(values);
}

function keyOf(parts: readonly Compiled[]): (values: TemplateValues) => string {
  const computed = parts.filter((part): part is Computed => !isFixed(part));
  return (values) => computed.map((part) => part.key(values)).join('\n');
}

function shared(computed: Computed, isShared: boolean): Computed {
  if (!isShared) return computed;
  const forms = new Map<string, unknown>();
  return {
    key: (values) => computed.key(values),
    make(values) {
      const key = computed.key(values);
      const known = forms.get(key);
      if (known !== undefined) return known;
      const made = computed.make(values);
      if (forms.size < MAX_FORMS) forms.set(key, made);
      return made;
    },
  };
}

/** A text without quotes as YAML reads it. */
function scalarOf(text: string): unknown {
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  return /^[a-z]\w*-[\w.-]*$/i.test(text) ? text : (parse(text) as unknown);
}
