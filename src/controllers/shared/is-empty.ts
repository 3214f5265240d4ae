/** Whether there is nothing in it; looks at one item at most. */
export function isEmpty(items: Iterable<unknown>): boolean {
  return items[Symbol.iterator]().next().done === true;
}
