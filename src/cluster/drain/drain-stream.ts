import { defer, finalize, type Observable } from 'rxjs';
import type { Bus } from '../../bus/bus-types.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { ResolvedDrainOptions } from './drain-options.js';
import { drainNode, type DrainEvent } from './drain.js';

/** A drain over a link of its own, which begins when subscribed. @param parts - asked then */
export function drainStream(
  parts: () => { readonly kernel: Kernel; readonly bus: Bus },
  node: string,
  options: ResolvedDrainOptions,
): Observable<DrainEvent> {
  return defer(() => {
    const { kernel, bus } = parts();
    const connection = bus.connect('kubectl');
    const drained$ = drainNode({ client: connection.client, clock: kernel.clock }, node, options);
    return drained$.pipe(finalize(() => connection.dispose()));
  });
}
