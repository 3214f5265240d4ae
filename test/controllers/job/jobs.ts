import type { Job } from '../../../src/api/objects/batch-objects.js';
import type { Pod } from '../../../src/api/objects/objects.js';
import { createHarness, type Harness, type HarnessOptions } from '../harness.js';

/** How a pod ends, and how long it runs until then. */
export interface PodFate {
  readonly phase: 'Succeeded' | 'Failed';
  readonly afterMs: number;
  /** @defaultValue 0 or 1, as the phase says */
  readonly exitCode?: number;
}

/** A control plane whose pods end by themselves. @param fateOf - `undefined` = the pod runs on */
export function createJobHarness(
  fateOf: (pod: Pod) => PodFate | undefined = () => undefined,
  options: HarnessOptions = {},
): Harness {
  const harness = createHarness({ controllers: ['job-controller'], watch: ['Job'], ...options });
  const fated = new Set<string>();
  harness.server.watch('Pod', {}, (event) => {
    if (event.type !== 'MODIFIED' || event.object.status.phase !== 'Running') return;
    const { metadata } = event.object;
    const fate = fated.has(metadata.uid) ? undefined : fateOf(event.object);
    if (fate === undefined) return;
    fated.add(metadata.uid);
    harness.kernel.clock.schedule(fate.afterMs, () => endPod(harness, metadata.name, fate));
  });
  return harness;
}

/** The kubelet's last report of a pod. */
export function endPod(
  { kernel, server }: Harness,
  name: string,
  { phase, exitCode = phase === 'Failed' ? 1 : 0 }: Pick<PodFate, 'phase' | 'exitCode'>,
  conditions: NonNullable<Pod['status']['conditions']> = [],
): void {
  const pod = server.find('Pod', { namespace: 'default', name });
  if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
  const finishedAt = kernel.timestamps.toTime(kernel.clock.now());
  server.change(
    'Pod',
    pod.metadata,
    (current) => ({
      ...current,
      status: {
        ...current.status,
        phase,
        conditions: [...conditions],
        containerStatuses: current.spec.containers.map((container) => ({
          name: container.name,
          image: container.image ?? '',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { terminated: { exitCode, finishedAt } },
        })),
      },
    }),
    { subresource: 'status' },
  );
}

/** A job as a user writes it. */
export function jobDraft(
  name: string,
  spec: object = {},
): { readonly metadata: { readonly name: string }; readonly spec: object } {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'pause' }] } };
  return { metadata: { name }, spec: { template, ...spec } };
}

/** The job of that name. */
export function jobOf({ server }: Harness, name = 'j'): Job {
  const job = server.find('Job', { namespace: 'default', name });
  if (job === undefined) throw new Error(`job ${name} must be there`);
  return job;
}

/** Types of a job's conditions that are True, in order, with their reasons. */
export function verdicts({ status }: Job): string[] {
  return (status.conditions ?? [])
    .filter((each) => each.status === 'True')
    .map(({ type, reason }) => `${type} ${reason}`);
}
