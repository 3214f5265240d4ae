/** A volume of a CSI driver that one node alone may have, `pv-data`, and the claim `data` that has it. */
export const DATA_VOLUME = `
apiVersion: v1
kind: PersistentVolume
metadata: { name: pv-data }
spec:
  capacity: { storage: 1Gi }
  accessModes: [ReadWriteOnce]
  storageClassName: ''
  csi: { driver: disk.example.com, volumeHandle: data }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data }
spec:
  storageClassName: ''
  volumeName: pv-data
  accessModes: [ReadWriteOnce]
  resources: { requests: { storage: 1Gi } }
`;

/** The pod `db`, which uses the claim `data`. */
export const DATA_POD = `
apiVersion: v1
kind: Pod
metadata: { name: db }
spec:
  containers: [{ name: c, image: db, volumeMounts: [{ name: data, mountPath: /data }] }]
  volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]
`;

/** A pod bound to a node, `on-<node>`, which uses the claim `data` and ends within a second. */
export function dataPodOn(node: string): string {
  return `
apiVersion: v1
kind: Pod
metadata: { name: on-${node} }
spec:
  nodeName: ${node}
  terminationGracePeriodSeconds: 1
  containers: [{ name: c, image: db, volumeMounts: [{ name: data, mountPath: /data }] }]
  volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]
`;
}
