/**
 * Go's text/template: what the files of clusterloader2 and kube-burner are written in. `parseTemplate` reads a text,
 * `render` carries it out with values. It never reads a file, a clock or an environment: what functions need, their
 * table brings along.
 */
import { BUILTIN_FUNCTIONS } from './builtins.js';
import { execute, type MissingKey } from './executor.js';
import { variadic, type FunctionTable } from './functions.js';
import { parseSyntax } from './parser.js';
import type { Statement, SyntaxTree } from './syntax-tree.js';
import type { Value } from './values.js';

/** How a template is read and carried out. */
export interface TemplateSettings {
  /** Functions besides those of the language, which they replace where they have the same name. */
  readonly functions?: FunctionTable;
  /** @defaultValue default */
  readonly missingKey?: MissingKey;
  /** Texts whose templates (`{{define}}`) may be called, by their file's name. */
  readonly others?: readonly { readonly name: string; readonly text: string }[];
}

/** A template that can be carried out any number of times. */
export interface Template {
  readonly name: string;
  /** @throws TemplateError that names the file and the line */
  render(data: Value): string;
}

/** The executor looks at the arguments of these itself; as functions they have both. */
const CONNECTIVES: FunctionTable = {
  and: variadic(['any'], 'any', (others, first) => [first, ...others].at(-1)),
  or: variadic(['any'], 'any', (_others, first) => first),
};

/**
 * @param name - what messages call the text: a file name
 * @throws TemplateError that names the file and the line
 */
export function parseTemplate(name: string, text: string, settings: TemplateSettings = {}): Template {
  const functions = { ...CONNECTIVES, ...BUILTIN_FUNCTIONS, ...settings.functions };
  const isFunction = (word: string): boolean => Object.hasOwn(functions, word);
  const trees = [{ name, text }, ...(settings.others ?? [])].map((each) =>
    parseSyntax(each.name, each.text, isFunction),
  );
  const templates = new Map<string, { body: readonly Statement[]; tree: SyntaxTree }>();
  for (const tree of trees) {
    templates.set(tree.name, { body: tree.body, tree });
    for (const [defined, body] of tree.definitions) templates.set(defined, { body, tree });
  }
  const [tree] = trees as [SyntaxTree, ...SyntaxTree[]];
  const { missingKey = 'default' } = settings;
  return { name, render: (data) => execute(tree, data, { functions, missingKey, templates }) };
}
