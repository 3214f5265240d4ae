/** The objects that jobs make and patch: their templates, rendered for an iteration and a replica, with kube-burner's labels. */
import { resolveKind } from '../../api/kinds/registry.js';
import type { Draft, Kind } from '../../api/objects/objects.js';
import { LoadError } from '../input/load-error.js';
import type { Params } from '../input/load-fields.js';
import { RenderedTexts } from '../input/rendered-texts.js';
import { parseTemplate, type Template, type TemplateSettings } from '../../templates/template.js';
import { dictOf } from '../../templates/values.js';
import type { BurnerJob, BurnerObject } from './burner-config.js';
import { told } from './read-burner.js';

/** One document of an object's template. */
export interface JobObject {
  readonly settings: BurnerObject;
  /** Of the document within the template. */
  readonly document: number;
  /** Absent = it is not simulated. */
  readonly kind: Kind | undefined;
  readonly kindName: string;
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
  objectsOf(job: BurnerJob, variables: Params): JobObject[] {
    return job.objects
      .filter(({ replicas }) => replicas > 0)
      .flatMap((settings) =>
        this.render(job, settings, { ...variables, Iteration: 0, Replica: 1 }).map(
          ({ apiVersion = '', kind = '' }, document) => ({
            settings,
            document,
            kind: resolveKind(apiVersion, kind),
            kindName: `${apiVersion} ${kind}`,
          }),
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
