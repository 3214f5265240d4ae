/** What a template consists of once it is read: the nodes of text/template/parse. */
import type { Value } from './values.js';

interface Placed {
  readonly offset: number;
}

/** What is carried out, one after the other. */
export type Statement =
  | (Placed & { readonly type: 'text'; readonly text: string })
  | (Placed & { readonly type: 'action'; readonly pipeline: Pipeline })
  | (Placed & {
      readonly type: 'if' | 'with' | 'range';
      readonly pipeline: Pipeline;
      readonly body: readonly Statement[];
      readonly otherwise: readonly Statement[];
    })
  | (Placed & { readonly type: 'template'; readonly name: string; readonly pipeline: Pipeline | undefined })
  | (Placed & { readonly type: 'break' | 'continue' });

/** Commands of which each takes the result of the one before as its last argument. */
export interface Pipeline extends Placed {
  readonly type: 'pipeline';
  /** Variables that take the result. */
  readonly variables: readonly string[];
  /** They are there already: `=`, not `:=`. */
  readonly isAssignment: boolean;
  readonly commands: readonly Command[];
  /** As it is written, for messages. */
  readonly source: string;
}

/** A function or a value, and its arguments. */
export interface Command extends Placed {
  readonly operands: readonly [Operand, ...Operand[]];
  readonly source: string;
}

export type Operand =
  | Pipeline
  | (Placed & { readonly type: 'constant'; readonly value: Value; readonly source: string })
  | (Placed & { readonly type: 'nil' | 'dot'; readonly source: string })
  | (Placed & { readonly type: 'field'; readonly names: readonly string[]; readonly source: string })
  | (Placed & {
      readonly type: 'variable';
      readonly name: string;
      readonly names: readonly string[];
      readonly source: string;
    })
  | (Placed & { readonly type: 'function'; readonly name: string; readonly source: string })
  | (Placed & {
      readonly type: 'chain';
      readonly operand: Operand;
      readonly names: readonly string[];
      readonly source: string;
    });

/** A text that was read, with the templates that it defines. */
export interface SyntaxTree {
  readonly name: string;
  readonly text: string;
  readonly body: readonly Statement[];
  readonly definitions: ReadonlyMap<string, readonly Statement[]>;
}
