/**
 * Traces of SimKube, version 2, as JSON or msgpack: what was applied and deleted at which second, and how long pods
 * lived. A length of life becomes the script of the pods; what their owner's pods need and a trace has not is taken out.
 */
import { decode } from '@msgpack/msgpack';
import { kindRegistry, resolveKind } from '../../api/kinds/registry.js';
import { ImportError } from '../import/import-error.js';
import { isFields, LeftOutTally, resourcePath, type HistoricRequest, type History, SEEN_DELETION } from './history.js';

type Mapping = Readonly<Record<string, unknown>>;

const RUN_FOR = 'kubeloom.dev/run-for';
/** How long pods ran is told by the trace, whatever their commands would do. */
const AS_TOLD = { 'kubeloom.dev/plays': 'nothing' };
const MS_PER_SECOND = 1000;
const VERSION = 2;
/** Volumes of what a trace does not have. */
const OUTSIDE: readonly string[] = ['configMap', 'secret', 'persistentVolumeClaim', 'projected'];
const OWN_NAMESPACES: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease']);

/** `undefined` for bytes that are no trace. @throws ImportError for a trace of another version */
export function parseSimkube(bytes: Uint8Array, name: string): History | undefined {
  const value = bytes[0] === '{'.charCodeAt(0) ? fromJson(bytes) : fromMsgpack(bytes);
  if (!isFields(value) || !Array.isArray(value['events']) || !isFields(value['config'])) return undefined;
  if (value['version'] !== VERSION) {
    throw new ImportError(name, 'version', `must be ${VERSION}, got ${String(value['version'])}`);
  }
  return historyOf(value, name);
}

function fromJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Keys may be lists and large numbers: they become their texts. */
function fromMsgpack(bytes: Uint8Array): unknown {
  try {
    return decode(bytes, {
      useBigInt64: true,
      mapKeyConverter: (key) => (typeof key === 'string' || typeof key === 'number' ? key : keyText(key)),
    });
  } catch {
    return undefined;
  }
}

function keyText(key: unknown): string {
  return typeof key === 'bigint' ? String(key) : JSON.stringify(key);
}

function historyOf(trace: Mapping, name: string): History {
  const events = trace['events'] as readonly Mapping[];
  const startS = Number(events[0]?.['ts'] ?? 0);
  const tally = new LeftOutTally();
  const writer = new RequestWriter(trace, tally);
  let endMs = 0;
  const requests = events.flatMap((event, index) => {
    const atMs = (Number(event['ts']) - startS) * MS_PER_SECOND;
    if (!Number.isFinite(atMs) || atMs < endMs) {
      throw new ImportError(
        name,
        `events[${index}].ts`,
        'must be a number of seconds, not before that of the event before',
      );
    }
    endMs = atMs;
    return [
      ...objectsOf(event['applied_objs']).flatMap((object) => writer.applied(object, atMs)),
      ...objectsOf(event['deleted_objs']).flatMap((object) => writer.deleted(object, atMs)),
    ];
  });
  return { form: 'simkube', requests, endMs, leftOut: tally.counts };
}

