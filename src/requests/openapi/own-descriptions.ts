/**
 * What the fields of kubeloom.dev/v1alpha1 mean, in the form of descriptions.ts: for users of kubectl these are the
 * reference of faults, pools, loads and time.
 */
export const OWN_DESCRIPTIONS = `
kubeloom/v1alpha1.Clock: How simulated time passes, and what time it is. There is one, by the name of cluster.
kubeloom/v1alpha1.ClockSpec: How time is to pass.
 mode: RealTime lets time pass at the speed; Virtual lets it go ahead as fast as the machine can while no client asks for anything.
 speed: Simulated seconds in a real second, more than 0. 1 by default. Of RealTime.
 paused: Time stands still, but for what advanceBy and advanceTo ask.
 advanceBy: A duration, such as 1h, by which time goes ahead at once. It becomes advanceTo when it is taken up.
 advanceTo: The time to which it goes ahead, as fast as the machine can.
kubeloom/v1alpha1.ClockStatus: What time it is. Worked out when it is read.
 now: The time of the cluster.
 elapsed: How much time has passed since the cluster began.
 lag: How far time is behind where the speed would have it, since the machine is too slow or requests come first.
 followed: Whether anything lets time pass as the spec says; false while a program keeps time in its own hands.
kubeloom/v1alpha1.Fault: A fault that is in effect for as long as this object is there.
kubeloom/v1alpha1.FaultSpec: What goes wrong: exactly one of the fields besides for. A fault that is changed is healed, and begins anew.
 for: How long it lasts: milliseconds, or a text such as 10m. Until the object is deleted by default.
 cut: Nothing gets through the link between a party and the API server.
 partition: Pods of some machines do not reach those of others. Their kubelets reach the API server.
 slow: Each message over a link takes longer.
 lossy: Requests over a link get no answer, and fail once they have timed out.
 refuse: The API server refuses requests of a party in place of applying them.
 delayWatch: A party hears of changes later than they come about, in their order.
 coalesceWatch: A party hears of changes later, and of each object only how it is then.
 staleReads: What a party lists and watches is old, also after it was started anew.
 restartApiServer: The API server is away, and every connection breaks.
 stopKubelet: A kubelet's process ends; what runs on its node goes on. Afterwards it starts anew.
 powerOff: A machine goes dark, with every process on it. Afterwards it boots, with its images.
 shutDown: A machine is shut down in good order: its pods are ended first in the time that its configuration gives them.
 failRuntime: A node's container runtime fails, or takes its time.
 failVolume: A node's volumes fail to be attached, mounted, unmounted or detached, or take their time.
 failPool: A pool of nodes is not resized, or its machines do not come, or take their time.
 breakAttachment: Storage takes a volume away from a node, even one that is in use.
 stopController: A controller ends as in a crash. Afterwards it starts anew and lists everything.
 runTwice: A second instance of a controller runs beside the first.
 crashAfterWrites: A controller, or all replicas of a component, end as in a crash after so many more writes.
 stopComponent: All replicas of a component of the control plane end as in a crash. Afterwards they start anew.
 skewClock: A party's own clock is wrong. Durations stay right.
kubeloom/v1alpha1.CutTarget: Whose link is cut: exactly one of node, zone, component and controller.
 direction: out for what the party sends, in for what it should hear. Both by default.
kubeloom/v1alpha1.PartitionTarget: Who is cut off: exactly one of node, nodes, zone and groups.
 node: This machine is cut off.
 nodes: These machines are cut off; they reach each other.
 zone: The machines of this zone are cut off; they reach each other.
 groups: Each of these groups of machines is cut off from every other one, and from machines that are in none.
 from: Cut off from these machines alone. From all others by default. Not beside groups.
kubeloom/v1alpha1.SlowTarget: Whose messages are slow: exactly one of node, zone, component and controller.
 latency: How long each message takes, one way: milliseconds, or a text such as 200ms or uniform(10ms, 2s).
kubeloom/v1alpha1.LossyTarget: Whose requests get no answer: exactly one of node, zone, component and controller.
 requests: The share of requests that it happens to, 0 to 1.
 when: before: they are lost before they are applied. after: their answers are lost. either, by lot, by default.
kubeloom/v1alpha1.RefuseTarget: Whose requests are refused: exactly one of node, zone, component and controller.
 kinds: Requests for objects of these kinds. All by default.
 verbs: Requests with these verbs. All by default; update and patch of Conflict.
 share: The share of these requests that it happens to, 0 to 1. 1 by default.
 with: What they are refused with: Conflict, InternalError, TooManyRequests or ServerTimeout.
kubeloom/v1alpha1.WatchTarget: Whose watches lag: exactly one of node, zone, component and controller.
 kind: Watches of this kind. All but leases by default.
 by: By how much: milliseconds, or a text such as 5s.
kubeloom/v1alpha1.StaleTarget: Whose reads are old: exactly one of node, zone, component and controller.
 kind: Reads of this kind. All but leases by default.
 by: By how much: milliseconds, or a text such as 5s. Required unless isPinned; then 0 by default.
 isPinned: What is read stays as old as it was when the fault began. false by default.
kubeloom/v1alpha1.RestartTarget: How the API server comes back.
 forgetsHistory: Watches cannot resume, and list anew. false by default.
kubeloom/v1alpha1.NodeTarget: Exactly one of node and zone.
kubeloom/v1alpha1.OperationTarget: What fails, on which machines: an operation, and exactly one of node and zone.
 operation: Of failRuntime pullImage, createSandbox or stopContainer; of failVolume attach, mount, unmount or detach.
 error: What is said. That the deadline is exceeded by default. Not beside by.
 by: In place of an error: how much longer it takes, milliseconds or a text such as 30s.
kubeloom/v1alpha1.PoolTarget: What fails for a pool.
 pool: The name of the pool.
 operation: resize: the request is refused. create: it is taken, and no machine comes of it.
 error: What the cloud says. That the deadline is exceeded by default. Not beside by.
 by: Of create, in place of an error: how much longer it takes, milliseconds or a text such as 10m.
kubeloom/v1alpha1.AttachmentTarget: Which volume is taken away from which node: exactly one of volume and claim.
 node: The node that loses the volume.
 volume: The PersistentVolume, by its name.
 claim: The claim that the volume is bound to: a name, or namespace/name.
kubeloom/v1alpha1.ControllerTarget: Which controller.
kubeloom/v1alpha1.CrashTarget: Who ends: exactly one of controller and component.
 writes: After how many more writes. They are applied; what would have been sent behind them is not.
 inOneReconcile: All of them in one reconcile of a controller. false by default.
kubeloom/v1alpha1.ComponentTarget: Which component: kube-scheduler, kube-controller-manager or cluster-autoscaler.
kubeloom/v1alpha1.SkewTarget: Whose clock is wrong: exactly one of node, zone, component and controller.
 by: How far it goes ahead, or behind where it is less than 0: milliseconds, or a text such as -30s.
kubeloom/v1alpha1.FaultStatus: What has come of the fault.
 phase: Active while it is in effect, Healed when its time is over, Failed if it could not begin.
 startTime: When it began.
 endTime: When it ended.
 effects: How many requests, messages or operations it has changed. Worked out when it is read.
 lastEffectTime: When it last changed one.
kubeloom/v1alpha1.NodePool: Nodes of one shape, as many as it says.
kubeloom/v1alpha1.NodePoolSpec: How many nodes there are to be, and of which shape.
 count: How many. What the cluster autoscaler makes of it where there is autoscaling.
 provisioningDelay: How long a machine takes from being asked for until it starts: milliseconds, or a text such as 2m. None by default.
 autoscaling: Between which sizes the cluster autoscaler may choose. The pool keeps its count by default.
 namePrefix: What the names of the nodes begin with, before their numbers. The name of the pool by default.
 zones: Zones over which the nodes are spread in turn.
 region: The region of the nodes.
 labels: Labels of the nodes.
 annotations: Annotations of the nodes.
 taints: Taints of the nodes.
 capacity: What each node has, such as cpu, memory and pods.
 allocatable: What each node gives to pods. The capacity by default.
 images: Images that are on each node from the start.
 devices: Devices of each node, which its driver publishes in ResourceSlices.
kubeloom/v1alpha1.PoolAutoscaling: Sizes that the cluster autoscaler may choose.
 min: The smallest size. 0 by default.
 max: The largest size.
 price: What one node costs an hour; for the expander price.
kubeloom/v1alpha1.NodeDevices: Equal devices of a node.
 driver: The driver that publishes them.
 count: How many.
 namePrefix: What their names begin with, before their numbers.
 attributes: What they are, as attributes of a device in a ResourceSlice.
 capacity: What they have, as the capacity of a device in a ResourceSlice.
kubeloom/v1alpha1.NodePoolStatus: What there is of the nodes.
 count: How many nodes there are.
 ready: How many of them are ready.
 selector: The labels by which they are found.
kubeloom/v1alpha1.Load: Requests that come to a service from outside, and how they fare.
kubeloom/v1alpha1.LoadSpec: How many requests come, and where.
 service: The service, in the same namespace. The name of the Load by default.
 rate: Requests a second, such as 200, or a text that says how they change: "0s=10, 5m=500", "steps 0s=10, 5m=500 repeat 1h" or "sine 100..500 every 24h".
 table: In place of rate: lines of a time, a comma and requests a second.
kubeloom/v1alpha1.LoadStatus: How the requests fare. Worked out when it is read.
 startTime: When the rate began.
 rate: Requests a second now.
 endpoints: How many ready endpoints take them.
 saturation: What is asked of the endpoints as a share of what they can do; more than 1 is more than that.
 queueingDelay: How long a request waits before it is worked on.
 waiting: How many requests wait.
 offered: How many requests have come.
 answered: How many of them were answered.
 failed: How many of them failed.
kubeloom/v1alpha1.Explanation: Why a pod is where it is, or is nowhere. Worked out when it is read.
 outcome: What came of the last attempt: placed, unschedulable or error.
 node: The node on which the pod was placed.
 attempts: Attempts to place the pod, the last one last.
kubeloom/v1alpha1.PlacementAttempt: One attempt to place a pod.
 attempt: Its number, from 1.
 time: When it was made.
 outcome: What came of it: placed, unschedulable or error.
 node: The node that was chosen, also where something refused it afterwards.
 chosenBy: What the choice was by: scores, only-feasible-node or nominated-node.
 way: How the engine came to the decision, a matter of cost alone.
 detail: full, or summary for an attempt that is older than what is kept of single nodes.
 nodes: How many nodes there were, were looked at and fit.
 rejections: Why nodes were not fit, the largest group first.
 scores: How the nodes compared, the best first.
 best: The nodes with the best score, in the order in which they were looked at.
 tieBreak: How one of several best nodes was drawn.
 refusal: Why the chosen node did not get the pod after all.
 preemption: Which pods were to make room, or why none would help.
kubeloom/v1alpha1.NodeCounts: How many nodes there were in an attempt.
 total: In the cluster.
 visited: That were looked at before enough were found.
 feasible: On which the pod would fit.
kubeloom/v1alpha1.Rejection: Why some nodes were not fit.
 plugin: The plugin that refused them.
 code: Unschedulable, which preemption may help, or UnschedulableAndUnresolvable.
 reasons: What it said.
 count: How many nodes.
 nodes: The first of them.
kubeloom/v1alpha1.NodeScore: The score of one node.
 node: The node.
 total: The sum of its plugins' scores.
 plugins: What each plugin gave.
kubeloom/v1alpha1.PluginScore: What one plugin gave a node.
 plugin: The plugin.
 raw: What it said first.
 normalized: Within 0 to 100, beside the other nodes.
 weight: How much the plugin counts.
 weighted: The normalized score times the weight.
kubeloom/v1alpha1.TieBreak: How one of several best nodes was drawn.
 tied: How many were best.
 drawn: Which of them it was, from 0.
kubeloom/v1alpha1.Verdict: Who refused a pod, and why.
 plugin: The plugin.
 code: What sort of refusal it is.
 reasons: What it said.
kubeloom/v1alpha1.Invariant: A promise of Kubernetes, and whether it was kept. Worked out when it is read.
 promise: What is promised.
 evaluations: How often it was looked at.
 violations: How often it was not kept.
 findings: When it was not kept, and by what.
kubeloom/v1alpha1.Finding: One time at which a promise was not kept.
 time: When.
 object: What it was about.
 text: What was wrong.
 askedBy: Who had asked for the write that broke it.
`;
/** Fields that mean the same in several types of kubeloom.dev/v1alpha1: whom a fault is about. */
export const OWN_PARTIES = new Map([
  ['node', 'A node with its kubelet.'],
  ['zone', 'Every node of the zone, by the label topology.kubernetes.io/zone, that is there when the fault begins.'],
  ['component', 'A component, such as kube-scheduler, or etcd for the store behind the API server.'],
  ['controller', 'One controller, such as replicaset-controller.'],
]);
