/**
 * The environment of a container, and what `$(NAME)` stands for in its command. Mirrors makeEnvironmentVariables of the
 * kubelet and third_party/forked/golang/expansion (v1.34). Pure.
 */
import type { ConfigMap, Secret } from '../../api/objects/config-objects.js';
import type { Container, Pod, Service } from '../../api/objects/objects.js';
import type { ReadConfig } from '../config/config-cache.js';
import { fieldValue, resourceValue, type FieldFacts } from './field-values.js';

/** What an environment is made of. */
export interface EnvironmentMeans extends FieldFacts {
  readonly read: ReadConfig;
  /** Services of the pod's namespace, and `kubernetes` of the default one. */
  readonly services: readonly Service[];
}

/** Variables in the order in which they were set; what they need is there, see environmentProblem. */
export function makeEnvironment(pod: Pod, container: Container, means: EnvironmentMeans): Map<string, string> {
  const result = new Map<string, string>();
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const reading =
      configMapRef === undefined
        ? secretRef && means.read('Secret', secretRef.name ?? '')
        : means.read('ConfigMap', configMapRef.name ?? '');
    if (reading === undefined || !('object' in reading)) continue;
    for (const [key, value] of dataOf(reading.object)) result.set(`${prefix}${key}`, value);
  }
  const services = serviceVariables(means.services, pod.spec.enableServiceLinks !== false);
  for (const { name, value = '', valueFrom } of container.env ?? []) {
    if (valueFrom === undefined || value !== '') {
      const known = (each: string): string | undefined => result.get(each) ?? services.get(each);
      result.set(name, expanded(value, known));
      continue;
    }
    const read = referredValue(pod, container, valueFrom, means);
    if (read !== undefined) result.set(name, read);
  }
  for (const [name, value] of services) if (!result.has(name)) result.set(name, value);
  return result;
}

function referredValue(
  pod: Pod,
  container: Container,
  {
    fieldRef,
    resourceFieldRef,
    configMapKeyRef,
    secretKeyRef,
  }: NonNullable<NonNullable<Container['env']>[number]['valueFrom']>,
  means: EnvironmentMeans,
): string | undefined {
  if (fieldRef !== undefined) return fieldValue(pod, fieldRef.fieldPath, means);
  if (resourceFieldRef !== undefined) return resourceValue(pod, container, resourceFieldRef, means);
  const reference = configMapKeyRef ?? secretKeyRef;
  if (reference === undefined) return undefined;
  const reading = means.read(configMapKeyRef === undefined ? 'Secret' : 'ConfigMap', reference.name ?? '');
  return 'object' in reading ? new Map(dataOf(reading.object)).get(reference.key) : undefined;
}

/** The texts of a config map or a secret, sorted by key. */
function dataOf(object: ConfigMap | Secret): readonly (readonly [string, string])[] {
  const { data = {} } = object;
  return Object.keys(data)
    .sort()
    .map((key) => [
      key,
      object.kind === 'Secret' ? Buffer.from(data[key] ?? '', 'base64').toString('utf8') : (data[key] ?? ''),
    ]);
}

/** `$(NAME)` becomes the variable's value, `$$` a dollar; unknown names stay. */
export function expanded(text: string, valueOf: (name: string) => string | undefined): string {
  return text.replaceAll(
    /\$(?:(\$)|\(([^()]*)\))/g,
    (found: string, dollar?: string, name?: string) => dollar ?? valueOf(name ?? '') ?? found,
  );
}

/** Names in a text that stand for nothing. */
export function unknownNames(text: string, valueOf: (name: string) => string | undefined): readonly string[] {
  return [...text.matchAll(/\$(?:\$|\(([^()]*)\))/g)]
    .map(([, name]) => name)
    .filter((name): name is string => name !== undefined && valueOf(name) === undefined);
}

/** As pkg/kubelet/envvars: host, ports and the form that Docker's links had. */
function serviceVariables(services: readonly Service[], hasLinks: boolean): Map<string, string> {
  const result = new Map<string, string>();
  for (const { metadata, spec } of services) {
    const isMaster = metadata.namespace === 'default' && metadata.name === 'kubernetes';
    const { clusterIP = '', ports = [] } = spec;
    if (clusterIP === '' || clusterIP === 'None' || (!hasLinks && !isMaster)) continue;
    const prefix = metadata.name.toUpperCase().replaceAll('-', '_');
    const [first] = ports;
    result.set(`${prefix}_SERVICE_HOST`, clusterIP);
    result.set(`${prefix}_SERVICE_PORT`, String(first?.port ?? ''));
    for (const { name = '', port } of ports) {
      if (name !== '') result.set(`${prefix}_SERVICE_PORT_${name.toUpperCase().replaceAll('-', '_')}`, String(port));
    }
    for (const [index, { port, protocol = 'TCP' }] of ports.entries()) {
      const kind = protocol.toLowerCase();
      const url = `${kind}://${clusterIP.includes(':') ? `[${clusterIP}]` : clusterIP}:${port}`;
      const base = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`;
      if (index === 0) result.set(`${prefix}_PORT`, url);
      result.set(base, url);
      result.set(`${base}_PROTO`, kind);
      result.set(`${base}_PORT`, String(port));
      result.set(`${base}_ADDR`, clusterIP);
    }
  }
  return result;
}
