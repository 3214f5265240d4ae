import { getCondition } from '../../api/objects/conditions.js';
import { zoneKeyOf } from '../../api/objects/node-zone.js';
import type { core, Node } from '../../api/objects/objects.js';
import type { ReadyStatus } from './no-execute-taints.js';
import { NEVER_UPDATED } from './unknown-conditions.js';

const EXCLUDED = 'node.kubernetes.io/exclude-disruption';

/**
 * What is known of one node: what the cache shows of it, and when it was heard of last, by the
 * controller's own clock. What others' clocks say is compared with nothing but itself.
 */
export class NodeRecord {
  node: Node;
  /** Of the Ready condition, as the cache shows it, or as this controller has just written it. */
  ready: ReadyStatus | undefined;
  /** The same as the last pass left it. */
  passedReady: ReadyStatus | undefined;
  zone: string;
  /** Whether it counts when the state of its zone is told. */
  isCounted: boolean;
  /** Whether a pass has met the node. */
  isKnown = false;
  /** When the kubelet last posted the node's status, and when its lease was last seen renewed, ms. */
  statusHeardMs: number;
  leaseHeardMs: number | undefined;
  /** Heartbeats count from here at least, ms. */
  floorMs = 0;
  #heartbeat: string | undefined;

  constructor(node: Node, nowMs: number) {
    this.node = node;
    const ready = readyCondition(node);
    this.ready = ready?.status as ReadyStatus | undefined;
    this.zone = zoneKeyOf(node);
    this.isCounted = isCounted(node);
    this.statusHeardMs = nowMs;
    this.#heartbeat = ready?.lastHeartbeatTime;
  }

  /** The cache shows the node anew. */
  seen(node: Node, nowMs: number): void {
    const ready = readyCondition(node);
    this.node = node;
    this.zone = zoneKeyOf(node);
    this.isCounted = isCounted(node);
    this.ready = ready?.status as ReadyStatus | undefined;
    if (ready?.lastHeartbeatTime === this.#heartbeat) return;
    this.#heartbeat = ready?.lastHeartbeatTime;
    if (ready?.reason !== NEVER_UPDATED) this.statusHeardMs = nowMs;
  }

  /** This controller has written the node. */
  written(node: Node): void {
    this.node = node;
    this.isCounted = isCounted(node);
    this.ready = readyCondition(node)?.status as ReadyStatus | undefined;
  }
}

function isCounted({ metadata }: Node): boolean {
  return metadata.labels?.[EXCLUDED] === undefined;
}

function readyCondition({ status }: Node): core.NodeCondition | undefined {
  return getCondition(status.conditions, 'Ready');
}
