/**
 * The files of a test, below the folder of its config: each is read and parsed once, and rendered as often as it is
 * used. Paths of the tests begin with a slash or not; both are below that folder.
 */
import { join } from 'node:path';
import { LoadError } from '../input/load-error.js';
import { RenderedTexts } from '../input/rendered-texts.js';
import type { FunctionTable } from '../../templates/functions.js';
import { FunctionError, TemplateError } from '../../templates/template-error.js';
import { parseTemplate, type Template } from '../../templates/template.js';
import type { Dict } from '../../templates/values.js';

/** Reads a file as text. @throws any error of the host */
export type FileReader = (path: string) => string;

/** What a template makes before it is rendered. */
export interface TemplateKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** See the file header. */
export class TemplateFiles {
  readonly #folder: string;
  readonly #read: FileReader;
  readonly #functions: FunctionTable;
  readonly #texts = new Map<string, string>();
  readonly #templates = new Map<string, Template>();
  readonly #rendered = new RenderedTexts();
  readonly #kinds = new Map<string, readonly TemplateKind[]>();

  constructor(folder: string, read: FileReader, functions: (readFile: FileReader) => FunctionTable) {
    this.#folder = folder;
    this.#read = read;
    this.#functions = functions((path) => this.#included(path));
  }

  pathOf(path: string): string {
    return join(this.#folder, path);
  }

  /** @throws LoadError for a file that cannot be read or is no template */
  template(path: string): Template {
    let template = this.#templates.get(path);
    if (template === undefined) {
      template = told(this.pathOf(path), () =>
        parseTemplate(this.pathOf(path), this.text(path), { functions: this.#functions }),
      );
      this.#templates.set(path, template);
    }
    return template;
  }

  /** @throws LoadError */
  render(path: string, mapping: Dict): string {
    const template = this.template(path);
    return told(this.pathOf(path), () => template.render(mapping));
  }

  /** The documents of a rendered file, not to be changed; none when it is empty. @throws LoadError */
  documents(path: string, mapping: Dict): readonly unknown[] {
    return this.#rendered.valuesOf(this.render(path, mapping), this.pathOf(path));
  }

  /** What the documents of a template are, as far as that is written without placeholders. @throws LoadError */
  kindsOf(path: string): readonly TemplateKind[] {
    let kinds = this.#kinds.get(path);
    if (kinds === undefined) {
      kinds = this.text(path)
        .split(/^---\s*$/m)
        .flatMap((document) => {
          const [, apiVersion] = /^apiVersion:[ \t]*["']?([^\s"'{}]+)/m.exec(document) ?? [];
          const [, kind] = /^kind:[ \t]*["']?([^\s"'{}]+)/m.exec(document) ?? [];
          return apiVersion === undefined || kind === undefined ? [] : [{ apiVersion, kind }];
        });
      this.#kinds.set(path, kinds);
    }
    return kinds;
  }

  /** @throws LoadError */
  text(path: string): string {
    let text = this.#texts.get(path);
    if (text === undefined) {
      try {
        text = this.#read(this.pathOf(path));
      } catch (error) {
        throw new LoadError(
          this.pathOf(path),
          '',
          `cannot be read: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
      this.#texts.set(path, text);
    }
    return text;
  }

  #included(path: string): string {
    try {
      return this.text(path);
    } catch (error) {
      throw new FunctionError(`unable to read file: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** A template's message names its own file and line. */
function told<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const [, position = file, problem = error.message] =
      /^template: (.+?:\d+)(?::\d+)?: (.*)$/s.exec(error.message) ?? [];
    throw new LoadError(position, '', problem);
  }
}
