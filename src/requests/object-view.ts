/** How objects are shown to clients: whole, as rows of a table, or by their metadata alone. */
import { ApiError } from '../api/errors/api-error.js';
import { goEncoded, goEncodedItem, type EncodedForm } from '../api/types/go-encoding.js';
import { withInitialOwners } from '../api/ownership/managed-fields.js';
import { typeKeyOf } from '../api/types/type-facts.js';
import type { AnswerHeaders, ApiAnswer, WatchFrame } from './api-request.js';
import { inKeyOrder } from '../api/values/canonical-json.js';
import { customTable } from './custom/printer-columns.js';
import { otherForm } from './forms/other-form.js';
import type { Form } from './negotiation.js';
import type { ServedResource } from './served-resources.js';
import { NO_CACHE, objectAnswer } from './status-answer.js';
import { includedObject, partialMetadata, TableView } from './tables/table.js';
import type { CellTime } from './tables/cells.js';
import type { KindTable } from './tables/columns.js';

type Fields = Readonly<Record<string, unknown>>;

/** Its objects are worked out, and stored nowhere. */
const METRICS_GROUP = 'metrics.k8s.io';

/** Metadata of a list. */
export interface ListMetadata {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** How some views show objects. */
interface SharedForm {
  show(stored: object): object;
}
function noTime(): never {
  throw new Error('only tables tell ages');
}

/** By resource, of which a custom one is that of one cluster and of its definition as it is, and by what is asked for. */
const sharedForms = new WeakMap<ServedResource, Map<string, SharedForm>>();

/** What a client sees of a resource's objects, in the form that it asked for. */
export class ObjectView {
  readonly #resource: ServedResource;
  readonly #form: Form;
  readonly #key: string;
  readonly #encoded: EncodedForm;
  readonly #asRead: (object: object) => object;
  readonly #hasOwnReading: boolean;
  readonly #table: TableView | undefined;
  /** Whether the columns have been told; a watch tells them once. */
  #hasToldColumns = false;

  /** @throws ApiError 400 for a table that cannot be made */
  constructor(
    resource: ServedResource,
    form: Form,
    query: URLSearchParams,
    time: () => CellTime,
    asRead?: (object: object) => object,
  ) {
    this.#hasOwnReading = asRead !== undefined;
    this.#asRead = asRead ?? ((object) => object);
    this.#resource = resource;
    this.#form = form;
    this.#key = typeKeyOf(resource);
    this.#encoded = resource.group === METRICS_GROUP ? 'stated' : 'stored';
    this.#table =
      form.shape === 'Table'
        ? new TableView(tableOf(resource), includedObject(query.get('includeObject')), time, form.shapeVersion)
        : undefined;
  }

  get #headers(): AnswerHeaders {
    return { 'content-type': this.#form.contentType, 'cache-control': NO_CACHE };
  }

