/** APIServices that name a service: group versions that a server behind that service serves. */
import type { PlainObject } from '../objects/plain-kinds.js';

/** Such a group version. */
export interface RemoteService {
  /** Of the APIService: `VERSION.GROUP`. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  /** The higher, the earlier its group comes among those that definitions and other servers have brought. */
  readonly groupPriorityMinimum: number;
  /** The higher, the earlier it comes in its group. */
  readonly versionPriority: number;
  readonly service: ServiceReference;
  /** Authorities of the server's certificate, base64 of PEM; empty = those of the host. */
  readonly caBundle: string;
  readonly isUnverified: boolean;
  /** Its condition Available. */
  readonly isAvailable: boolean;
}

/** A port of a service, as apiregistration's ServiceReference names it. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** A condition of an APIService. */
export interface ServiceCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface ServiceFields {
  readonly spec?: {
    readonly group?: string;
    readonly version?: string;
    readonly groupPriorityMinimum?: number;
    readonly versionPriority?: number;
    readonly caBundle?: string;
    readonly insecureSkipTLSVerify?: boolean;
    readonly service?: { readonly namespace?: string; readonly name?: string; readonly port?: number };
  };
  readonly status?: { readonly conditions?: readonly ServiceCondition[] };
}

const HTTPS_PORT = 443;

/** What an APIService says; `undefined` = the API server itself serves it. */
export function remoteServiceOf(object: PlainObject): RemoteService | undefined {
  const { spec = {} } = object as ServiceFields;
  const { group = '', version = '', groupPriorityMinimum = 0, versionPriority = 0, service } = spec;
  if (service === undefined) return undefined;
  const { namespace = '', name = '', port = HTTPS_PORT } = service;
  return {
    name: object.metadata.name,
    group,
    version,
    groupPriorityMinimum,
    versionPriority,
    service: { namespace, name, port },
    caBundle: spec.caBundle ?? '',
    isUnverified: spec.insecureSkipTLSVerify === true,
    isAvailable: availabilityOf(object)?.status === 'True',
  };
}

/** The condition Available. */
export function availabilityOf(object: PlainObject): ServiceCondition | undefined {
  return conditionsOf(object).find(({ type }) => type === AVAILABLE);
}

/**
 * An APIService with another verdict of whether it is available; the same one where that says nothing new. Mirrors
 * SetAPIServiceCondition of kube-aggregator (v1.34): the time is that of the last change from one status to the other.
 */
export function withAvailability(
  object: PlainObject,
  verdict: Pick<ServiceCondition, 'status' | 'reason' | 'message'>,
  time: string,
): PlainObject {
  const before = availabilityOf(object);
  const { status, reason = '', message = '' } = verdict;
  if (before?.status === status && before.reason === reason && before.message === message) return object;
  const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? time) : time;
  const condition: ServiceCondition = { type: AVAILABLE, status, lastTransitionTime, reason, message };
  const conditions = conditionsOf(object);
  const isNew = before === undefined;
  return {
    ...object,
    status: {
      ...object.status,
      conditions: isNew ? [...conditions, condition] : conditions.map((each) => (each === before ? condition : each)),
    },
  };
}

function conditionsOf(object: PlainObject): readonly ServiceCondition[] {
  return (object as ServiceFields).status?.conditions ?? [];
}

const AVAILABLE = 'Available';
