/** Puts finalizers on volumes and claims, and takes them away; an object that is gone is left alone. */
import { isApiError } from '../../api/errors/api-error.js';
import type { ObjectMeta, ObjectName } from '../../api/objects/objects.js';
import type { ControllerContext } from '../runtime/controller-definition.js';

type Protected = 'PersistentVolume' | 'PersistentVolumeClaim' | 'VolumeAttributesClass';

/** Keeps an object from going. */
export function addFinalizer(
  context: ControllerContext,
  kind: Protected,
  name: ObjectName,
  finalizer: string,
): Promise<void> {
  return change(context, kind, name, (metadata) => {
    const { finalizers = [] } = metadata;
    if (finalizers.includes(finalizer)) return metadata;
    return { ...metadata, finalizers: [...finalizers, finalizer] };
  });
}

/** Lets an object go, as far as this finalizer is concerned. */
export function removeFinalizer(
  context: ControllerContext,
  kind: Protected,
  name: ObjectName,
  finalizer: string,
): Promise<void> {
  return change(context, kind, name, (metadata) => {
    const { finalizers = [] } = metadata;
    if (!finalizers.includes(finalizer)) return metadata;
    return { ...metadata, finalizers: finalizers.filter((each) => each !== finalizer) };
  });
}

async function change(
  { api }: ControllerContext,
  kind: Protected,
  name: ObjectName,
  changed: (metadata: ObjectMeta) => ObjectMeta,
): Promise<void> {
  try {
    await api.change(kind, name, (object) => {
      const metadata = changed(object.metadata);
      return metadata === object.metadata ? object : { ...object, metadata };
    });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}