  /** The answer with one object. @throws ApiError 406 for the form of a list */
  single(object: object, status = 200, headers: AnswerHeaders = {}): ApiAnswer {
    return objectAnswer(this.#shaped(object), status, { ...this.#headers, ...headers });
  }

  /** The answer with many. @throws ApiError 406 for the form of one object */
  list(items: readonly object[], metadata: ListMetadata): ApiAnswer {
    return this.lazyList(items.length, (index) => items[index] ?? {}, metadata);
  }

  /** The answer with many that are made one by one, when they are written. @throws ApiError 406 as {@link list} */
  lazyList(length: number, at: (index: number) => object, metadata: ListMetadata): ApiAnswer {
    const { shape, shapeVersion = 'v1' } = this.#form;
    const shared = { type: 'list', status: 200, headers: this.#headers, length } as const;
    if (this.#table !== undefined) {
      const table = this.#table;
      const element = (index: number): object => this.#row(table, at(index));
      return { ...shared, head: table.head(metadata), field: 'rows', element };
    }
    if (shape === 'PartialObjectMetadata') throw wrongForm(shape, `the requested object is a list (${this.#listType})`);
    if (shape === 'PartialObjectMetadataList') {
      const head = { kind: shape, apiVersion: `meta.k8s.io/${shapeVersion}`, metadata };
      if (length === 0) return objectAnswer({ ...head, items: null }, 200, this.#headers);
      return {
        ...shared,
        head,
        field: 'items',
        element: (index) => partialMetadata(this.#whole(at(index)), shapeVersion),
      };
    }
    // Lists without a Go struct always have the token.
    const own = this.#resource.custom === undefined ? metadata : { continue: '', ...metadata };
    const head = {
      ...this.#type(this.#resource.custom?.kind.custom.listKind ?? `${this.#resource.kind}List`),
      metadata: own,
    };
    return { ...shared, head, field: 'items', element: (index) => this.#item(at(index)) };
  }

  /**
   * A change as a watch tells it. Its object is made when it is written, not in the request that brought it about;
   * watches that see it alike share its text.
   */
  change(type: WatchFrame['type'], stored: object): WatchFrame {
    const form = this.#sharedForm();
    const frame = (): object => (form === undefined ? this.frame(stored) : form.show(stored));
    return {
      type,
      get object() {
        return frame();
      },
      ...(form === undefined ? {} : { shared: { stored, form } }),
    };
  }

  /** One for all views that show objects alike; undefined for tables, whose first row has the columns. */
  #sharedForm(): SharedForm | undefined {
    if (this.#table !== undefined || this.#hasOwnReading) return undefined;
    const { shape = '', shapeVersion = '' } = this.#form;
    let forms = sharedForms.get(this.#resource);
    if (forms === undefined) sharedForms.set(this.#resource, (forms = new Map<string, SharedForm>()));
    const key = `${shape} ${shapeVersion}`;
    let form = forms.get(key);
    if (form === undefined) {
      // Not this view, which holds on to its cluster's time.
      const view = new ObjectView(this.#resource, this.#form, new URLSearchParams(), noTime);
      form = { show: (stored) => view.#shaped(stored) };
      forms.set(key, form);
    }
    return form;
  }

  /** Whether it shows lists alone. */
  get isOfLists(): boolean {
    return this.#form.shape === 'PartialObjectMetadataList';
  }

  /** The object of a watch's frame; a table tells its columns in the first one. */
  frame(object: object): object {
    const shaped = this.#shaped(object);
    if (this.#table === undefined) return shaped;
    const isFirst = !this.#hasToldColumns;
    this.#hasToldColumns = true;
    return isFirst ? shaped : { ...shaped, columnDefinitions: null };
  }

  /** The object of a bookmark. */
  bookmark(resourceVersion: string, annotations?: Readonly<Record<string, string>>): object {
    const metadata = { resourceVersion, ...(annotations === undefined ? {} : { annotations }) };
    const { shape, shapeVersion = 'v1' } = this.#form;
    if (this.#table !== undefined) return this.frame({ ...this.#type(), metadata: { ...metadata, name: '' } });
    if (shape !== undefined) return partialMetadata({ metadata }, shapeVersion);
    return goEncoded({ ...this.#type(), metadata }, this.#key);
  }

  #shaped(object: object): object {
    const { shape, shapeVersion = 'v1' } = this.#form;
    if (this.#table !== undefined) {
      const { resourceVersion } = (object as { readonly metadata: Fields }).metadata;
      return { ...this.#table.head({ resourceVersion }), rows: [this.#row(this.#table, object)] };
    }
    if (shape === 'PartialObjectMetadataList') {
      throw wrongForm(shape, `the requested object is not a list (${this.#goType})`);
    }
    const whole = this.#whole(object);
    return shape === undefined ? whole : partialMetadata(whole, shapeVersion);
  }

  #row(table: TableView, object: object): object {
    // Cells are made of what the server works with.
    if (otherForm(this.#resource)?.keptGroup !== undefined) return table.row(this.#whole(object), undefined, object);
    return table.rowOf(this.#inGroup(object), (shown) => goEncoded(shown, this.#key, this.#encoded));
  }

  #whole(object: object): object {
    return this.#inOrder(goEncoded(this.#inGroup(object), this.#key, this.#encoded));
  }

  #item(object: object): object {
    return this.#inOrder(goEncodedItem(this.#inGroup(object), this.#key, this.#encoded));
  }

  /** What has no Go struct is written by the names of its fields. */
  #inOrder(object: object): object {
    return this.#resource.custom === undefined ? object : (inKeyOrder(object) as object);
  }

  #inGroup(object: object): object {
    return otherForm(this.#resource)?.shown(object) ?? this.#asRead(withInitialOwners(object));
  }

  #type(kind = this.#resource.kind): { readonly kind: string; readonly apiVersion: string } {
    return { kind, apiVersion: apiVersionOf(this.#resource) };
  }

  get #goType(): string {
    const { keptGroup, ...rest } = { ...this.#resource, ...otherForm(this.#resource) };
    const group = keptGroup ?? rest.group;
    return `*${group === '' ? 'core' : (group.split('.')[0] ?? '')}.${rest.kind}`;
  }

  get #listType(): string {
    return `${this.#goType}List`;
  }
}

function tableOf({ kind, custom }: ServedResource): string | KindTable {
  return custom === undefined ? kind : customTable(custom.version);
}

/** `apps/v1`. */
function apiVersionOf({ group, version }: Pick<ServedResource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

function wrongForm(shape: string, why: string): ApiError {
  return new ApiError(406, 'NotAcceptable', `you requested ${shape}, but ${why}`);
}
