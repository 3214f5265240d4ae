/**
 * The APIServices of what the API server itself serves, as a cluster has them from the start (pkg/controlplane/apiserver
 * and cmd/kube-apiserver/app/aggregator.go, v1.34). They are there before its history begins.
 */
import { localCondition } from '../api/kinds/plain/validation/api-service.js';
import type { Draft } from '../api/objects/objects.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import { uidFor } from './default-roles.js';

/** Group version, and the priorities of the group and of the version. */
const PRIORITIES: readonly (readonly [groupVersion: string, group: number, version: number])[] = [
  ['/v1', 18_000, 1],
  ['apps/v1', 17_800, 15],
  ['events.k8s.io/v1', 17_750, 15],
  ['authentication.k8s.io/v1', 17_700, 15],
  ['authorization.k8s.io/v1', 17_600, 15],
  ['autoscaling/v1', 17_500, 15],
  ['autoscaling/v2', 17_500, 30],
  ['batch/v1', 17_400, 15],
  ['certificates.k8s.io/v1', 17_300, 15],
  ['networking.k8s.io/v1', 17_200, 15],
  ['policy/v1', 17_100, 15],
  ['rbac.authorization.k8s.io/v1', 17_000, 15],
  ['storage.k8s.io/v1', 16_800, 15],
  ['admissionregistration.k8s.io/v1', 16_700, 15],
  ['apiextensions.k8s.io/v1', 16_700, 15],
  ['scheduling.k8s.io/v1', 16_600, 15],
  ['coordination.k8s.io/v1', 16_500, 15],
  ['node.k8s.io/v1', 16_300, 15],
  ['discovery.k8s.io/v1', 16_200, 15],
  ['resource.k8s.io/v1', 16_200, 21],
  ['flowcontrol.apiserver.k8s.io/v1', 16_100, 21],
];
const LABELS = { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' };

/** Puts them where none is of their name. @param time - of their creation */
export function placeLocalServices(server: ApiServer, time: string): void {
  for (const [groupVersion, groupPriorityMinimum, versionPriority] of PRIORITIES) {
    const [group = '', version = ''] = groupVersion.split('/');
    const name = `${version}.${group}`;
    if (server.find('APIService', { name }) !== undefined) continue;
    const draft: Draft = {
      metadata: { name, labels: LABELS, uid: uidFor(`APIService ${name}`), creationTimestamp: time },
      spec: { ...(group === '' ? {} : { group }), version, groupPriorityMinimum, versionPriority },
      status: {
        conditions: [localCondition(time)],
      },
    };
    server.place('APIService', draft);
  }
}
