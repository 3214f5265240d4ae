/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const DISCOVERY_V1_TYPES = `
Endpoint addresses:[]s:1:s conditions:EndpointConditions:2:o hostname:*s:3:o targetRef:*core/v1.ObjectReference:4:o deprecatedTopology:{}s:5:o nodeName:*s:6:o zone:*s:7:o hints:*EndpointHints:8:o
EndpointConditions ready:*b:1:o serving:*b:2:o terminating:*b:3:o
EndpointHints forZones:[]ForZone:1:o;a forNodes:[]ForNode:2:o;a
EndpointPort~ name:*s:1:o protocol:*@Protocol:2:o port:*i:3:o appProtocol:*s:4:o
EndpointSlice apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o addressType:@AddressType:4 endpoints:[]Endpoint:2:a ports:[]EndpointPort:3:?;a
ForNode name:s:1
ForZone name:s:1
`;
