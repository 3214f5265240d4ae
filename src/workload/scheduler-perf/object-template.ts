/**
 * A template of an object: a YAML file with values that may be computed from the object's number. The file
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
import type { Draft, Kind } from '../../api/objects/objects.js';
import { isPlainKind } from '../../api/objects/plain-kinds.js';
import { printed } from '../input-error.js';
import { parseGoTemplate, type RefuseAt, type TemplateAction, type TemplateValues } from './go-template.js';
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
  readonly make: (texts: ActionTexts) => unknown;
  /** Numbers of all actions inside: their texts tell equal results apart from others. */
  readonly actions: readonly number[];
}

/** A part of a template that has more forms than these comes out anew each time: keeping them is no use. */
const MAX_FORMS = 1024;

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
  const root = new TemplateCompiler(document).compile(document.contents, false);
  const kind = kindOf(document, source);
  const { isNamespaced } = kindRegistry[kind];
  const instantiate = (values: TemplateValues): Draft =>
    valueOf(root, new ActionTexts(actions, values, refuse)) as Draft;
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
  // A kind that is only stored would leave out what the workload measures.
  if (simulated === undefined || isPlainKind(simulated))
    throw new SchedulerPerfError(source, 'kind', `${kind} of ${apiVersion} is not simulated`);
  return simulated;
}

/** What the actions of a template come to for one object; each is computed when it is first needed. */
class ActionTexts {
  readonly #actions: readonly TemplateAction[];
  readonly #values: TemplateValues;
  readonly #refuse: RefuseAt;
  readonly #texts: (string | undefined)[] = [];

  constructor(actions: readonly TemplateAction[], values: TemplateValues, refuse: RefuseAt) {
    this.#actions = actions;
    this.#values = values;
    this.#refuse = refuse;
  }

  /** @throws SchedulerPerfError when the action cannot be computed */
  of(number: number): string {
    return (this.#texts[number] ??= this.#evaluated(number));
  }

  #evaluated(number: number): string {
    const action = this.#actions[number];
    if (action === undefined) return String(number);
    const values = this.#values;
    try {
      return action.evaluate(values);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      throw this.#refuse(action.offset, `with .Index ${values.Index} and .Count ${values.Count}: ${problem}`);
    }
  }
}

class TemplateCompiler {
  constructor(private readonly document: Document) {}

  /** @param isShared - equal results are to be one object */
  compile(node: unknown, isShared: boolean): Compiled {
    if (isScalar(node)) {
      const { value } = node;
      if (typeof value !== 'string' || !value.includes(MARK_OPEN)) return { fixed: value };
      return computedText(value, node.type === 'PLAIN');
    }
    if (isMap(node)) return this.#map(node.items as Pair<Node, Node | null>[], node, isShared);
    if (isSeq(node)) {
      const items = node.items.map((item) => this.compile(item, true));
      if (items.every(isFixed)) return { fixed: this.#plain(node) };
      const make = (texts: ActionTexts): unknown => items.map((item) => valueOf(item, texts));
      return shared({ make, actions: actionsOf(items) }, isShared);
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
    const make = entries.every(({ key }) => isFixed(key)) ? filledSkeleton(entries) : builtMap(entries);
    return shared({ make, actions: actionsOf(parts) }, isShared);
  }

  #plain(node: Node): unknown {
    return node.toJS(this.document) as unknown;
  }
}

interface Entry {
  readonly key: Compiled;
  readonly value: Compiled;
}

function builtMap(entries: readonly Entry[]): Computed['make'] {
  return (texts) =>
    Object.fromEntries(entries.map(({ key, value }) => [String(valueOf(key, texts)), valueOf(value, texts)]));
}

/** Where the keys are always the same, a copy of an object that has them is filled in. */
function filledSkeleton(entries: readonly Entry[]): Computed['make'] {
  const named = entries.map(({ key, value }) => ({ name: 'fixed' in key ? String(key.fixed) : '', value }));
  const skeleton = Object.fromEntries(named.map(({ name, value }) => [name, 'fixed' in value ? value.fixed : null]));
  const gaps = named.flatMap(({ name, value }) => ('fixed' in value ? [] : [{ name, value }]));
  return (texts) => {
    const made = { ...skeleton };
    for (const { name, value } of gaps) made[name] = value.make(texts);
    return made;
  };
}

/** @param isPlain - written without quotes, so that a number is a number */
function computedText(text: string, isPlain: boolean): Computed {
  // Texts and numbers of marks alternate.
  const pieces = text.split(MARK).map((piece, index) => (index % 2 === 0 ? piece : Number(piece)));
  const written = (texts: ActionTexts): string => {
    let result = '';
    for (const piece of pieces) result += typeof piece === 'string' ? piece : texts.of(piece);
    return result;
  };
  return {
    make: isPlain ? (texts) => scalarOf(written(texts)) : written,
    actions: pieces.filter((piece) => typeof piece === 'number'),
  };
}

function isFixed(part: Compiled): part is { readonly fixed: unknown } {
  return 'fixed' in part;
}

function valueOf(part: Compiled, texts: ActionTexts): unknown {
  return 'fixed' in part ? part.fixed : part.make(texts);
}

function actionsOf(parts: readonly Compiled[]): readonly number[] {
  return parts.flatMap((part) => ('fixed' in part ? [] : part.actions));
}

function shared(computed: Computed, isShared: boolean): Computed {
  if (!isShared) return computed;
  const { make, actions } = computed;
  let forms: Map<string, unknown> | undefined = new Map();
  return {
    actions,
    make(texts) {
      if (forms === undefined) return make(texts);
      let key = '';
      for (const action of actions) key += `${texts.of(action)}\n`;
      let form = forms.get(key);
      if (form !== undefined) return form;
      form = make(texts);
      if (forms.size < MAX_FORMS) forms.set(key, form);
      else forms = undefined;
      return form;
    },
  };
}

/** A text without quotes as YAML reads it. */
function scalarOf(text: string): unknown {
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  return /^[a-z]\w*-[\w.-]*$/i.test(text) ? text : (parse(text) as unknown);
}
