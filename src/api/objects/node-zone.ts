import type { Node } from './objects.js';

const BETA_ZONE = 'failure-domain.beta.kubernetes.io/zone';
const BETA_REGION = 'failure-domain.beta.kubernetes.io/region';
/** Label of a node with the zone that it is in. */
export const ZONE_LABEL = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';

/**
 * The zone that a node counts for: region and zone, or nothing when it has neither. Mirrors
 * component-helpers/node/topology.GetZoneKey (v1.34).
 */
export function zoneKeyOf(node: Node): string {
  const labels = node.metadata.labels ?? {};
  const zone = labels[BETA_ZONE] ?? labels[ZONE_LABEL] ?? '';
  const region = labels[BETA_REGION] ?? labels[REGION] ?? '';
  return zone === '' && region === '' ? '' : `${region}:\u0000:${zone}`;
}
