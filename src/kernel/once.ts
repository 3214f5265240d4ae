/**
 * A value that is worked out when something first asks for it. For tables of a module that few programs need: what is
 * worked out while modules load, every start of every program pays for.
 */
export function once<Value extends object>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= make());
}
