/** A controller as users write them, in a module of its own: it puts a label on every pod. */
import { defineController, keyOf, parseKey, type ControllerDefinition } from '../../../src/index.js';

export default function labellingController({ label }: { readonly label: string }): ControllerDefinition<undefined> {
  return defineController({
    name: 'labeller',
    setup: (context) => {
      context.watch('Pod', { onAdd: (pod) => context.queue.add(keyOf(pod)) });
      return undefined;
    },
    async reconcile({ api }, key) {
      await api.patch('Pod', parseKey(key), { type: 'merge', body: { metadata: { labels: { [label]: 'yes' } } } });
    },
  });
}
