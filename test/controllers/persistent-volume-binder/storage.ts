import type { Draft, Kind } from '../../../src/api/objects/objects.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../src/api/objects/storage-objects.js';
import type { ControllerSettings } from '../../../src/controllers/runtime/controller-settings.js';
import { createHarness, type Harness } from '../harness.js';

const STORAGE_CONTROLLERS = [
  'persistentvolume-binder-controller',
  'persistentvolumeclaim-protection-controller',
  'persistentvolume-protection-controller',
  'external-provisioner',
];

/** Volumes, claims and the controllers that bring them together; pods are placed by their label. */
export class Storage {
  readonly harness: Harness;
  /** Every state of the volumes and claims, as `name: what`. */
  readonly story: string[] = [];

  constructor(settings: Partial<ControllerSettings> = {}) {
    this.harness = createHarness({
      controllers: STORAGE_CONTROLLERS,
      settings,
      runs: (pod) => pod.metadata.labels?.['place'] === 'yes',
    });
    for (const kind of ['PersistentVolume', 'PersistentVolumeClaim'] as const) {
      this.harness.server.watch(kind, {}, (event) => {
        if (event.type === 'BOOKMARK') return;
        const object = event.object as PersistentVolume & PersistentVolumeClaim;
        this.story.push(event.type === 'DELETED' ? `${object.metadata.name}: gone` : stateOf(object));
      });
    }
  }

  create(kind: Kind, draft: Draft): void {
    this.harness.server.create(kind, draft);
  }

  volume(name: string, spec: object = {}, annotations: Record<string, string> = {}): void {
    this.create('PersistentVolume', {
      metadata: { name, annotations },
      spec: { capacity: { storage: '10Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp/x' }, ...spec },
    });
  }

  claim(name: string, spec: object = {}, annotations: Record<string, string> = {}): void {
    this.create('PersistentVolumeClaim', {
      metadata: { name, namespace: 'default', annotations },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } }, ...spec },
    });
  }

  storageClass(name: string, parts: object = {}, annotations: Record<string, string> = {}): void {
    this.create('StorageClass', { metadata: { name, annotations }, provisioner: 'csi.example.com', ...parts });
  }

  pod(name: string, claimName: string, isPlaced: boolean): void {
    this.create('Pod', {
      metadata: { name, namespace: 'default', ...(isPlaced ? { labels: { place: 'yes' } } : {}) },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
      },
    });
  }

  getVolume(name: string): PersistentVolume | undefined {
    return this.harness.server.find('PersistentVolume', { name });
  }

  getClaim(name: string): PersistentVolumeClaim | undefined {
    return this.harness.server.find('PersistentVolumeClaim', { namespace: 'default', name });
  }

  annotate(kind: Kind, name: string, annotations: Record<string, string | null>): void {
    const namespace = kind === 'PersistentVolumeClaim' ? 'default' : undefined;
    this.harness.server.patch(kind, { namespace, name }, { type: 'merge', body: { metadata: { annotations } } });
  }

  delete(kind: Kind, name: string): void {
    const namespace = kind === 'PersistentVolume' ? undefined : 'default';
    this.harness.server.delete(kind, { namespace, name });
  }

  run(forMs: number): Promise<void> {
    return this.harness.run(forMs);
  }
}

function stateOf({ metadata, spec, status }: PersistentVolume & PersistentVolumeClaim): string {
  const marks = Object.keys(metadata.annotations ?? {}).map((name) => name.slice(name.indexOf('/') + 1));
  const bound = spec.claimRef === undefined ? spec.volumeName : spec.claimRef.name;
  return [`${metadata.name}: ${status.phase}`, bound ?? '-', ...marks.sort()].join(' ');
}
