/** The objects that jobs make and patch: their templates, rendered for an iteration and a replica, with kube-burner's labels. */
import type { Draft, Kind } from '../../api/objects/objects.js';
import { LoadError } from '../input/load-error.js';
import type { Params } from '../input/load-fields.js';
import { RenderedTexts } from '../input/rendered-texts.js';
import type { LoadKinds } from '../player/load-kinds.js';
import { parseTemplate, type Template, type TemplateSettings } from '../../templates/template.js';
import { dictOf } from '../../templates/values.js';
import type { BurnerJob, BurnerObject } from './burner-config.js';
import { told } from './read-burner.js';

/** One document of an object's template. It may name another kind each time, and a kind that is still to come. */
export class JobObject {
  readonly settings: BurnerObject;
  /** Of the document within the template. */
  readonly document: number;
  readonly #first: KindNames;
  readonly #known: LoadKinds;
  readonly #kinds = new Set<Kind>();

  constructor({ settings, document, first, known }: JobObjectMeans) {
    this.settings = settings;
    this.document = document;
    this.#first = first;
    this.#known = known;
  }

  /** As its first iteration has it. */
  get kindName(): string {
    return `${this.#first.apiVersion ?? ''} ${this.#first.kind ?? ''}`;
  }

  /** Those of what was made of it, and that of its first iteration; empty while the cluster has none of them. */
  get kinds(): ReadonlySet<Kind> {
    if (this.#kinds.size === 0) this.kindOf(this.#first);
    return this.#kinds;
  }

  /** The kind of what it was rendered to; undefined = it is not simulated. */
  kindOf({ apiVersion = '', kind: name = '' }: KindNames): Kind | undefined {
    const kind = this.#known.resolve(apiVersion, name);
    if (kind !== undefined) this.#kinds.add(kind);
    return kind;
  }
}

type KindNames = Pick<Draft, 'apiVersion' | 'kind'>;

interface JobObjectMeans {
  readonly settings: BurnerObject;
  readonly document: number;
  readonly first: KindNames;
  readonly known: LoadKinds;
}

/** See the file header. */
export class BurnerTemplates {
  readonly #templates = new Map<string, Template>();
  readonly #rendered = new RenderedTexts();
  readonly #read: (path: string) => string;
  readonly #settings: TemplateSettings;

  constructor(read: (path: string) => string, settings: TemplateSettings) {
    this.#read = read;
    this.#settings = settings;
  }

  /** The documents of each of a job's templates, as its first iteration has them. @throws LoadError */
  objectsOf(job: BurnerJob, variables: Params, known: LoadKinds): JobObject[] {
    return job.objects
      .filter(({ replicas }) => replicas > 0)
      .flatMap((settings) =>
        this.render(job, settings, { ...variables, Iteration: 0, Replica: 1 }).map(
          (first, document) => new JobObject({ settings, document, first, known }),
        ),
      );
  }

  /** Its documents, not to be changed. @throws LoadError */
  render(job: BurnerJob, { objectTemplate, inputVars }: BurnerObject, variables: Params): Draft[] {
    const text = this.text(job, objectTemplate, { ...variables, ...inputVars });
    return this.#rendered.valuesOf(text, objectTemplate).map((value) => value as Draft);
  }

  /** A template as a text. @throws LoadError */
  text(job: BurnerJob, path: string, variables: Params): string {
    const missingKey = job.missingKeysAreZero ? 'default' : 'error';
    const key = `${missingKey} ${path}`;
    let template = this.#templates.get(key);
    if (template === undefined) {
      template = told(path, () => parseTemplate(path, this.#readText(path), { ...this.#settings, missingKey }));
      this.#templates.set(key, template);
    }
    const found = template;
    return told(path, () => found.render(dictOf(variables, 'yaml')));
  }

  #readText(path: string): string {
    let text: string;
    try {
      text = this.#read(path);
    } catch (error) {
      throw new LoadError(path, '', `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (text.trim() === '') throw new LoadError(path, '', 'must not be empty');
    return text;
  }
}

type Labels = Readonly<Record<string, string>>;
type Mapping = Readonly<Record<string, unknown>>;

/** Kinds whose pods get the labels as well, by the way to their template. */
const TEMPLATE_KINDS: readonly string[] = [
  'Deployment',
  'DaemonSet',
  'ReplicaSet',
  'StatefulSet',
  'Job',
  'ReplicationController',
];

/** An object with labels, and what it makes with them as well; its own win. */
export function labelled(draft: Draft, labels: Labels): Draft {
  const own = { ...labels, ...draft.metadata?.labels };
  const object: Draft = { ...draft, metadata: { ...draft.metadata, labels: own } };
  if (!TEMPLATE_KINDS.includes(draft.kind ?? '')) return object;
  const spec = (draft['spec'] ?? {}) as Mapping;
  const template = (spec['template'] ?? {}) as Mapping;
  const metadata = (template['metadata'] ?? {}) as Mapping;
  const below = { ...labels, ...(metadata['labels'] as Labels | undefined) };
  const claims = spec['volumeClaimTemplates'];
  return {
    ...object,
    spec: {
      ...spec,
      template: { ...template, metadata: { ...metadata, labels: below } },
      ...(Array.isArray(claims) ? { volumeClaimTemplates: claims.map((claim: Draft) => labelled(claim, labels)) } : {}),
    },
  };
}

/** A selector of `a=b` pairs. */
export function selectorOf(labels: Params): string {
  return Object.entries(labels)
    .map(([key, value]) => (value === '' ? key : `${key}=${String(value)}`))
    .join(',');
}
