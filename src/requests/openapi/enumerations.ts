import { once } from '../../kernel/once.js';

/** Which words a field may have, where OpenAPI says so: values, then the fields by the key of their type (v1.34). */
const ROWS = `
Localhost,RuntimeDefault,Unconfined <- core/v1.AppArmorProfile.type core/v1.SeccompProfile.type
None,ReadOnly,ReadWrite <- core/v1.AzureDiskVolumeSource.cachingMode
Dedicated,Managed,Shared <- core/v1.AzureDiskVolumeSource.kind
Always,IfNotPresent,Never <- core/v1.Container.imagePullPolicy core/v1.EphemeralContainer.imagePullPolicy core/v1.ImageVolumeSource.pullPolicy
FallbackToLogsOnError,File <- core/v1.Container.terminationMessagePolicy core/v1.EphemeralContainer.terminationMessagePolicy
SCTP,TCP,UDP <- core/v1.ContainerPort.protocol core/v1.EndpointPort.protocol core/v1.PortStatus.protocol core/v1.ServicePort.protocol discovery/v1.EndpointPort.protocol networking/v1.IngressPortStatus.protocol networking/v1.NetworkPolicyPort.protocol
HTTP,HTTPS <- core/v1.HTTPGetAction.scheme
,BlockDevice,CharDevice,Directory,DirectoryOrCreate,File,FileOrCreate,Socket <- core/v1.HostPathVolumeSource.type
InProgress,Infeasible,Pending <- core/v1.ModifyVolumeStatus.status
Active,Terminating <- core/v1.NamespaceStatus.phase
DoesNotExist,Exists,Gt,In,Lt,NotIn <- core/v1.NodeSelectorRequirement.operator
Pending,Running,Terminated <- core/v1.NodeStatus.phase
ReadOnlyMany,ReadWriteMany,ReadWriteOnce,ReadWriteOncePod <- core/v1.PersistentVolumeClaimSpec.accessModes core/v1.PersistentVolumeClaimStatus.accessModes core/v1.PersistentVolumeSpec.accessModes
Block,Filesystem <- core/v1.PersistentVolumeClaimSpec.volumeMode core/v1.PersistentVolumeSpec.volumeMode
Bound,Lost,Pending <- core/v1.PersistentVolumeClaimStatus.phase
Delete,Recycle,Retain <- core/v1.PersistentVolumeSpec.persistentVolumeReclaimPolicy storage/v1.StorageClass.reclaimPolicy
Available,Bound,Failed,Pending,Released <- core/v1.PersistentVolumeStatus.phase
Always,OnRootMismatch <- core/v1.PodSecurityContext.fsGroupChangePolicy
Merge,Strict <- core/v1.PodSecurityContext.supplementalGroupsPolicy
ClusterFirst,ClusterFirstWithHostNet,Default,None <- core/v1.PodSpec.dnsPolicy
Never,PreemptLowerPriority <- core/v1.PodSpec.preemptionPolicy scheduling/v1.PriorityClass.preemptionPolicy
Always,Never,OnFailure <- core/v1.PodSpec.restartPolicy
Failed,Pending,Running,Succeeded,Unknown <- core/v1.PodStatus.phase
BestEffort,Burstable,Guaranteed <- core/v1.PodStatus.qosClass
BestEffort,CrossNamespacePodAffinity,NotBestEffort,NotTerminating,PriorityClass,Terminating,VolumeAttributesClass <- core/v1.ResourceQuotaSpec.scopes core/v1.ScopedResourceSelectorRequirement.scopeName
DoesNotExist,Exists,In,NotIn <- core/v1.ScopedResourceSelectorRequirement.operator
Default,Unmasked <- core/v1.SecurityContext.procMount
Cluster,Local <- core/v1.ServiceSpec.externalTrafficPolicy core/v1.ServiceSpec.internalTrafficPolicy
,IPv4,IPv6 <- core/v1.ServiceSpec.ipFamilies
PreferDualStack,RequireDualStack,SingleStack <- core/v1.ServiceSpec.ipFamilyPolicy
ClientIP,None <- core/v1.ServiceSpec.sessionAffinity
ClusterIP,ExternalName,LoadBalancer,NodePort <- core/v1.ServiceSpec.type
NoExecute,NoSchedule,PreferNoSchedule <- core/v1.Taint.effect core/v1.Toleration.effect
Equal,Exists <- core/v1.Toleration.operator resource/v1.DeviceToleration.operator
Honor,Ignore <- core/v1.TopologySpreadConstraint.nodeAffinityPolicy core/v1.TopologySpreadConstraint.nodeTaintsPolicy
DoNotSchedule,ScheduleAnyway <- core/v1.TopologySpreadConstraint.whenUnsatisfiable
Bidirectional,HostToContainer,None <- core/v1.VolumeMount.mountPropagation
Equivalent,Exact <- admissionregistration/v1.MatchResources.matchPolicy admissionregistration/v1alpha1.MatchResources.matchPolicy admissionregistration/v1.MutatingWebhook.matchPolicy admissionregistration/v1.ValidatingWebhook.matchPolicy
Fail,Ignore <- admissionregistration/v1.MutatingWebhook.failurePolicy admissionregistration/v1alpha1.MutatingAdmissionPolicySpec.failurePolicy admissionregistration/v1.ValidatingAdmissionPolicySpec.failurePolicy admissionregistration/v1.ValidatingWebhook.failurePolicy
None,NoneOnDryRun,Some,Unknown <- admissionregistration/v1.MutatingWebhook.sideEffects admissionregistration/v1.ValidatingWebhook.sideEffects
*,CONNECT,CREATE,DELETE,UPDATE <- admissionregistration/v1alpha1.NamedRuleWithOperations.operations admissionregistration/v1beta1.NamedRuleWithOperations.operations admissionregistration/v1.NamedRuleWithOperations.operations admissionregistration/v1.RuleWithOperations.operations
Allow,Deny <- admissionregistration/v1alpha1.ParamRef.parameterNotFoundAction
ApplyConfiguration,JSONPatch <- admissionregistration/v1alpha1.Mutation.patchType admissionregistration/v1beta1.Mutation.patchType
Audit,Deny,Warn <- admissionregistration/v1.ValidatingAdmissionPolicyBindingSpec.validationActions
FieldValueDuplicate,FieldValueForbidden,FieldValueInvalid,FieldValueRequired <- apiextensions/v1.ValidationRule.reason
OnDelete,RollingUpdate <- apps/v1.DaemonSetUpdateStrategy.type apps/v1.StatefulSetUpdateStrategy.type
Recreate,RollingUpdate <- apps/v1.DeploymentStrategy.type
OrderedReady,Parallel <- apps/v1.StatefulSetSpec.podManagementPolicy
Allow,Forbid,Replace <- batch/v1.CronJobSpec.concurrencyPolicy
Indexed,NonIndexed <- batch/v1.JobSpec.completionMode
Failed,TerminatingOrFailed <- batch/v1.JobSpec.podReplacementPolicy
In,NotIn <- batch/v1.PodFailurePolicyOnExitCodesRequirement.operator
Count,FailIndex,FailJob,Ignore <- batch/v1.PodFailurePolicyRule.action
FQDN,IPv4,IPv6 <- discovery/v1.EndpointSlice.addressType
Exact,ImplementationSpecific,Prefix <- networking/v1.HTTPIngressPath.pathType
Egress,Ingress <- networking/v1.NetworkPolicySpec.policyTypes
AlwaysAllow,IfHealthyBudget <- policy/v1.PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy
NoExecute,NoSchedule <- resource/v1.DeviceTaint.effect resource/v1.DeviceToleration.effect
Immediate,WaitForFirstConsumer <- storage/v1.StorageClass.volumeBindingMode
ControllerResizeInProgress,ControllerResizeInfeasible,NodeResizeInProgress,NodeResizeInfeasible,NodeResizePending <- core/v1.PersistentVolumeClaimStatus.allocatedResourceStatuses
SIGABRT,SIGALRM,SIGBUS,SIGCHLD,SIGCLD,SIGCONT,SIGFPE,SIGHUP,SIGILL,SIGINT,SIGIO,SIGIOT,SIGKILL,SIGPIPE,SIGPOLL,SIGPROF,SIGPWR,SIGQUIT,SIGRTMAX,SIGRTMAX-1,SIGRTMAX-10,SIGRTMAX-11,SIGRTMAX-12,SIGRTMAX-13,SIGRTMAX-14,SIGRTMAX-2,SIGRTMAX-3,SIGRTMAX-4,SIGRTMAX-5,SIGRTMAX-6,SIGRTMAX-7,SIGRTMAX-8,SIGRTMAX-9,SIGRTMIN,SIGRTMIN+1,SIGRTMIN+10,SIGRTMIN+11,SIGRTMIN+12,SIGRTMIN+13,SIGRTMIN+14,SIGRTMIN+15,SIGRTMIN+2,SIGRTMIN+3,SIGRTMIN+4,SIGRTMIN+5,SIGRTMIN+6,SIGRTMIN+7,SIGRTMIN+8,SIGRTMIN+9,SIGSEGV,SIGSTKFLT,SIGSTOP,SIGSYS,SIGTERM,SIGTRAP,SIGTSTP,SIGTTIN,SIGTTOU,SIGURG,SIGUSR1,SIGUSR2,SIGVTALRM,SIGWINCH,SIGXCPU,SIGXFSZ <- core/v1.Lifecycle.stopSignal core/v1.ContainerStatus.stopSignal
any,cert sign,client auth,code signing,content commitment,crl sign,data encipherment,decipher only,digital signature,email protection,encipher only,ipsec end system,ipsec tunnel,ipsec user,key agreement,key encipherment,microsoft sgc,netscape sgc,ocsp signing,s/mime,server auth,signing,timestamping <- certificates/v1.CertificateSigningRequestSpec.usages
`;

const byField = once(
  (): ReadonlyMap<string, readonly string[]> =>
    new Map(
      ROWS.trim()
        .split('\n')
        .flatMap((row) => {
          const [values = '', fields = ''] = row.split(' <- ');
          return fields.split(' ').map((field): [string, readonly string[]] => [field, values.split(',')]);
        }),
    ),
);

/** The words of a field, in order; undefined if it may have others, too. @param type - such as `core/v1.PodSpec` */
export function enumeration(type: string, field: string): readonly string[] | undefined {
  return byField().get(`${type}.${field}`);
}
