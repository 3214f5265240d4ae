/** Watches that a job holds open while it goes on (pkg/watchers), for the load that they are. */
import { Subscription } from 'rxjs';
import { selectorOf } from './burner-objects.js';
import type { JobRequests } from './burner-context.js';

/** Opens them at the job's rate. @returns what closes them, and tells how many events they were sent */
export async function openWatchers(requests: JobRequests): Promise<() => void> {
  const { context, job } = requests;
  const open = new Subscription();
  let events = 0;
  let watches = 0;
  for (const { kind: name, apiVersion, labelSelector, replicas } of job.watchers) {
    const kind = context.player.kinds.resolve(apiVersion, name);
    if (kind === undefined) {
      context.onIgnored(`watchers of ${apiVersion} ${name}`);
      continue;
    }
    const selector = selectorOf(labelSelector);
    const selection = selector === '' ? {} : { labelSelector: selector };
    for (let replica = 1; replica <= replicas; replica += 1) {
      await requests.token();
      watches += 1;
      open.add(
        context.player.connection.watch(kind, selection).subscribe((delivery) => {
          if ('object' in delivery) events += 1;
        }),
      );
    }
  }
  return () => {
    open.unsubscribe();
    if (watches > 0) context.log(`${watches} watchers of job ${job.name} were sent ${events} events`);
  };
}
