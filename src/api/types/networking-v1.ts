/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const NETWORKING_V1_TYPES = `
HTTPIngressPath path:s:1:o pathType:*@PathType:3 backend:IngressBackend:2
HTTPIngressRuleValue paths:[]HTTPIngressPath:1:a
IPAddress apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:IPAddressSpec:2:o
IPAddressSpec parentRef:*ParentReference:1:o;!
IPBlock cidr:s:1 except:[]s:2:o;a
Ingress apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:IngressSpec:2:o status:IngressStatus:3:o
IngressBackend service:*IngressServiceBackend:4:o resource:*core/v1.TypedLocalObjectReference:3:o
IngressClass apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:IngressClassSpec:2:o
IngressClassParametersReference apiGroup:*s:1:o kind:s:2 name:s:3 scope:*s:4:? namespace:*s:5:o
IngressClassSpec controller:s:1:o parameters:*IngressClassParametersReference:2:o
IngressLoadBalancerIngress ip:s:1:o hostname:s:2:o ports:[]IngressPortStatus:4:o;a
IngressLoadBalancerStatus ingress:[]IngressLoadBalancerIngress:1:o;a
IngressPortStatus port:i:1 protocol:@Protocol:2 error:*s:3:o
IngressRule host:s:1:o http:*HTTPIngressRuleValue:2.1:o
IngressServiceBackend name:s:1 port:ServiceBackendPort:2:o
IngressSpec ingressClassName:*s:4:o defaultBackend:*IngressBackend:1:o tls:[]IngressTLS:2:o;a rules:[]IngressRule:3:o;a
IngressStatus loadBalancer:IngressLoadBalancerStatus:1:o
IngressTLS hosts:[]s:1:o;a secretName:s:2:o
NetworkPolicy apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:NetworkPolicySpec:2:o
NetworkPolicyEgressRule ports:[]NetworkPolicyPort:1:o;a to:[]NetworkPolicyPeer:2:o;a
NetworkPolicyIngressRule ports:[]NetworkPolicyPort:1:o;a from:[]NetworkPolicyPeer:2:o;a
NetworkPolicyPeer podSelector:*meta/v1.LabelSelector:1:o namespaceSelector:*meta/v1.LabelSelector:2:o ipBlock:*IPBlock:3:o
NetworkPolicyPort protocol:*@Protocol:1:o port:*x:2:o endPort:*i:3:o
NetworkPolicySpec podSelector:meta/v1.LabelSelector:1:? ingress:[]NetworkPolicyIngressRule:2:o;a egress:[]NetworkPolicyEgressRule:3:o;a policyTypes:[]@PolicyType:4:o;a
ParentReference group:s:1:o resource:s:2:o;! namespace:s:3:o name:s:4:o;!
ServiceBackendPort~ name:s:1:o number:i:2:o
ServiceCIDR apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:o spec:ServiceCIDRSpec:2:o status:ServiceCIDRStatus:3:o
ServiceCIDRSpec cidrs:[]s:1:o;a
ServiceCIDRStatus conditions:[]meta/v1.Condition:1:o;m=type;l=type
`;
