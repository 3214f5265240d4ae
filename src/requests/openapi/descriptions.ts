import { once } from '../../kernel/once.js';
import { OWN_DESCRIPTIONS, OWN_PARTIES } from './own-descriptions.js';

/**
 * What kinds and fields mean, in a sentence each, for `kubectl explain`. A row of a type begins a line, its fields are
 * indented; what stands at no type is said by {@link BY_NAME}, of a field of that name wherever it is.
 */
const BY_TYPE = `
core/v1.Pod: Containers that are placed on one node and run there together.
core/v1.PodSpec: What a pod is made of, and where it may run.
 containers: The containers of the pod; there must be at least one. They cannot be added or removed later.
 initContainers: Containers that run one after the other before the others start. One with restartPolicy Always is a sidecar: it goes on running beside them.
 ephemeralContainers: Containers that were added to the running pod, such as for debugging.
 nodeName: The node on which the pod runs; the scheduler sets it.
 nodeSelector: Labels that a node must have for the pod to be placed there.
 affinity: Rules on nodes and on other pods by which the scheduler places the pod.
 tolerations: Taints of nodes that the pod puts up with.
 topologySpreadConstraints: How evenly pods like this one are spread over zones, nodes or other domains.
 restartPolicy: Whether containers that have ended are started again. Always by default.
 terminationGracePeriodSeconds: How long the pod may take to stop before it is killed. 30 by default.
 activeDeadlineSeconds: How long the pod may be active before it is made to fail.
 priorityClassName: The PriorityClass that gives the pod its priority.
 priority: The pod's priority, from its class; higher ones are placed first, and may preempt lower ones.
 schedulerName: The scheduler that is to place the pod.
 schedulingGates: While there are any, the pod is not scheduled.
 serviceAccountName: The account in whose name the pod's containers make requests.
 volumes: Volumes that containers of the pod can mount.
 hostname: The host name of the pod; its own name by default.
 readinessGates: Conditions that must be true, besides its containers being ready, for the pod to be Ready.
 overhead: Resources that running the pod takes besides those of its containers, from its RuntimeClass.
 securityContext: Security settings of the whole pod.
 imagePullSecrets: Secrets with which images are pulled.
 runtimeClassName: The RuntimeClass by which the pod runs.
core/v1.PodStatus: How the pod is, as its node last told.
 phase: Where the pod is in its life: Pending, Running, Succeeded, Failed or Unknown.
 podIP: The address of the pod.
 podIPs: All addresses of the pod.
 hostIP: The address of the node on which it runs.
 startTime: When the kubelet took the pod on.
 containerStatuses: How each container is.
 initContainerStatuses: How each init container is.
 nominatedNodeName: The node on which the pod may be placed once the pods that it preempts there have gone.
 qosClass: The pod's class of service, which follows from its requests and limits.
core/v1.Container: One program of a pod, from an image.
 image: The image that the container runs.
 command: The program to run, in place of the image's entry point.
 args: Arguments of the program, in place of the image's.
 env: Environment variables.
 envFrom: Config maps and secrets whose keys become environment variables.
 ports: Ports on which the container listens. For information: others are reachable, too.
 resources: What the container requests, and the most that it may use.
 livenessProbe: The container is restarted when this probe fails.
 readinessProbe: While this probe fails, the pod is not ready, and services send it nothing.
 startupProbe: The other probes begin when this one has succeeded; the container is restarted when it fails.
 lifecycle: What happens right after the start, and before the container is stopped.
 imagePullPolicy: When the image is pulled. Always for the tag latest, else IfNotPresent by default.
 volumeMounts: Where volumes of the pod are mounted.
 workingDir: The folder in which the program starts.
 restartPolicy: Of an init container only; Always makes it a sidecar.
 securityContext: Security settings of this container.
 terminationMessagePath: The file from which the container's last message is read.
 terminationMessagePolicy: Where the container's last message comes from.
core/v1.ContainerPort: A port of a container.
 containerPort: The port's number on the pod's address, 1 to 65535.
 hostPort: The port's number on the node; only one pod of a node can have it.
 hostIP: The address of the node at which the port is opened.
 protocol: UDP, TCP or SCTP. TCP by default.
core/v1.Probe: How the health of a container is asked for.
 initialDelaySeconds: How long after the start the first probe is sent.
 periodSeconds: How often it is sent. 10 by default.
 timeoutSeconds: How long an answer may take. 1 by default.
 successThreshold: How many successes in a row make it succeed.
 failureThreshold: How many failures in a row make it fail. 3 by default.
core/v1.ResourceRequirements: What a container needs and may use.
 limits: The most that may be used, by resource.
 requests: What is set aside for it, by resource; the limits by default.
core/v1.Volume: A volume of a pod, by the kind of its source.
core/v1.Service: A name and an address for a set of pods.
core/v1.ServiceSpec: Which pods a service stands for, and at which ports.
 selector: Labels of the pods behind the service; without any, its endpoints are written by others.
 ports: The ports of the service.
 type: How the service is reached: ClusterIP by default, NodePort, LoadBalancer or ExternalName.
 clusterIP: The address of the service; None makes it headless.
 clusterIPs: All addresses of the service.
 externalName: The DNS name for which the service stands; of ExternalName only.
 sessionAffinity: Whether a client stays with one pod.
 publishNotReadyAddresses: Whether pods that are not ready count as endpoints.
 loadBalancerIP: Deprecated; an address asked of the load balancer.
 trafficDistribution: Which endpoints are preferred, such as those of the client's zone.
core/v1.ServicePort: A port of a service.
 targetPort: The port of the pods, by number or by name; the same number by default.
 nodePort: The port on every node, of NodePort and LoadBalancer.
core/v1.Node: A machine on which pods run.
core/v1.NodeSpec: What is asked of a node.
 taints: Marks that keep pods away which do not tolerate them.
 unschedulable: Whether new pods are kept away, as kubectl cordon does.
 podCIDR: The addresses of the node's pods.
 providerID: The machine's name with its provider.
core/v1.NodeStatus: How a node is, as its kubelet last told.
 capacity: What the machine has.
 allocatable: What of it pods may use.
 nodeInfo: Versions and identifiers of the machine.
 addresses: At which addresses the node is reached.
 images: Images that the node has.
core/v1.Namespace: A room for names; most objects are in one.
core/v1.ConfigMap: Settings that pods can read.
 data: Texts by key.
 binaryData: Bytes by key, in base64.
 immutable: Whether the data can no longer be changed.
core/v1.Secret: Settings that are not for all eyes.
 data: Values by key, in base64.
 stringData: Values by key as texts; written only, and put into data.
 immutable: Whether the data can no longer be changed.
 type: What the secret is for; Opaque by default.
core/v1.ServiceAccount: An identity for programs in pods.
core/v1.Endpoints: The addresses behind a service. Deprecated in favour of EndpointSlice.
core/v1.Event: Something that happened to an object.
 reason: Why it was told, in one word for programs.
 count: How often it has happened.
 involvedObject: The object to which it happened.
core/v1.PersistentVolume: A piece of storage of the cluster.
core/v1.PersistentVolumeClaim: A wish for storage, and the volume that fulfils it.
 spec: The storage that is asked for.
core/v1.PersistentVolumeClaimSpec: The storage that is asked for.
 accessModes: From how many nodes it can be used, and how.
 storageClassName: The class by which the volume is made; the default class if it is not stated.
 volumeName: The volume that is bound to the claim.
core/v1.ReplicationController: Keeps a number of pods running. The older form of ReplicaSet.
core/v1.ResourceQuota: How much a namespace may use in all.
core/v1.LimitRange: Bounds and defaults of what the pods of a namespace ask for.
core/v1.PodTemplate: A pod to be made from.
core/v1.PodTemplateSpec: The pods that are made: their metadata and their spec.
core/v1.Taint: A mark of a node that keeps pods away.
core/v1.Toleration: A taint that a pod puts up with.
 tolerationSeconds: How long a NoExecute taint is put up with; for ever if it is not stated.
core/v1.Affinity: Where the pod would like to be, or must be.
core/v1.TopologySpreadConstraint: How evenly matching pods are spread over the domains of a key.
 maxSkew: How much domains may differ in their number of matching pods.
 topologyKey: The node label whose values are the domains.
 whenUnsatisfiable: What happens when no node keeps within the skew.
apps/v1.Deployment: Keeps pods of one template running, and rolls changes of the template out.
apps/v1.DeploymentSpec: The pods that a deployment keeps, and how they are replaced.
 strategy: How pods of an old template are replaced.
 paused: Whether changes of the template wait.
 revisionHistoryLimit: How many old replica sets are kept to go back to. 10 by default.
 progressDeadlineSeconds: After how long without progress the deployment counts as failed. 600 by default.
apps/v1.DeploymentStrategy: How pods of an old template are replaced by new ones.
 rollingUpdate: The bounds of a rolling update; of the type RollingUpdate only.
 type: Recreate stops all old pods first; RollingUpdate, the default, replaces them by and by.
apps/v1.RollingUpdateDeployment: The bounds of a rolling update.
 maxSurge: How many pods more than wanted there may be meanwhile, as a number or a share. 25% by default.
 maxUnavailable: How many pods may be missing meanwhile, as a number or a share. 25% by default.
apps/v1.ReplicaSet: Keeps a number of pods of one template running.
apps/v1.StatefulSet: Keeps pods with stable names and storage running, in order.
apps/v1.StatefulSetSpec: The pods that a stateful set keeps.
 serviceName: The service that gives the pods their names in DNS.
 volumeClaimTemplates: Claims that each pod gets of its own.
 podManagementPolicy: Whether pods come and go one after the other.
 updateStrategy: How pods of an old template are replaced.
 ordinals: The number of the first pod.
 persistentVolumeClaimRetentionPolicy: What becomes of claims when the set is deleted or made smaller.
apps/v1.DaemonSet: Keeps a pod on every node that fits.
apps/v1.ControllerRevision: A former state of a set, to go back to.
batch/v1.Job: Runs pods until enough of them have succeeded.
batch/v1.JobSpec: The pods that a job runs, and when it is done.
 completions: How many pods must succeed.
 parallelism: How many pods may run at a time.
 backoffLimit: How many failures are tried again. 6 by default.
 ttlSecondsAfterFinished: How long after its end the job is deleted.
 suspend: Whether no pods are to run for now.
 completionMode: Whether each pod has an index of its own.
batch/v1.CronJob: Makes jobs at the times of a schedule.
batch/v1.CronJobSpec: When jobs are made, and what of.
 schedule: The times, in the form of cron.
 timeZone: The time zone of the schedule.
 concurrencyPolicy: What happens when the last job still runs. Allow by default.
 jobTemplate: The jobs that are made.
 startingDeadlineSeconds: How late a job may be started that missed its time.
discovery/v1.EndpointSlice: Some of the addresses behind a service.
networking/v1.Ingress: Ways from outside to services, by host and path.
networking/v1.IngressClass: A kind of ingress, and the controller that serves it.
networking/v1.NetworkPolicy: Which traffic the pods of a selection may have.
policy/v1.PodDisruptionBudget: How many pods of a selection may be evicted at a time.
policy/v1.PodDisruptionBudgetSpec: The pods of a budget, and how many must stay.
 minAvailable: How many must stay available, as a number or a share.
 maxUnavailable: How many may be unavailable, as a number or a share.
rbac/v1.Role: What may be done in a namespace.
rbac/v1.ClusterRole: What may be done in all of the cluster.
rbac/v1.RoleBinding: Gives a role to users, groups or accounts, in one namespace.
rbac/v1.ClusterRoleBinding: Gives a cluster role to users, groups or accounts, in all of the cluster.
scheduling/v1.PriorityClass: A name for a priority of pods.
storage/v1.StorageClass: How volumes of a class are made.
storage/v1.VolumeAttachment: That a volume is, or is to be, attached to a node.
storage/v1.CSIDriver: A driver of storage, and how it is used.
storage/v1.CSINode: The drivers of a node.
coordination/v1.Lease: A lock that is held for as long as it is renewed.
autoscaling/v2.HorizontalPodAutoscaler: Sets the number of replicas of an object by metrics.
autoscaling/v1.Scale: The number of replicas of an object.
certificates/v1.CertificateSigningRequest: A request for a certificate.
node/v1.RuntimeClass: A way in which containers are run.
meta/v1.ObjectMeta: Standard object's metadata: what every object has, its name, its labels, its versions.
 creationTimestamp: CreationTimestamp is a timestamp of the server: when the object was created.
 deletionTimestamp: When the object will be gone, once its deletion has been asked for.
 deletionGracePeriodSeconds: How long it may take to go.
 finalizers: While there are any, the object stays though its deletion was asked for.
 generateName: The beginning of a name, to which the server adds the rest.
 generation: Which state of the spec this is; it grows with each change of it.
 managedFields: Which manager has set which field, and when.
 ownerReferences: The objects with which this one is deleted.
 resourceVersion: The version of the object; a write that states another one is refused.
 uid: What tells this object from all others that ever have its name.
meta/v1.LabelSelector: A selection of objects by their labels; all of its conditions must hold.
 matchLabels: Labels that an object must have.
 matchExpressions: Conditions on labels.
metrics/v1beta1.NodeMetrics: What a node uses now.
metrics/v1beta1.PodMetrics: What a pod uses now.
`;
const BY_NAME = `
apiVersion: APIVersion defines in which version of the API the object is written, such as apps/v1.
kind: What the object is, such as Deployment.
metadata: Standard object's metadata: its name, its labels and what else every object has.
spec: What is wanted.
status: How it is. Written by the cluster, not by users.
name: Its name, unique among its like.
namespace: The namespace in which it is.
labels: Words by which objects are selected.
annotations: Notes on the object that nothing is selected by.
replicas: The number of replicas.
selector: Which objects belong to it, by their labels.
template: What is made of it: the metadata and the spec.
conditions: What is the case, by type, and since when.
observedGeneration: The generation of the spec to which the status belongs.
minReadySeconds: How long a pod must have been ready to count as available.
type: What kind of it this is.
message: What there is to say, for people.
reason: Why, in one word, for programs.
lastTransitionTime: When the status last changed.
items: The objects.
readyReplicas: How many pods are ready.
availableReplicas: How many pods have been ready for long enough.
updatedReplicas: How many pods are of the present template.
unavailableReplicas: How many pods are missing.
port: The number of the port.
protocol: The protocol of the port.
key: The key that is meant.
operator: How the key and the values are compared.
values: The values with which it is compared.
rules: What is allowed.
subjects: To which users, groups and accounts it is given.
roleRef: The role that is given; it cannot be changed.
provisioner: What makes the volumes.
parameters: What is told to the driver.
`;

