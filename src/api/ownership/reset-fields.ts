/** Fields that an endpoint does not write, so that no owner gets them there (`GetResetFields` of the strategies, v1.34). */
type Steps = readonly (readonly string[])[];

const [SPEC, STATUS, METADATA] = [['f:spec'], ['f:status'], ['f:metadata']] as const;
const WITHOUT_METADATA: Steps = [SPEC, METADATA];

/** By the key of a type and the subresource, what differs from most kinds. */
const OWN_WAYS: Readonly<Record<string, Readonly<Record<string, Steps>>>> = {
  'admissionregistration/v1.ValidatingAdmissionPolicy': { status: WITHOUT_METADATA },
  'apiextensions/v1.CustomResourceDefinition': { status: WITHOUT_METADATA },
  'apiregistration/v1.APIService': { status: WITHOUT_METADATA },
  'apps/v1.Deployment': { status: [SPEC, ['f:metadata', 'f:labels']] },
  'certificates/v1.CertificateSigningRequest': {
    '': [SPEC, STATUS],
    status: [SPEC, ['f:status', 'f:conditions']],
    approval: [SPEC, ['f:status', 'f:certificate']],
  },
  'core/v1.Pod': { status: [SPEC, ['f:metadata', 'f:deletionTimestamp'], ['f:metadata', 'f:ownerReferences']] },
  'flowcontrol/v1.FlowSchema': { status: WITHOUT_METADATA },
  'flowcontrol/v1.PriorityLevelConfiguration': { status: WITHOUT_METADATA },
  // Its strategy names a group that does not exist.
  'networking/v1.ServiceCIDR': { '': [], status: [] },
  'storage/v1.VolumeAttachment': { status: WITHOUT_METADATA },
};

/** The type of an object, whether its status has an endpoint of its own, and whether a definition has brought it. */
interface Endpoints {
  readonly key: string;
  readonly hasStatus: boolean;
  readonly isCustom?: boolean;
}

/** The paths that an endpoint does not write. @param subresource - empty for the object itself */
export function resetFields(subresource: string, { key, hasStatus, isCustom }: Endpoints): Steps {
  const own = OWN_WAYS[key]?.[subresource];
  if (own !== undefined) return own;
  if (subresource === 'status') return isCustom === true ? WITHOUT_METADATA : [SPEC];
  return hasStatus && subresource === '' ? [STATUS] : [];
}
