/** Validation of probes and lifecycle hooks (pkg/apis/core/validation, v1.34). */
import { forbidden, invalid, notSupported, required } from '../../errors/field-errors.js';
import type { core } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { nonNegative, validPort, validPortOrName } from '../rules/number-validation.js';

const HEADER = /^[-A-Za-z0-9]+$/;
const HEADER_TEXT =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

type Handler = core.Probe & core.LifecycleHandler;
type HandlerName = (typeof HANDLERS)[number];

/** What a probe is for. */
export type ProbeRole = 'livenessProbe' | 'readinessProbe' | 'startupProbe';

/** Everything wrong with a probe; an absent one is fine. */
export function validateProbe(probe: core.Probe | undefined, role: ProbeRole, container: string): FieldError[] {
  if (probe === undefined) return [];
  const field = `${container}.${role}`;
  const { successThreshold = 1, terminationGracePeriodSeconds: grace } = probe;
  const errors = [
    ...validateHandler(probe, field),
    ...nonNegative(probe.initialDelaySeconds, `${field}.initialDelaySeconds`),
    ...nonNegative(probe.timeoutSeconds, `${field}.timeoutSeconds`),
    ...nonNegative(probe.periodSeconds, `${field}.periodSeconds`),
    ...nonNegative(probe.successThreshold, `${field}.successThreshold`),
    ...nonNegative(probe.failureThreshold, `${field}.failureThreshold`),
  ];
  if (grace !== undefined && grace <= 0) {
    errors.push(invalid(`${field}.terminationGracePeriodSeconds`, grace, 'must be greater than 0'));
  }
  if (role === 'readinessProbe') {
    if (grace !== undefined) {
      errors.push(invalid(`${field}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'));
    }
  } else if (successThreshold !== 1) errors.push(invalid(`${field}.successThreshold`, successThreshold, 'must be 1'));
  return errors;
}

/** Everything wrong with the hooks of a container. */
export function validateLifecycle(
  { postStart, preStop }: core.Lifecycle,
  field: string,
  graceSeconds: number | undefined,
): FieldError[] {
  return [
    ...(postStart === undefined ? [] : validateHandler(postStart, `${field}.postStart`, graceSeconds)),
    ...(preStop === undefined ? [] : validateHandler(preStop, `${field}.preStop`, graceSeconds)),
  ];
}

function validateHandler(handler: Handler, field: string, graceSeconds?: number): FieldError[] {
  const given = HANDLERS.filter((name) => handler[name] !== undefined);
  const [first, ...others] = given;
  if (first === undefined) return [required(field, 'must specify a handler type')];
  return [
    ...validateAction(handler, first, `${field}.${first}`, graceSeconds),
    ...others.map((name) => forbidden(`${field}.${name}`, 'may not specify more than 1 handler type')),
  ];
}

function validateAction(handler: Handler, name: HandlerName, field: string, graceSeconds?: number): FieldError[] {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  switch (name) {
    case 'exec':
      return exec?.command === undefined || exec.command.length === 0 ? [required(`${field}.command`)] : [];
    case 'httpGet':
      return httpGet === undefined ? [] : validateHttpGet(httpGet, field);
    case 'tcpSocket':
      return tcpSocket === undefined ? [] : validPortOrName(tcpSocket.port, `${field}.port`);
    case 'grpc':
      return grpc === undefined ? [] : validPort(grpc.port, `${field}.port`);
    case 'sleep':
      return sleep === undefined ? [] : validateSleep(sleep, field, graceSeconds);
  }
}

/** A pod without a grace period has an error of its own. */
function validateSleep({ seconds = 0 }: Partial<core.SleepAction>, field: string, graceSeconds?: number): FieldError[] {
  if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return [];
  return [
    invalid(field, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`),
  ];
}

function validateHttpGet({ path, port, scheme, httpHeaders = [] }: core.HTTPGetAction, field: string): FieldError[] {
  return [
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...validPortOrName(port, `${field}.port`),
    ...(scheme === 'HTTP' || scheme === 'HTTPS'
      ? []
      : [notSupported(`${field}.scheme`, scheme ?? '', ['HTTP', 'HTTPS'])]),
    ...httpHeaders.flatMap(({ name }) =>
      HEADER.test(name) ? [] : [invalid(`${field}.httpHeaders`, name, HEADER_TEXT)],
    ),
  ];
}
