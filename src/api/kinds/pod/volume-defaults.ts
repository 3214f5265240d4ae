/** Defaults of volumes (pkg/apis/core/v1/defaults.go, v1.34). */
import type { core } from '../../objects/objects.js';
import { changedField, filled, mapShared } from '../rules/filling.js';

/** File mode 0644. */
const DEFAULT_MODE = 0o644;
const TOKEN_LIFETIME_SECONDS = 3600;
const SHARED_EMPTY_DIR: core.EmptyDirVolumeSource = Object.freeze({});

/** A volume with what the server fills in; one without a source is an empty directory. */
export function defaultedVolume(volume: core.Volume): core.Volume {
  const { name: _name, ...sources } = volume;
  let result = Object.keys(sources).length === 0 ? { ...volume, emptyDir: SHARED_EMPTY_DIR } : volume;
  result = changedField(result, 'secret', (source) => filled(source, { defaultMode: DEFAULT_MODE }));
  result = changedField(result, 'configMap', (source) => filled(source, { defaultMode: DEFAULT_MODE }));
  result = defaultedSources(result);
  result = changedField(result, 'downwardAPI', (source) =>
    changedField(filled(source, { defaultMode: DEFAULT_MODE }), 'items', defaultedItems),
  );
  result = changedField(result, 'projected', (source) =>
    changedField(filled(source, { defaultMode: DEFAULT_MODE }), 'sources', (list) =>
      mapShared(list, defaultedProjection),
    ),
  );
  return changedField(result, 'ephemeral', (source) =>
    changedField(source, 'volumeClaimTemplate', (template) => ({
      ...template,
      spec: filled((template.spec as core.PersistentVolumeClaimSpec | undefined) ?? {}, { volumeMode: 'Filesystem' }),
    })),
  );
}

/** Of sources that pods and persistent volumes name alike. */
const SOURCE_DEFAULTS: Readonly<Record<string, object>> = {
  hostPath: { type: '' },
  iscsi: { iscsiInterface: 'default' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  azureDisk: { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
};

/** What has sources, each with what the server fills in. */
export function defaultedSources<T extends object>(holder: T): T {
  let result = holder as Readonly<Record<string, object | undefined>>;
  for (const name in SOURCE_DEFAULTS) {
    result = changedField(result, name, (source) => filled(source, SOURCE_DEFAULTS[name] ?? {}));
  }
  return result as T;
}

function defaultedProjection(projection: core.VolumeProjection): core.VolumeProjection {
  const withToken = changedField(projection, 'serviceAccountToken', (token) =>
    filled(token, { expirationSeconds: TOKEN_LIFETIME_SECONDS }),
  );
  return changedField(withToken, 'downwardAPI', (source) => changedField(source, 'items', defaultedItems));
}

function defaultedItems(items: core.DownwardAPIVolumeFile[]): core.DownwardAPIVolumeFile[] {
  return mapShared(items, (item) => changedField(item, 'fieldRef', (ref) => filled(ref, { apiVersion: 'v1' })));
}
