/** The Go structures of what a PersistentVolume stands for (pkg/apis/core, v1.34); see internal-structs.ts. */
import { readStructs, type GoStructs } from './go-struct.js';

/** Of what a volume is, in a structure of their own and among the fields of its spec. */
const SOURCES = `GCEPersistentDisk:*GCEPersistentDiskVolumeSource
  AWSElasticBlockStore:*AWSElasticBlockStoreVolumeSource HostPath:*HostPathVolumeSource
  Glusterfs:*GlusterfsPersistentVolumeSource NFS:*NFSVolumeSource RBD:*RBDPersistentVolumeSource
  Quobyte:*QuobyteVolumeSource ISCSI:*ISCSIPersistentVolumeSource FlexVolume:*FlexPersistentVolumeSource
  Cinder:*CinderPersistentVolumeSource CephFS=cephfs:*CephFSPersistentVolumeSource FC:*FCVolumeSource
  Flocker:*FlockerVolumeSource AzureFile:*AzureFilePersistentVolumeSource
  VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource
  PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource PortworxVolume:*PortworxVolumeSource
  ScaleIO:*ScaleIOPersistentVolumeSource Local:*LocalVolumeSource StorageOS=storageos:*StorageOSPersistentVolumeSource
  CSI:*CSIPersistentVolumeSource`;

/** By name of the structure. */
export const VOLUME_STRUCTS: GoStructs = readStructs(`
AzureFilePersistentVolumeSource { SecretName:string ShareName:string ReadOnly:bool SecretNamespace:*string }
CSIPersistentVolumeSource { Driver:string VolumeHandle:string ReadOnly:bool FSType:string
  VolumeAttributes:map[string]string ControllerPublishSecretRef:*SecretReference NodeStageSecretRef:*SecretReference
  NodePublishSecretRef:*SecretReference ControllerExpandSecretRef:*SecretReference
  NodeExpandSecretRef:*SecretReference }
CephFSPersistentVolumeSource { Monitors:[]string Path:string User:string SecretFile:string SecretRef:*SecretReference
  ReadOnly:bool }
CinderPersistentVolumeSource { VolumeID:string FSType:string ReadOnly:bool SecretRef:*SecretReference }
FlexPersistentVolumeSource { Driver:string FSType:string SecretRef:*SecretReference ReadOnly:bool
  Options:map[string]string }
GlusterfsPersistentVolumeSource { EndpointsName=endpoints:string Path:string ReadOnly:bool EndpointsNamespace:*string }
ISCSIPersistentVolumeSource { TargetPortal:string IQN:string Lun:int32 ISCSIInterface:string FSType:string
  ReadOnly:bool Portals:[]string DiscoveryCHAPAuth=chapAuthDiscovery:bool SessionCHAPAuth=chapAuthSession:bool
  SecretRef:*SecretReference InitiatorName:*string }
LocalVolumeSource { Path:string FSType:*string }
ObjectReference { Kind:string Namespace:string Name:string UID:string APIVersion:string ResourceVersion:string
  FieldPath:string }
PersistentVolumeSource { ${SOURCES} }
PersistentVolumeSpec { Capacity:map[ResourceName]resource.Quantity ${SOURCES}
  AccessModes:[]PersistentVolumeAccessMode
  ClaimRef:*ObjectReference PersistentVolumeReclaimPolicy:PersistentVolumeReclaimPolicy StorageClassName:string
  MountOptions:[]string VolumeMode:*PersistentVolumeMode NodeAffinity:*VolumeNodeAffinity
  VolumeAttributesClassName:*string }
RBDPersistentVolumeSource { CephMonitors=monitors:[]string RBDImage=image:string FSType:string RBDPool=pool:string
  RadosUser=user:string Keyring:string SecretRef:*SecretReference ReadOnly:bool }
ScaleIOPersistentVolumeSource { Gateway:string System:string SecretRef:*SecretReference SSLEnabled:bool
  ProtectionDomain:string StoragePool:string StorageMode:string VolumeName:string FSType:string ReadOnly:bool }
SecretReference { Name:string Namespace:string }
StorageOSPersistentVolumeSource { VolumeName:string VolumeNamespace:string FSType:string ReadOnly:bool
  SecretRef:*ObjectReference }
`);