/** What names of types of our own begin with. */
const OWN_TYPES = 'kubeloom/';

/** Rows by key: types alone, fields as `<type>.<field>`. */
function rowsOf(text: string): ReadonlyMap<string, string> {
  const rows = new Map<string, string>();
  let type = '';
  for (const line of text.trim().split('\n')) {
    const at = line.indexOf(': ');
    const [name, words] = [line.slice(0, at).trim(), line.slice(at + 2)];
    const isField = line.startsWith(' ');
    if (!isField) type = name;
    rows.set(isField ? `${type}.${name}` : name, words);
  }
  return rows;
}

const byType = once(() => rowsOf(BY_TYPE + OWN_DESCRIPTIONS.trimStart()));
const byName = once(() => rowsOf(BY_NAME));

/** What a type is for; undefined if nothing is said of it. @param type - such as `core/v1.PodSpec` */
export function describedType(type: string): string | undefined {
  return byType().get(type);
}

/** What a field of a type means; undefined if nothing is said of it. */
export function describedField(type: string, field: string): string | undefined {
  const ofParty = type.startsWith(OWN_TYPES) ? OWN_PARTIES.get(field) : undefined;
  return byType().get(`${type}.${field}`) ?? ofParty ?? byName().get(field);
}

/** All keys that are described, for a test that they are there. */
export function describedKeys(): readonly string[] {
  return [...byType().keys()];
}
