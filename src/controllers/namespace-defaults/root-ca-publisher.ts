/**
 * The root CA publisher: sees to it that every namespace has its config map `kube-root-ca.crt`, with the content that
 * it is to have. Mirrors kube-controller-manager v1.34 pkg/controller/certificates/rootcacertpublisher.
 */
import { isSameJson } from '../../api/values/canonical-json.js';
import {
  describesRootCa,
  ROOT_CA_CONFIG_MAP,
  ROOT_CA_DATA,
  rootCaAnnotations,
  rootCaDraft,
} from '../../api/objects/cluster-objects.js';
import type { ConfigMap } from '../../api/objects/config-objects.js';
import type { Lister } from '../../bus/bus-types.js';
import { defineController } from '../runtime/controller-definition.js';
import { createInNamespace } from './create-in-namespace.js';

/** See the file header; the name of a namespace is a key. */
export const rootCaPublisher = defineController<Lister<'ConfigMap'>>({
  name: 'root-ca-certificate-publisher-controller',
  concurrentSyncs: 1,
  setup(context) {
    const { queue } = context;
    const mapSeen = ({ metadata: { name, namespace = '' } }: ConfigMap): void => {
      if (name === ROOT_CA_CONFIG_MAP) queue.add(namespace);
    };
    context.watch('Namespace', {
      onAdd: ({ metadata }) => queue.add(metadata.name),
      onUpdate: (_previous, { metadata, status }) => {
        if (status?.phase === 'Active') queue.add(metadata.name);
      },
    });
    return context.watch('ConfigMap', { onUpdate: (_previous, map) => mapSeen(map), onDelete: mapSeen });
  },
  async reconcile(context, namespace, maps) {
    const map = maps.get({ namespace, name: ROOT_CA_CONFIG_MAP });
    if (map === undefined) return createInNamespace(context, 'ConfigMap', rootCaDraft(namespace));
    const { metadata, data } = map;
    if (isSameJson(data, ROOT_CA_DATA) && describesRootCa(metadata.annotations)) return;
    const annotations = rootCaAnnotations(metadata.annotations);
    await context.api.update('ConfigMap', { ...map, metadata: { ...metadata, annotations }, data: ROOT_CA_DATA });
  },
});
