/** Whether a command starts programs that real images have and that are not played here. Pure. */
import { forEachChild, parse, type SyntaxNode } from 'unbash';
import { isUnplayed } from './known-images.js';

const SHELLS: ReadonlySet<string> = new Set(['sh', 'ash', 'bash', 'dash']);

export function usesUnplayed(words: readonly string[]): boolean {
  const [first = '', ...args] = words;
  if (!SHELLS.has(first.slice(first.lastIndexOf('/') + 1))) return false;
  const at = args.findIndex((arg) => /^-[a-z]*c/.test(arg));
  const source = at < 0 ? undefined : args[at + 1];
  if (source === undefined) return false;
  let isFound = false;
  const functions = new Set<string>();
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Function') functions.add(node.name.value);
    if (node.type === 'Command' && node.name !== undefined && node.name.parts === undefined) {
      const { value } = node.name;
      const name = value.slice(value.lastIndexOf('/') + 1);
      isFound ||= isUnplayed(name) && !functions.has(name);
    }
    forEachChild(node, visit);
  };
  visit(parse(source));
  return isFound;
}
