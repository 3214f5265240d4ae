/**
 * `npm run custom -- --crds FOLDER [--server https://127.0.0.1:6443] [--token admin-token] [--count 1000]
 * [--seed 1]`: applies the definitions of a folder to a real API server and to ours, creates random objects of their
 * kinds, valid and broken ones, dry on both, and prints what differs: status, message, and what would be stored. Exit
 * code 1 when anything differs, 2 for bad input.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { ApiError, createCluster, type Cluster, type Draft } from '../../src/index.js';
import { isFields, type JsonSchema } from '../../src/api/custom/json-schema.js';
import { canonicalJson } from '../../src/api/values/canonical-json.js';
import { randomStream } from '../../src/kernel/random.js';
import { programOptions, refuseInput } from '../program-options.js';
import { fieldsOr, randomValue, specSchema } from './random-object.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MOST_SHOWN = 40;
/** How likely a value is a stray one: never, now and then, often. */
const FAULTS = [0, 0.01, 0.06];

const { values } = programOptions('custom', {
  options: {
    crds: { type: 'string' },
    server: { type: 'string', default: 'https://127.0.0.1:6443' },
    token: { type: 'string', default: 'admin-token' },
    count: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
});
const { crds, server, token, seed } = values;
const count = Number(values.count);
if (crds === undefined) refuseInput('custom', '--crds must be a folder of definitions');
if (!Number.isSafeInteger(count) || count < 1)
  refuseInput('custom', `--count must be an integer >= 1, got ${values.count}`);

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

function ask(method: string, place: string, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = request(new URL(place, server), { method, agent, headers }, (got) => {
      let text = '';
      got.setEncoding('utf8');
      got.on('data', (part: string) => (text += part));
      got.on('error', reject);
      got.on('end', () =>
        resolve({
          status: got.statusCode ?? 0,
          body: text.startsWith('{') ? (JSON.parse(text) as Answer['body']) : {},
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

interface Defined extends Draft {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly storage: boolean;
      readonly schema: { readonly openAPIV3Schema: JsonSchema };
    }[];
  };
}

function definitionsIn(folder: string): readonly Defined[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.ya?ml$/.test(name));
  return files.toSorted().flatMap((name) =>
    parseAllDocuments(readFileSync(path.join(folder, name), 'utf8'))
      .map((document) => document.toJS() as unknown)
      .filter((each): each is Defined => isFields(each) && each['kind'] === 'CustomResourceDefinition'),
  );
}

/** What is said of an object: its status and its texts in order of their names, or what is stored of it. */
function told(status: number, body: Readonly<Record<string, unknown>>): string {
  if (status < 300) {
    const { apiVersion: _version, kind: _kind, metadata: _meta, ...own } = body;
    return canonicalJson(own);
  }
  const { causes } = fieldsOr(body['details']) as { readonly causes?: readonly { field?: string; message?: string }[] };
  if (causes === undefined) return `${status} ${String(body['message'])}`;
  const texts = causes.map(({ field = '', message = '' }) => `${field}: ${message}`);
  return `${status} ${texts.toSorted().join('; ')}`;
}

function ours(cluster: Cluster, object: Draft): string {
  let stored: object | undefined;
  try {
    const [applied] = cluster.apply(object, { dryRun: true, validate: 'ignore' });
    if (applied?.action !== 'ignored') stored = applied?.object;
  } catch (error) {
    if (!(error instanceof ApiError)) return `error ${String(error)}`;
    return told(error.code, error.toStatus() as unknown as Readonly<Record<string, unknown>>);
  }
  return told(201, (stored ?? {}) as Readonly<Record<string, unknown>>);
}

async function compare(cluster: Cluster, definition: Defined): Promise<number> {
  const { group, scope, names, versions } = definition.spec;
  const version = versions.find(({ storage }) => storage);
  if (version === undefined) return 0;
  const random = randomStream(seed, `${names.plural}.${group}`);
  const schema = specSchema(version.schema.openAPIV3Schema);
  const space = scope === 'Namespaced' ? 'namespaces/default/' : '';
  const place = `/apis/${group}/${version.name}/${space}${names.plural}?dryRun=All`;
  let differences = 0;
  let accepted = 0;
  for (let index = 0; index < count; index += 1) {
    const fault = FAULTS[index % FAULTS.length] ?? 0;
    const metadata = { name: `o${index}`, ...(scope === 'Namespaced' ? { namespace: 'default' } : {}) };
    const drawn = fieldsOr(randomValue(schema, { random, fault }));
    const object = { apiVersion: `${group}/${version.name}`, kind: names.kind, metadata, ...drawn } as Draft;
    const { status, body } = await ask('POST', place, object);
    const [theirs, own] = [told(status, body), ours(cluster, object)];
    if (status < 300) accepted += 1;
    if (theirs === own) continue;
    differences += 1;
    if (differences <= MOST_SHOWN) {
      process.stdout.write(
        `${names.plural} ${index}: ${JSON.stringify(drawn).slice(0, 600)}\n  real ${theirs}\n  ours ${own}\n`,
      );
    }
  }
  process.stdout.write(`${names.plural}.${group}: ${count} objects, ${accepted} accepted, ${differences} differ\n`);
  return differences;
}

interface Condition {
  readonly type: string;
  readonly status: string;
}

async function isServed(definition: Defined): Promise<boolean> {
  for (let tries = 0; tries < 600; tries += 1) {
    const { body } = await ask('GET', `${DEFINITIONS}/${definition.metadata?.name}`);
    const { conditions } = fieldsOr(body['status']) as { readonly conditions?: readonly Condition[] | null };
    if (conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true) return true;
    await sleep(100);
  }
  return false;
}

const cluster = createCluster({ nodes: 0 });
let differences = 0;
for (const definition of definitionsIn(crds)) {
  const { status, body } = await ask('POST', DEFINITIONS, definition);
  if (status !== 201 && status !== 409) {
    process.stdout.write(`${definition.metadata?.name}: ${status} ${String(body['message'])}\n`);
    continue;
  }
  cluster.create('CustomResourceDefinition', definition);
  if (await isServed(definition)) {
    await sleep(2500);
    differences += await compare(cluster, definition);
  }
  if (status === 201) await ask('DELETE', `${DEFINITIONS}/${definition.metadata?.name}`);
}
await cluster.dispose();
process.exitCode = differences === 0 ? 0 : 1;
