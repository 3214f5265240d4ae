/** Attachments of volumes to nodes (pkg/apis/storage/validation, v1.34). */
import { forbidden, invalidEach, required } from '../../errors/field-errors.js';
import type { FieldError } from '../../objects/resource-kind.js';
import type { VolumeAttachment } from '../../objects/storage-objects.js';
import { dns1123Subdomain } from '../../values/names.js';
import { validateDriverName } from './csi-node.js';
import { defaultedSources } from '../pod/volume-defaults.js';
import { validateVolumeSpec } from './volume-spec.js';
import type { Draft } from '../../objects/objects.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField, filled } from '../rules/filling.js';
import { immutable } from '../rules/storage-fields.js';

const ONE_SOURCE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

/** The description of volume attachments. */
export const volumeAttachmentKind = describeKind<'VolumeAttachment'>({
  kind: 'VolumeAttachment',
  group: 'storage.k8s.io',
  plural: 'volumeattachments',
  isNamespaced: false,
  hasStatus: true,
  requiresVersionOnUpdate: true,
  deleteReturnsObject: true,
  applyDefaults: (draft) =>
    changedField(filled(draft, { spec: {} }) as Draft & { spec: object }, 'spec', defaultedSpec),
  // MutableCSINodeAllocatableCount
  droppedFields: ['status.attachError.errorCode', 'status.detachError.errorCode'],
  prepareForCreate: (attachment) => ({ ...attachment, status: { attached: false } }),
  validate({ spec }) {
    const { attacher = '', nodeName = '', source = {} } = spec as Partial<VolumeAttachment['spec']>;
    const errors: FieldError[] = attacher === '' ? [required('spec.attacher')] : [];
    const sources = [source.inlineVolumeSpec, source.persistentVolumeName].filter((each) => each !== undefined);
    if (sources.length === 0) errors.push(required('spec.source', ONE_SOURCE));
    else if (sources.length > 1) errors.push(forbidden('spec.source', ONE_SOURCE));
    else if (source.persistentVolumeName === '') {
      errors.push(required('spec.source.persistentVolumeName', 'must specify non empty persistentVolumeName'));
    } else if (source.inlineVolumeSpec !== undefined) {
      errors.push(...validateVolumeSpec(source.inlineVolumeSpec, { field: 'spec.source.inlineVolumeSpec' }));
    }
    return [...errors, ...invalidEach('spec.nodeName', nodeName, dns1123Subdomain(nodeName))];
  },
  // Version 1 has rules of its own.
  validateNew({ spec }) {
    const { attacher = '', source = {} } = spec as Partial<VolumeAttachment['spec']>;
    const { persistentVolumeName: volume } = source;
    const field = 'spec.source.persistentVolumeName';
    return [
      ...validateDriverName(attacher, 'spec.attacher'),
      ...(volume === undefined ? [] : invalidEach(field, volume, dns1123Subdomain(volume))),
    ];
  },
  validateChange: (next, previous) => immutable(next.spec, previous.spec, 'spec', 'VolumeAttachmentSpec'),
});

function defaultedSpec(spec: object): object {
  return changedField(spec as { readonly source?: object }, 'source', (source) =>
    changedField(source as { readonly inlineVolumeSpec?: object }, 'inlineVolumeSpec', defaultedSources),
  );
}
