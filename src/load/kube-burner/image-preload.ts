/** Images of a job's pods on every node before it begins (pkg/burner/pre_load.go): a DaemonSet that pulls them. */
import type { Draft } from '../../api/objects/objects.js';
import type { BurnerContext } from './burner-context.js';
import type { BurnerJob } from './burner-config.js';

const NAMESPACE = 'preload-kube-burner';
const POLL_MS = 1000;
const TIMEOUT_MS = 600_000;

type Mapping = Readonly<Record<string, unknown>>;

/** Waits for the job's `preLoadPeriod`; without images nothing is done. */
export async function preloadImages(
  { player, templates, log, runid, uuid }: BurnerContext,
  job: BurnerJob,
): Promise<void> {
  const variables = { JobName: job.name, UUID: uuid, RunID: runid, Iteration: 0, Replica: 1 };
  const drafts = job.objects.flatMap((object) =>
    templates.render({ ...job, missingKeysAreZero: true }, object, variables),
  );
  const images = [...new Set(drafts.flatMap(imagesOf))];
  if (images.length === 0) return;
  log(`pre-load: ${images.length} images on every node for ${job.preLoadPeriodMs / 1000}s`);
  const labels = { app: 'kube-burner-preload' };
  await player.requests.create('Namespace', { metadata: { name: NAMESPACE } });
  const containers = images.map((image, index) => ({
    name: `container-${index}`,
    image,
    imagePullPolicy: 'IfNotPresent',
  }));
  await player.requests.create('DaemonSet', {
    metadata: { name: 'preload', namespace: NAMESPACE, labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          ...(Object.keys(job.preLoadNodeLabels).length === 0 ? {} : { nodeSelector: job.preLoadNodeLabels }),
          initContainers: containers,
          containers: [{ name: 'sleep', image: 'registry.k8s.io/pause:3.1' }],
          terminationGracePeriodSeconds: 0,
        },
      },
    },
  });
  await player.sleep(job.preLoadPeriodMs);
  await player.requests.delete('Namespace', { name: NAMESPACE }, {});
  const isGone = async (): Promise<boolean> =>
    (await player.requests.get('Namespace', { name: NAMESPACE })) === undefined;
  await player.poll(isGone, POLL_MS, TIMEOUT_MS);
}

/** Of a pod, or of the template of what makes pods. */
function imagesOf(draft: Draft): string[] {
  const spec = (draft['spec'] ?? {}) as Mapping;
  const template = ((spec['template'] as Mapping | undefined)?.['spec'] ??
    (draft.kind === 'Pod' ? spec : {})) as Mapping;
  return ['initContainers', 'containers'].flatMap((field) => {
    const containers = template[field];
    if (!Array.isArray(containers)) return [];
    return containers.flatMap(({ image }: { readonly image?: unknown }) => (typeof image === 'string' ? [image] : []));
  });
}
