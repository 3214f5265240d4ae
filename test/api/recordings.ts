/** Answers of a real API server, beside the repository on machines that have them; never copied here. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type {
  ControllerRevision,
  Draft,
  KubeObject,
  PodTemplateSpec,
  ReplicaSet,
} from '../../src/api/objects/objects.js';
import { POD_TEMPLATE_HASH } from '../../src/api/go/template-hash.js';

/** One request and its answer. */
export interface Recording {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly contentType: string | null;
    readonly body: unknown;
  };
  readonly status: number;
  readonly response: Draft & { readonly message?: string; readonly details?: unknown };
}

const DIRECTORY = path.join(process.cwd(), '..', 'shared', 'observations');

/** The recordings of one file; none when the machine has none. */
export function readRecordings(file: string): readonly Recording[] {
  const place = path.join(DIRECTORY, `${file}.jsonl`);
  if (!existsSync(place)) return [];
  const lines = readFileSync(place, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Recording);
}

/** A pod template and the hash that a real control plane gave it. */
export interface RecordedTemplate {
  readonly template: PodTemplateSpec;
  readonly hash: string;
}

/** The templates of all recorded Deployments and daemon sets; none when the machine has no recordings. */
export function* recordedTemplates(): Iterable<RecordedTemplate> {
  if (!existsSync(DIRECTORY)) return;
  for (const file of readdirSync(DIRECTORY).sort()) {
    if (!file.startsWith('watch-') || !file.endsWith('.jsonl')) continue;
    for (const line of readFileSync(path.join(DIRECTORY, file), 'utf8').split('\n')) {
      if (!/"(?:ReplicaSet|ControllerRevision)"/.test(line)) continue;
      const { event } = JSON.parse(line) as { readonly event?: { readonly object: KubeObject } };
      const recorded = event === undefined ? undefined : recordedTemplate(event.object);
      if (recorded !== undefined) yield recorded;
    }
  }
}

function recordedTemplate(object: KubeObject): RecordedTemplate | undefined {
  const owner = object.metadata.ownerReferences?.[0]?.kind;
  if (object.kind === 'ReplicaSet' && owner === 'Deployment') {
    const { metadata, spec } = (object as ReplicaSet).spec.template;
    const { [POD_TEMPLATE_HASH]: hash = '', ...labels } = metadata?.labels ?? {};
    return { template: { metadata: { ...metadata, labels }, spec }, hash };
  }
  if (object.kind === 'ControllerRevision' && owner === 'DaemonSet') {
    const { template } = (
      (object as ControllerRevision).data as { readonly spec: { readonly template: PodTemplateSpec } }
    ).spec;
    return { template, hash: object.metadata.labels?.['controller-revision-hash'] ?? '' };
  }
  return undefined;
}
