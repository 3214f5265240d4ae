/** The kinds of kubeloom.dev/v1alpha1, in the form that type-facts.ts reads. */
export const KUBELOOM_V1ALPHA1_TYPES = `
Clock apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:0:o spec:ClockSpec:0:o status:ClockStatus:0:o
ClockSpec mode:@ClockMode:0:o speed:*d:0:o paused:b:0:o advanceBy:s:0:o advanceTo:*t:0:o
ClockStatus observedGeneration:l:0:o now:*t:0:o elapsed:s:0:o lag:s:0:o followed:b:0:o conditions:[]meta/v1.Condition:0:o;m=type;l=type
Fault apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:0:o spec:FaultSpec:0:o status:FaultStatus:0:o
FaultSpec for:*x:0:o cut:*CutTarget:0:o partition:*PartitionTarget:0:o slow:*SlowTarget:0:o lossy:*LossyTarget:0:o refuse:*RefuseTarget:0:o delayWatch:*WatchTarget:0:o coalesceWatch:*WatchTarget:0:o staleReads:*StaleTarget:0:o restartApiServer:*RestartTarget:0:o stopKubelet:*NodeTarget:0:o powerOff:*NodeTarget:0:o shutDown:*NodeTarget:0:o failRuntime:*OperationTarget:0:o failVolume:*OperationTarget:0:o failPool:*PoolTarget:0:o breakAttachment:*AttachmentTarget:0:o stopController:*ControllerTarget:0:o runTwice:*ControllerTarget:0:o crashAfterWrites:*CrashTarget:0:o stopComponent:*ComponentTarget:0:o skewClock:*SkewTarget:0:o
CutTarget node:s:0:o zone:s:0:o component:s:0:o controller:s:0:o direction:s:0:o
PartitionTarget node:s:0:o nodes:[]s:0:o;a zone:s:0:o groups:[][]s:0:o;a from:[]s:0:o;a
SlowTarget node:s:0:o zone:s:0:o component:s:0:o controller:s:0:o latency:*x:0:o
LossyTarget node:s:0:o zone:s:0:o component:s:0:o controller:s:0:o requests:*d:0:o when:s:0:o
RefuseTarget node:s:0:o zone:s:0:o component:s:0:o controller:s:0:o kinds:[]s:0:o;a verbs:[]s:0:o;a share:*d:0:o with:s:0:o
WatchTarget node:s:0:o zone:s:0:o component:s:0:o controller:s:0:o kind:s:0:o by:*x:0:o
StaleTarget node:s:0:o zone:s:0:o component:s:0:o controller:s:0:o kind:s:0:o by:*x:0:o isPinned:*b:0:o
RestartTarget forgetsHistory:*b:0:o
NodeTarget node:s:0:o zone:s:0:o
OperationTarget node:s:0:o zone:s:0:o operation:s:0:o error:*s:0:o by:*x:0:o
PoolTarget pool:s:0:o operation:s:0:o error:*s:0:o by:*x:0:o
AttachmentTarget node:s:0:o volume:s:0:o claim:s:0:o
ControllerTarget controller:s:0:o
CrashTarget controller:s:0:o component:s:0:o writes:*l:0:o inOneReconcile:*b:0:o
ComponentTarget component:s:0:o
SkewTarget node:s:0:o zone:s:0:o component:s:0:o controller:s:0:o by:*x:0:o
FaultStatus observedGeneration:l:0:o phase:@FaultPhase:0:o message:s:0:o startTime:*t:0:o endTime:*t:0:o effects:l:0:o lastEffectTime:*t:0:o
NodePool apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:0:o spec:NodePoolSpec:0:o status:NodePoolStatus:0:o
NodePoolSpec count:*i:0:o provisioningDelay:*x:0:o autoscaling:*PoolAutoscaling:0:o namePrefix:s:0:o zones:[]s:0:o;a region:s:0:o labels:{}s:0:o annotations:{}s:0:o taints:[]core/v1.Taint:0:o;a capacity:{}q:0:o allocatable:{}q:0:o images:[]core/v1.ContainerImage:0:o;a devices:[]NodeDevices:0:o;a
PoolAutoscaling min:*i:0:o max:*i:0:o price:*d:0:o
NodeDevices driver:s:0:o count:i:0:o namePrefix:s:0:o attributes:*r:0:o capacity:*r:0:o
NodePoolStatus observedGeneration:l:0:o count:i:0:o ready:i:0:o selector:s:0:o message:s:0:o
Load apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:0:o spec:LoadSpec:0:o status:LoadStatus:0:o
LoadSpec service:s:0:o rate:*x:0:o table:s:0:o
LoadStatus observedGeneration:l:0:o startTime:*t:0:o rate:*d:0:o endpoints:i:0:o saturation:*d:0:o queueingDelay:s:0:o waiting:*d:0:o offered:l:0:o answered:l:0:o failed:l:0:o
Explanation apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:0:o outcome:@Outcome:0:o node:s:0:o message:s:0:o attempts:[]PlacementAttempt:0:o;a
PlacementAttempt attempt:l:0:o time:*t:0:o outcome:@Outcome:0:o node:s:0:o chosenBy:s:0:o way:s:0:o message:s:0:o detail:s:0:o nodes:NodeCounts:0:o rejections:[]Rejection:0:o;a scores:[]NodeScore:0:o;a best:[]s:0:o;a tieBreak:*TieBreak:0:o refusal:*Verdict:0:o preemption:*r:0:o
NodeCounts total:l:0 visited:l:0 feasible:l:0
Rejection plugin:s:0 code:s:0 reasons:[]s:0;a count:l:0 nodes:[]s:0:o;a
NodeScore node:s:0 total:d:0 plugins:[]PluginScore:0:o;a
PluginScore plugin:s:0 raw:d:0 normalized:d:0 weight:d:0 weighted:d:0
TieBreak tied:l:0 drawn:l:0
Verdict plugin:s:0 code:s:0 reasons:[]s:0;a
Invariant apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:0:o promise:s:0:o evaluations:l:0 violations:l:0 findings:[]Finding:0:o;a
Finding time:*t:0:o object:s:0:o text:s:0:o askedBy:s:0:o
`;
