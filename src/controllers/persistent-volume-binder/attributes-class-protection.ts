/**
 * Protection of classes of attributes: one that is deleted stays as long as a claim or a volume names it. Mirrors
 * kube-controller-manager v1.34 pkg/controller/volume/vacprotection.
 */
import type { AnyObject } from '../../api/objects/objects.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import type { Lister } from '../../bus/bus-types.js';
import { defineController } from '../runtime/controller-definition.js';
import { addFinalizer, removeFinalizer } from './protection-finalizer.js';

const FINALIZER = 'kubernetes.io/vac-protection';

interface State {
  readonly classes: Lister<'VolumeAttributesClass'>;
  readonly claims: Lister<'PersistentVolumeClaim'>;
  readonly volumes: Lister<'PersistentVolume'>;
}

/** See the file header. */
export const attributesClassProtection = defineController<State>({
  name: 'volumeattributesclass-protection-controller',
  setup(context) {
    const see = (object: AnyObject): void => {
      if (needsWork(object)) context.queue.add(object.metadata.name);
    };
    const freed = (names: readonly string[], kept: readonly string[] = []): void => {
      for (const name of names) if (!kept.includes(name)) context.queue.add(name);
    };
    const classes = context.watch('VolumeAttributesClass', { onAdd: see, onUpdate: (_previous, next) => see(next) });
    const claims = context.watch('PersistentVolumeClaim', {
      onUpdate: (previous, claim) => freed(classesOfClaim(previous), classesOfClaim(claim)),
      onDelete: (claim) => freed(classesOfClaim(claim)),
    });
    const volumes = context.watch('PersistentVolume', {
      onUpdate: (previous, volume) => freed(classesOfVolume(previous), classesOfVolume(volume)),
      onDelete: (volume) => freed(classesOfVolume(volume)),
    });
    return { classes, claims, volumes };
  },
  async reconcile(context, name, { classes, claims, volumes }) {
    const object = classes.getByKey(name);
    if (object === undefined || !needsWork(object)) return;
    if (object.metadata.deletionTimestamp === undefined) {
      return addFinalizer(context, 'VolumeAttributesClass', { name }, FINALIZER);
    }
    const isUsed =
      [...volumes.list()].some((volume) => classesOfVolume(volume).includes(name)) ||
      [...claims.list()].some((claim) => classesOfClaim(claim).includes(name));
    if (!isUsed) await removeFinalizer(context, 'VolumeAttributesClass', { name }, FINALIZER);
  },
});

/** Classes that live have the finalizer; those that are deleted are to lose it. */
function needsWork({ metadata }: AnyObject): boolean {
  const isProtected = metadata.finalizers?.includes(FINALIZER) === true;
  return isProtected === (metadata.deletionTimestamp !== undefined);
}

const NONE: readonly string[] = [];

function classesOfClaim({ spec, status }: PersistentVolumeClaim): readonly string[] {
  const { volumeAttributesClassName: asked } = spec;
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus } = status;
  if (asked === undefined && current === undefined && modifyVolumeStatus === undefined) return NONE;
  return named([asked, current, modifyVolumeStatus?.targetVolumeAttributesClassName]);
}

function classesOfVolume({ spec: { volumeAttributesClassName: name } }: PersistentVolume): readonly string[] {
  return name === undefined ? NONE : named([name]);
}

function named(names: readonly (string | undefined)[]): readonly string[] {
  return names.flatMap((name) => (name === undefined || name === '' ? [] : [name]));
}
