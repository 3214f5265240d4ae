/** Holds the rules against what a real API server answered, where the recordings are at hand. */
import test, { type ExecutionContext } from 'ava';
import { applyPatch } from '../../../src/api/patches/patch.js';
import { resolveKind } from '../../../src/api/kinds/registry.js';
import type { Draft, Kind, KindMap, Pod } from '../../../src/api/objects/objects.js';
import { answerOf, created, NAME_SUFFIX, updated } from '../object-pipeline.js';
import { readRecordings, type Recording } from '../recordings.js';

/** Refusals that are not about the object itself. */
const OUT_OF_SCOPE: ReadonlyMap<string, string> = new Map([
  ['already exists', 'the store'],
  ['missing namespace', 'admission'],
  ['ns mismatch body/url', 'the HTTP server'],
  ['priority mismatch', 'admission'],
  ['unknown field Strict', 'field validation of the HTTP server'],
  ['duplicate field Strict', 'field validation of the HTTP server'],
  ['fieldValidation bad', 'options of the HTTP server'],
  ['malformed JSON', 'the HTTP server'],
  ['empty body', 'the HTTP server'],
  ['406', 'the HTTP server'],
  ['405 POST on item', 'the HTTP server'],
  ['404 pod', 'the store'],
  ['404 unknown group', 'the HTTP server'],
  ['404 root path', 'the HTTP server'],
  ['cluster-scope create pods', 'the HTTP server'],
  ['second global default', 'admission'],
  ['pod hi with other priority value', 'admission'],
  ['delete system', 'admission'],
  ['PUT stale rv', 'the store'],
  ['PUT bad rv', 'the store'],
  ['PUT uid mismatch', 'the store'],
  ['PUT not found', 'the store'],
  ['merge not json', 'the HTTP server'],
  ['patch wrong ct', 'the HTTP server'],
  ['patch no ct match', 'the HTTP server'],
  ['patch unknown field strict', 'field validation of the HTTP server'],
  ['patch name', 'the store'],
  ['patch uid', 'the store'],
  ['apply conflict', 'server-side apply'],
  ['apply managedFields given', 'server-side apply'],
  ['pod over limitrange', 'admission'],
  ['pod over quota', 'admission'],
  ['lease put no rv', 'the store'],
]);

const PATCH_TYPES: ReadonlyMap<string | null, 'merge' | 'strategic' | 'json'> = new Map([
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/json-patch+json', 'json'],
]);

function recordings(t: ExecutionContext, file: string): readonly Recording[] {
  const found = readRecordings(file);
  if (found.length === 0) t.log(`no recordings of ${file} on this machine`);
  return found;
}

function isRefusedByRules({ name, status }: Recording): boolean {
  return status >= 400 && !OUT_OF_SCOPE.has(name);
}

/** The kind that a path collects, such as `/api/v1/namespaces/ns/pods`. */
function kindOf({ request }: Recording): Kind | undefined {
  const resources: Readonly<Record<string, Kind>> = {
    pods: 'Pod',
    nodes: 'Node',
    namespaces: 'Namespace',
    services: 'Service',
    events: 'Event',
    leases: 'Lease',
    priorityclasses: 'PriorityClass',
    replicasets: 'ReplicaSet',
    deployments: 'Deployment',
  };
  return resources[request.path.split('?')[0]?.split('/').at(-1) ?? ''];
}

/** What the recording says, without random letters. */
function messageOf({ response }: Recording): string {
  return (response.message ?? '').replaceAll(/"Bad_\w{5}"/g, `"Bad_${NAME_SUFFIX}"`);
}

for (const file of ['errors-pod-create', 'errors-priorityclass', 'defaults']) {
  test(`creations are refused in the words of a real server: ${file}`, (t) => {
    for (const recording of recordings(t, file)) {
      const kind = kindOf(recording);
      if (recording.request.method !== 'POST' || kind === undefined || !isRefusedByRules(recording)) continue;
      const answer = answerOf(() => created(kind, recording.request.body as Draft));
      t.is(answer, messageOf(recording), recording.name);
    }
    t.pass();
  });
}

test('pod updates are refused in the words of a real server', (t) => {
  const stored = new Map<string, Pod>();
  for (const recording of recordings(t, 'errors-update')) {
    const { request, response, status } = recording;
    const previous = stored.get(request.path);
    if (status < 300 && response.kind === 'Pod') stored.set(request.path, response as unknown as Pod);
    if (previous === undefined || request.method !== 'PUT' || !isRefusedByRules(recording)) continue;
    const answer = answerOf(() => updated('Pod', request.body as Draft, previous));
    // The pod that a diff is of may have been changed since, which moves its lines.
    const [ours, theirs] = [answer, messageOf(recording)].map((text) => text.replace(/@@ .* @@/, '@@'));
    t.is(ours, theirs, recording.name);
  }
  t.pass();
});

test('patches are applied and refused as by a real server', (t) => {
  let stored: Pod | undefined;
  for (const recording of recordings(t, 'errors-patch')) {
    const { request, response, status, name } = recording;
    const type = PATCH_TYPES.get(request.contentType);
    const previous = stored;
    if (status < 300 && response.kind === 'Pod') stored = response as unknown as Pod;
    if (previous === undefined || type === undefined || OUT_OF_SCOPE.has(name)) continue;
    const run = (): Pod => updated('Pod', applyPatch(previous, { type, body: request.body }), previous);
    if (status >= 400) t.is(answerOf(run), messageOf(recording), name);
    else t.deepEqual(run().metadata.labels, (response as unknown as Pod).metadata.labels, name);
  }
  t.pass();
});

test('specs get the defaults of a real server', (t) => {
  for (const recording of recordings(t, 'defaults')) {
    const { request, response, status, name } = recording;
    const kind = kindOf(recording);
    if (request.method !== 'POST' || status !== 201 || kind === undefined) continue;
    if (name === 'pod w/ limitrange defaults') continue;
    t.is(resolveKind(response.apiVersion ?? '', response.kind ?? ''), kind);
    const { spec, status: ownStatus } = created(kind, request.body as Draft, 'defs') as unknown as KindMap['Pod'];
    t.deepEqual({ spec, status: ownStatus }, withoutAdmission(response as unknown as Pod), name);
  }
  t.pass();
});

/** Fields that admission and allocation set, not defaults. */
const ADMITTED_FIELDS: ReadonlySet<string> = new Set([
  'serviceAccountName',
  'serviceAccount',
  'tolerations',
  'priority',
  'clusterIPs',
  'ipFamilies',
  'ipFamilyPolicy',
  'taints',
]);

function withoutAdmission({ kind, spec, status }: Pod): unknown {
  if ((spec as unknown) === undefined) return { spec, status };
  const own = Object.entries(spec)
    .filter(([name, value]) => {
      if (kind === 'Pod' && name === 'preemptionPolicy') return false;
      return !ADMITTED_FIELDS.has(name) && !(name === 'clusterIP' && value !== 'None');
    })
    .map(([name, value]) => [name, Array.isArray(value) ? value.filter(isNotToken).map(withoutTokenMount) : value]);
  const rest = Object.fromEntries(own.filter(([, value]) => !Array.isArray(value) || value.length > 0)) as unknown;
  return { spec: rest, status };
}

function isNotToken(item: unknown): boolean {
  return !JSON.stringify(item).startsWith('{"name":"kube-api-access-');
}

function withoutTokenMount(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || !('volumeMounts' in item)) return item;
  const { volumeMounts: _mounts, ...rest } = item;
  return rest;
}