function objectsOf(value: unknown): readonly Mapping[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

class RequestWriter {
  readonly #namespaces = new Set<string>(OWN_NAMESPACES);
  readonly #lives: ReadonlyMap<string, string>;
  readonly #tally: LeftOutTally;
  readonly #config: Mapping;

  constructor(trace: Mapping, tally: LeftOutTally) {
    this.#tally = tally;
    this.#lives = livesOf(trace['pod_lifecycles']);
    const config = isFields(trace['config']) ? trace['config'] : {};
    this.#config = isFields(config['trackedObjects']) ? config['trackedObjects'] : {};
  }

  applied(object: Mapping, atMs: number): readonly HistoricRequest[] {
    const place = this.#placeOf(object);
    if (place === undefined) return [];
    const { namespace, path } = place;
    const before: HistoricRequest[] = [];
    if (namespace !== undefined && !this.#namespaces.has(namespace)) {
      this.#namespaces.add(namespace);
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      before.push({ atMs, method: 'POST', path: '/api/v1/namespaces', body });
    }
    const query = 'fieldManager=simkube&force=true';
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    return [...before, { atMs, method: 'PATCH', path: `${path}?${query}`, body: this.#playable(object), headers }];
  }

  deleted(object: Mapping, atMs: number): readonly HistoricRequest[] {
    const place = this.#placeOf(object);
    return place === undefined ? [] : [{ atMs, method: 'DELETE', path: place.path, body: SEEN_DELETION }];
  }

  #placeOf({
    apiVersion,
    kind,
    metadata,
  }: Mapping): { readonly namespace: string | undefined; readonly path: string } | undefined {
    const known = resolveKind(String(apiVersion), String(kind));
    const { name, namespace } = isFields(metadata) ? metadata : {};
    if (known === undefined || typeof name !== 'string') {
      this.#tally.add(`${String(kind)} (${String(apiVersion)}), not simulated`);
      return undefined;
    }
    const { group, version, plural } = kindRegistry[known];
    const own = typeof namespace === 'string' ? namespace : undefined;
    return { namespace: own, path: resourcePath(group, version, plural, own, name) };
  }

  #playable(object: Mapping): Mapping {
    const { status: _status, ...copy } = structuredClone(object) as Record<string, unknown>;
    const metadata = copy['metadata'] as Record<string, unknown>;
    delete metadata['managedFields'];
    delete metadata['resourceVersion'];
    delete metadata['uid'];
    // What is deleted in a trace is gone.
    delete metadata['finalizers'];
    const gvk = `${String(object['apiVersion']).replace(/^\//, '')}.${String(object['kind'])}`;
    const tracked = this.#config[gvk];
    const listed = isFields(tracked) ? tracked['podSpecTemplatePaths'] : undefined;
    const paths = object['kind'] === 'Pod' ? [''] : Array.isArray(listed) ? listed.map(String) : [];
    const life = this.#lives.get(`${gvk} ${String(metadata['namespace'])}/${String(metadata['name'])}`);
    for (const path of paths) this.#fitTemplate(at(copy, path), life, copy);
    return copy;
  }

  #fitTemplate(template: unknown, life: string | undefined, object: Mapping): void {
    if (!isFields(template) || !isFields(template['spec'])) return;
    const pod = template as Record<string, unknown>;
    const metadata = (pod['metadata'] ?? {}) as Record<string, unknown>;
    const annotations = isFields(metadata['annotations']) ? metadata['annotations'] : {};
    const told = life === undefined ? AS_TOLD : { ...AS_TOLD, [RUN_FOR]: life };
    pod['metadata'] = { ...metadata, annotations: { ...annotations, ...told } };
    const spec = pod['spec'] as Record<string, unknown>;
    // Its driver ends such pods for good.
    if (life !== undefined && object === pod) spec['restartPolicy'] = 'Never';
    for (const field of ['nodeName', 'serviceAccountName', 'serviceAccount', 'imagePullSecrets']) delete spec[field];
    const volumes = objectsOf(spec['volumes']);
    if (volumes.some((volume) => OUTSIDE.some((kind) => kind in volume)))
      this.#tally.add('pod templates whose volumes are empty here');
    if (volumes.length > 0) {
      spec['volumes'] = volumes.map((volume) =>
        OUTSIDE.some((kind) => kind in volume) ? { name: volume['name'], emptyDir: {} } : volume,
      );
    }
    for (const field of ['initContainers', 'containers']) {
      for (const container of objectsOf(spec[field]) as readonly Record<string, unknown>[]) {
        delete container['envFrom'];
        const env = objectsOf(container['env']).filter(({ valueFrom }) => {
          return !isFields(valueFrom) || !('configMapKeyRef' in valueFrom || 'secretKeyRef' in valueFrom);
        });
        if (env.length > 0) container['env'] = env;
        else delete container['env'];
      }
    }
  }
}

function at(object: unknown, path: string): unknown {
  const steps = path.split('/').filter((step) => step !== '');
  return steps.reduce<unknown>((value, step) => (isFields(value) ? value[step] : undefined), object);
}

/** By owner: how long its pods ran, where all of them ended. */
function livesOf(lifecycles: unknown): ReadonlyMap<string, string> {
  const lives = new Map<string, string>();
  if (!isFields(lifecycles)) return lives;
  for (const [key, byHash] of Object.entries(lifecycles)) {
    const [gvk = '', name = ''] = JSON.parse(key) as readonly string[];
    const all = isFields(byHash)
      ? Object.values(byHash).flatMap((each) => (Array.isArray(each) ? (each as unknown[]) : []))
      : [];
    const seconds = all.flatMap((life) => {
      const finished = isFields(life) ? life['Finished'] : undefined;
      return Array.isArray(finished) ? [Number(finished[1]) - Number(finished[0])] : [];
    });
    if (seconds.length === 0 || seconds.length < all.length) continue;
    const texts = seconds.map((each) => `${Math.max(0, each)}s`);
    lives.set(
      `${gvk.replace(/^\//, '')} ${name}`,
      new Set(texts).size === 1 ? (texts[0] ?? '0s') : `choice(${texts.join(', ')})`,
    );
  }
  return lives;
}
