import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import test, { type ExecutionContext } from 'ava';
import { SCHEMA_FILES } from '../../bench/schemas/schema-files.js';
import { resolveOptions } from '../../src/cluster/options.js';
import { CONTROLLER_NAMES } from '../../src/controllers/controller-manager.js';
import { readVariant } from '../../src/experiments/read-variant.js';
import { changesOf, put, UNKNOWN_FIELD, type Path } from './changes.js';
import { FAULTS, folderOf, PLANS, RULES, SCENARIOS, THRESHOLDS, VARIANTS, type Document } from './documents.js';
import { readOneFault, readScenario, readScripts, readThresholds } from './documents.js';
import { WHOLE_SCENARIOS, WHOLE_SCRIPTS, WHOLE_VARIANTS } from './whole-documents.js';

type Reader = (value: unknown, folder: string) => void;

function validatorOf(name: string, allErrors = false): ValidateFunction {
  const ajv = new Ajv({
    allErrors,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
  });
  return ajv.compile(JSON.parse(readFileSync(`schemas/${name}-1.json`, 'utf8')) as object);
}

/** As JSON has it, without what is undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function refusalOf(read: Reader, value: unknown, folder: string): string | undefined {
  try {
    read(value, folder);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test('the files are made of what their readers check by: npm run schemas', (t) => {
  for (const [name, schema] of Object.entries(SCHEMA_FILES)) {
    t.deepEqual(JSON.parse(readFileSync(`schemas/${name}`, 'utf8')), plain(schema), `schemas/${name}`);
  }
});

const ACCEPTED: readonly (readonly [schema: string, atLeast: number, documents: readonly Document[]])[] = [
  ['scenario', 60, [...SCENARIOS, ...PLANS, ...WHOLE_SCENARIOS]],
  ['fault', 28, FAULTS],
  ['scripts', 2, [...RULES, WHOLE_SCRIPTS]],
  ['variant', 15, [...VARIANTS, ...WHOLE_VARIANTS, ...SCENARIOS]],
  ['thresholds', 1, THRESHOLDS],
];

for (const [schema, atLeast, documents] of ACCEPTED) {
  test(`${schema} › every document of pages, examples and tests is one`, (t) => {
    const validate = validatorOf(schema);
    const refused = documents.filter(({ value }) => !validate(plain(value)));
    t.deepEqual(
      refused.map(({ source }) => source),
      [],
    );
    t.true(documents.length >= atLeast, `${documents.length} documents`);
  });
}

/** Mistakes that no schema can see: names, and numbers that hang on others. */
const BEYOND_SHAPES =
  /refers to|names x|of the cluster|must be before|after the last point|do not fall|\{uniform|uniform\(|longer than 0s|less than imageGC|1 unless serialize|at most shutdownGrace|more than 0 beside/;

const NAMES_OF_FIELDS = /(?:known are|fields here are|one of|allowed are) ([\w. ,-]+?)(?:, got|;|$)/;

/** What a reader calls the fields that are known where one is not. */
function namesIn(refusal: string): readonly string[] {
  return NAMES_OF_FIELDS.exec(refusal)?.[1]?.split(', ') ?? [];
}

/** Options that programs alone can say, and those of a variant that stand beside its cluster. */
const SAID_ELSEWHERE: readonly string[] = [
  'realtime',
  'scripts',
  'schedulerPlugins',
  'stopwatch',
  'seed',
  'nodes',
  'from',
];

/** The known fields that a schema takes for unknown, as it does that of a change, in every form that a mapping may have. */
function unheardOf(validate: ValidateFunction, value: unknown, within: Path, refusal: string): readonly string[] {
  const refusals = (name: string): number => {
    validate(plain(put(value, [...within, name], 1)));
    const errors = (validate.errors ?? []).map(({ params }) => params as { readonly additionalProperty?: string });
    return errors.filter(({ additionalProperty }) => additionalProperty === name).length;
  };
  const forms = refusals(UNKNOWN_FIELD);
  return namesIn(refusal).filter((name) => !SAID_ELSEWHERE.includes(name) && refusals(name) >= forms);
}

/** Both must take each document that is one change away, or both refuse it. */
function compare(t: ExecutionContext, name: string, read: Reader, documents: readonly Document[]): void {
  const [validate, validateAll] = [validatorOf(name), validatorOf(name, true)];
  const problems = new Set<string>();
  let changes = 0;
  for (const document of documents) {
    const folder = folderOf(document);
    t.is(refusalOf(read, document.value, folder), undefined, document.source);
    for (const { what, value, isText, within } of changesOf(document.value)) {
      changes += 1;
      const refusal = refusalOf(read, value, folder);
      const isValid = validate(plain(value));
      if (refusal === undefined && !isValid) problems.add(`${what}: only the schema refuses it`);
      if (refusal !== undefined && isValid && !isText && !BEYOND_SHAPES.test(refusal)) {
        problems.add(`${what}: the schema takes it: ${refusal}`);
      }
      if (within === undefined || refusal === undefined) continue;
      const unheard = unheardOf(validateAll, document.value, within, refusal);
      if (unheard.length > 0) problems.add(`${within.join('.')}: the schema does not know ${unheard.join(', ')}`);
    }
  }
  t.deepEqual([...problems], []);
  t.true(changes > 100, `${changes} changes`);
}

test('fault › what its reader refuses by its shape the schema refuses, and nothing else', (t) => {
  compare(t, 'fault', readOneFault, FAULTS);
});

test('scripts › what its reader refuses by its shape the schema refuses, and nothing else', (t) => {
  compare(t, 'scripts', readScripts, [WHOLE_SCRIPTS]);
});

test('scenario › what its reader refuses by its shape the schema refuses, and nothing else', (t) => {
  compare(t, 'scenario', readScenario, WHOLE_SCENARIOS);
});

test('variant › what its reader refuses by its shape the schema refuses, and nothing else', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeloom-variant-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'variant.yaml');
  writeFileSync(join(folder, 'app.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n');
  const read: Reader = (value) => {
    writeFileSync(file, JSON.stringify(value));
    const variant = readVariant(file);
    if (!('scenario' in variant)) resolveOptions(variant.cluster, CONTROLLER_NAMES);
  };
  compare(t, 'variant', read, WHOLE_VARIANTS);
});

test('thresholds › metrics, tags and expressions are those of their reader', (t) => {
  const validate = validatorOf('thresholds');
  const documents: readonly object[] = [
    { pod_startup_ms: 'p(99)<5000' },
    { pod_startup_ms: ['p(99)<5000', 'max <= 30000'], unschedulable: 'count==0' },
    { 'api_request_ms{verb:LIST}': 'max<=3e4' },
    { pod_startup: 'max<5' },
    { pod_startup_ms: 'max' },
    { pod_startup_ms: 5 },
    { pod_startup_ms: ['max<5', 3] },
    { pod_startup_ms: 'max=5' },
    {},
  ];
  for (const each of documents)
    t.is(validate(each), refusalOf(readThresholds, each, '.') === undefined, JSON.stringify(each));
});
