import test, { type ExecutionContext } from 'ava';
import type { RecordedRequest } from '../../bench/conformance/stories/story.js';
import type { Draft } from '../../src/api/objects/objects.js';
import type { ApiServer } from '../../src/apiserver/store/server-types.js';
import { createFixture } from './fixtures.js';
import { perform, readRecording, recordedAnswer, type RecordedLine, type RecordedObject } from './recorded-requests.js';

/** Recorded requests that are not replayed, and why. */
const OUT_OF_SCOPE: Readonly<Record<string, string>> = {
  'patch unknown field strict': 'the refusal shows the whole object of the recording',
  'apply ok': 'server-side apply is not offered',
  'apply conflict': 'server-side apply is not offered',
  'apply create': 'server-side apply is not offered',
  'apply managedFields given': 'server-side apply is not offered',
  continue: 'the token carries a version of the recording',
  'watch rv=1 (too old)': 'a fault of the recording: it was not too old',
  'table object none': 'tables belong to the HTTP layer',
  'table nodes': 'tables belong to the HTTP layer',
  'table 404': 'the same as any 404',
  pretty: 'the same as any 404',
};

/** What other requests of the recording, which are not in it, had done before this one. */
const BEFORE: Readonly<Record<string, (server: ApiServer) => void>> = {
  'PUT remove toleration': (server) => {
    server.change('Pod', OK1, (pod) => ({
      ...pod,
      spec: { ...pod.spec, tolerations: [...(pod.spec.tolerations ?? []), { key: 'z', operator: 'Exists' }] },
    }));
  },
};

const OK1 = { namespace: 'errs', name: 'ok1' };

function seed(server: ApiServer, recorded: RecordedObject): void {
  const { name, namespace, labels } = recorded.metadata;
  const draft = { ...recorded, metadata: { name, namespace, labels } } as unknown as Draft;
  server.create('Pod', draft);
  server.update('Pod', draft, 'status');
}

/** The recorded body with this run's identity and version where the recording had its present ones. */
function translated(server: ApiServer, request: RecordedRequest): RecordedRequest {
  const metadata = (request.body as Partial<RecordedObject> | undefined)?.metadata;
  if (request.method !== 'PUT' || metadata === undefined) return request;
  const stored = server.find('Pod', { namespace: 'errs', name: metadata.name });
  if (stored === undefined) return request;
  const { uid, resourceVersion } = stored.metadata;
  const isPresent = metadata.resourceVersion !== '1' && metadata.resourceVersion !== 'abc';
  const isOther = metadata['uid'] === '11111111-1111-1111-1111-111111111111';
  return {
    ...request,
    body: {
      ...(request.body as object),
      metadata: { ...metadata, ...(isPresent ? { resourceVersion } : {}), ...(isOther ? {} : { uid }) },
    },
  };
}

function replay(t: ExecutionContext, server: ApiServer, lines: readonly RecordedLine[]): void {
  for (const line of lines) {
    const { name = '', request } = line;
    if (request === undefined || OUT_OF_SCOPE[name] !== undefined) continue;
    BEFORE[name]?.(server);
    t.deepEqual(perform(server, translated(server, request)), recordedAnswer(line), name);
  }
}

test('recorded requests › updates, patches, lists and watches are answered as a real server did', (t) => {
  const updates = readRecording('errors-update.jsonl');
  const patches = readRecording('errors-patch.jsonl');
  const lists = readRecording('errors-list-watch.jsonl');
  if (updates === undefined || patches === undefined || lists === undefined) {
    t.log('the recordings are not at hand');
    t.pass();
    return;
  }
  const { server } = createFixture();
  server.create('Namespace', { metadata: { name: 'errs' } });
  for (const name of ['PUT noop', 'PUT status nominatedNodeName']) {
    const line = updates.find((each) => each.name === name);
    seed(server, line?.request?.body as RecordedObject);
  }
  replay(t, server, [...updates, ...patches, ...lists]);
});

test('recorded requests › versions that are too old are refused as a real server did', (t) => {
  const lines = readRecording('errors-too-old.jsonl');
  if (lines === undefined) {
    t.log('the recordings are not at hand');
    t.pass();
    return;
  }
  const { server } = createFixture({ watchHistory: 1 });
  for (const name of ['a', 'b']) {
    server.create('Node', { metadata: { name } });
    server.create('Lease', { metadata: { name } });
  }
  for (const line of lines.slice(0, 2)) {
    const { object } = line.response as { readonly object: { readonly code: number; readonly message: string } };
    const { code, message } = perform(server, line.request ?? { method: '', path: '' });
    t.deepEqual({ code, message }, { code: object.code, message: object.message.replace(/\(\d+\)/, '(<version>)') });
  }
  const compacted = lines.find(({ name }) => name === 'continue token with compacted rv');
  t.deepEqual(perform(server, compacted?.request ?? { method: '', path: '' }), recordedAnswer(compacted ?? {}));
});
