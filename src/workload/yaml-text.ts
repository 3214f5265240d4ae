import { isNode, LineCounter, parseAllDocuments, type Document, type ScalarTag } from 'yaml';
import type { SourcePosition } from './input-error.js';

/** Keys and indexes from the top of a document to one of its values. */
export type ValuePath = readonly (string | number)[];

/** One document of a text. */
export interface RawDocument {
  readonly value: unknown;
  /** Where a value stands; one that is missing stands where its parent does. */
  readonly positionOf: (path: ValuePath) => SourcePosition;
}

/** `0644` is octal to kubectl, as in YAML 1.1. */
const OCTAL: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^0[0-7]+$/,
  resolve: (text) => Number.parseInt(text, 8),
};

/**
 * Reads all documents of a YAML or JSON text; empty ones are left out.
 *
 * @param refuse - makes the error that is thrown at the first fault
 */
export function readYaml(
  text: string,
  source: string,
  refuse: (position: SourcePosition, problem: string) => Error,
): RawDocument[] {
  const lines = new LineCounter();
  const at = (offset: number): SourcePosition => `${source}:${Math.max(lines.linePos(offset).line, 1)}`;
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    merge: true,
    customTags: (tags) => [OCTAL, ...tags],
  });
  const raw: RawDocument[] = [];
  // Without any document the library answers with an empty list of another type.
  for (const document of [...documents] as Document[]) {
    const [error] = document.errors;
    if (error !== undefined) throw refuse(at(error.pos[0]), oneLine(error.message));
    const value = plainValue(document, (problem) => refuse(at(startOf(document, [])), problem));
    if (value === null || value === undefined) continue;
    raw.push({ value, positionOf: (path) => at(startOf(document, path)) });
  }
  return raw;
}

function plainValue(document: Document, refuse: (problem: string) => Error): unknown {
  try {
    return document.toJS();
  } catch (error) {
    // Aliases that do not resolve, or that unfold without end.
    throw refuse(oneLine(error instanceof Error ? error.message : String(error)));
  }
}

function startOf(document: Document, path: ValuePath): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.range?.[0] ?? 0;
}

function oneLine(message: string): string {
  return message.replaceAll(/\s+/g, ' ').trim();
}
