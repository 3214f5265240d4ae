/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const RESOURCE_V1_TYPES = `
AllocatedDeviceStatus driver:s:1 pool:s:2 device:s:3 shareID:*s:7:o conditions:[]meta/v1.Condition:4:?;l=type data:*r:5:o networkData:*NetworkDeviceData:6:o
AllocationResult devices:DeviceAllocationResult:1:o nodeSelector:*core/v1.NodeSelector:3:o allocationTimestamp:*t:5:o
CELDeviceSelector expression:s:1
CapacityRequestPolicy default:*q:1:? validValues:[]q:3:o;a validRange:*CapacityRequestPolicyRange:4:o
CapacityRequestPolicyRange min:*q:1:o;! max:*q:2:o step:*q:3:o
CapacityRequirements requests:{}q:1:o
Counter value:q:1
CounterSet name:s:1 counters:{}Counter:2:o;!
Device name:s:1 attributes:{}DeviceAttribute:2:o capacity:{}DeviceCapacity:3:o consumesCounters:[]DeviceCounterConsumption:4:o;a nodeName:*s:5:o nodeSelector:*core/v1.NodeSelector:6:o allNodes:*b:7:o taints:[]DeviceTaint:8:o;a bindsToNode:*b:9:o bindingConditions:[]s:10:o;a bindingFailureConditions:[]s:11:o;a allowMultipleAllocations:*b:12:o
DeviceAllocationConfiguration source:@AllocationConfigSource:1 requests:[]s:2:o;a opaque:*OpaqueDeviceConfiguration:3.1:o
DeviceAllocationResult results:[]DeviceRequestAllocationResult:1:o;a config:[]DeviceAllocationConfiguration:2:o;a
DeviceAttribute int:*l:2:o bool:*b:3:o string:*s:4:o version:*s:5:o
DeviceCapacity value:q:1 requestPolicy:*CapacityRequestPolicy:2:o
DeviceClaim requests:[]DeviceRequest:1:?;a constraints:[]DeviceConstraint:2:o;a config:[]DeviceClaimConfiguration:3:o;a
DeviceClaimConfiguration requests:[]s:1:o;a opaque:*OpaqueDeviceConfiguration:2.1:o
DeviceClass apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:DeviceClassSpec:2
DeviceClassConfiguration opaque:*OpaqueDeviceConfiguration:1.1:o
DeviceClassSpec selectors:[]DeviceSelector:1:o;a config:[]DeviceClassConfiguration:2:o;a extendedResourceName:*s:4:o
DeviceConstraint requests:[]s:1:o;a matchAttribute:*@FullyQualifiedName:2:o distinctAttribute:*@FullyQualifiedName:3:o
DeviceCounterConsumption counterSet:s:1 counters:{}Counter:2:o;!
DeviceRequest name:s:1 exactly:*ExactDeviceRequest:2:o firstAvailable:[]DeviceSubRequest:3:o;a
DeviceRequestAllocationResult request:s:1 driver:s:2 pool:s:3 device:s:4 adminAccess:*b:5:o tolerations:[]DeviceToleration:6:o;a bindingConditions:[]s:7:o;a bindingFailureConditions:[]s:8:o;a shareID:*@types.UID:9:o consumedCapacity:{}q:10:o
DeviceSelector cel:*CELDeviceSelector:1:o
DeviceSubRequest name:s:1 deviceClassName:s:2 selectors:[]DeviceSelector:3:o;a allocationMode:@DeviceAllocationMode:4:o count:l:5:o tolerations:[]DeviceToleration:6:o;a capacity:*CapacityRequirements:7:o
DeviceTaint key:s:1 value:s:2:o effect:@DeviceTaintEffect:3 timeAdded:*t:4:o
DeviceToleration key:s:1:o operator:@DeviceTolerationOperator:2:o;d="Equal" value:s:3:o effect:@DeviceTaintEffect:4:o tolerationSeconds:*l:5:o
ExactDeviceRequest deviceClassName:s:1 selectors:[]DeviceSelector:2:o;a allocationMode:@DeviceAllocationMode:3:o count:l:4:o adminAccess:*b:5:o tolerations:[]DeviceToleration:6:o;a capacity:*CapacityRequirements:7:o
NetworkDeviceData interfaceName:s:1:o ips:[]s:2:o;a hardwareAddress:s:3:o
OpaqueDeviceConfiguration driver:s:1 parameters:r:2
ResourceClaim apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:ResourceClaimSpec:2 status:ResourceClaimStatus:3:o
ResourceClaimConsumerReference apiGroup:s:1:o resource:s:3 name:s:4 uid:@types.UID:5
ResourceClaimSpec devices:DeviceClaim:1:?
ResourceClaimStatus allocation:*AllocationResult:1:o reservedFor:[]ResourceClaimConsumerReference:2:o;m=uid;l=uid devices:[]AllocatedDeviceStatus:4:o;l=driver,device,pool,shareID
ResourceClaimTemplate apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:ResourceClaimTemplateSpec:2
ResourceClaimTemplateSpec metadata:meta/v1.ObjectMeta:1:o spec:ResourceClaimSpec:2
ResourcePool name:s:1 generation:l:2 resourceSliceCount:l:3
ResourceSlice apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:ResourceSliceSpec:2
ResourceSliceSpec driver:s:1 pool:ResourcePool:2 nodeName:*s:3:o nodeSelector:*core/v1.NodeSelector:4:o allNodes:*b:5:o devices:[]Device:6:?;a perDeviceNodeSelection:*b:7:o sharedCounters:[]CounterSet:8:o;a
`;
