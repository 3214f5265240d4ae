/** Requests volumes of classes, by an annotation of the claim that the class's provisioner watches for. */
import type { PersistentVolumeClaim, StorageClass } from '../../api/objects/storage-objects.js';
import { NO_PROVISIONER, STORAGE_PROVISIONER, withAnnotation } from '../../api/volumes/volume-rules.js';
import { putClaim, putClaimStatus, type Binder } from './bind.js';

const BETA_STORAGE_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner';

/** Asks for a volume. */
export async function requestVolume(
  binder: Binder,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  className: string,
): Promise<void> {
  const { recorder } = binder.context;
  if (storageClass === undefined) {
    const text = `storageclass.storage.k8s.io "${className}" not found`;
    recorder.record(claim, 'Warning', 'ProvisioningFailed', text);
    return;
  }
  const { provisioner } = storageClass;
  if (provisioner === NO_PROVISIONER) {
    recorder.record(claim, 'Warning', 'ProvisioningFailed', `no volume plugin matched name: ${provisioner}`);
    return;
  }
  const metadata = withAnnotation(
    withAnnotation(claim.metadata, BETA_STORAGE_PROVISIONER, provisioner),
    STORAGE_PROVISIONER,
    provisioner,
  );
  const marked = metadata === claim.metadata ? claim : await putClaim(binder, claim, { ...claim, metadata });
  await putClaimStatus(binder, marked, { phase: 'Pending' });
  recorder.record(
    claim,
    'Normal',
    'ExternalProvisioning',
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
  );
}
