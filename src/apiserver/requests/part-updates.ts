/**
 * Updates through endpoints that write one part of an object alone: a pod's ephemeral containers and its resources,
 * and the approval of a certificate. What they write is stored and judged; nothing here acts on it. Mirrors the
 * strategies in pkg/registry/core/pod and pkg/registry/certificates (v1.34).
 */
import { forbidden, invalid, required } from '../../api/errors/field-errors.js';
import type { Container, Draft, DraftMeta, Kind, KindMap, Pod } from '../../api/objects/objects.js';
import type { PlainObject } from '../../api/objects/plain-kinds.js';
import type { FieldError } from '../../api/objects/resource-kind.js';
import { qosClass } from '../../api/pods/qos-class.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import type { Subresource } from '../store/server-types.js';
import { updatedMetadata } from './metadata.js';

type Fields = Readonly<Record<string, unknown>>;

/** What comes of such an update. */
interface PartUpdate {
  readonly next: object;
  readonly errors: readonly FieldError[];
}

/** The object with the part that is wanted, and what is wrong with it. @param time - the present */
export function partUpdate<K extends Kind>(
  part: Exclude<Subresource, 'status'>,
  wanted: Draft,
  previous: KindMap[K],
  time: string,
): { readonly next: KindMap[K]; readonly errors: readonly FieldError[] } {
  const update = UPDATES[part](wanted, previous, time);
  return { next: update.next as KindMap[K], errors: update.errors };
}

const UPDATES: Readonly<
  Record<Exclude<Subresource, 'status'>, (wanted: Fields, previous: object, time: string) => PartUpdate>
> = {
  ephemeralcontainers: (wanted, previous) => withEphemeral(wanted, previous as Pod),
  resize: (wanted, previous) => resized(wanted, previous as Pod),
  approval: (wanted, previous, time) => approved(wanted, previous as PlainObject, time),
};

function withEphemeral({ spec }: Fields, previous: Pod): PartUpdate {
  const before = (previous.spec.ephemeralContainers ?? []) as readonly Container[];
  const after = ((spec as Partial<Pod['spec']> | undefined)?.ephemeralContainers ?? []) as readonly Container[];
  const field = 'spec.ephemeralContainers';
  const errors: FieldError[] = [];
  const taken = new Set([...previous.spec.containers, ...(previous.spec.initContainers ?? [])].map(({ name }) => name));
  for (const [index, { name, image }] of after.entries()) {
    if ((name ?? '') === '') errors.push(required(`${field}[${index}].name`));
    else if (taken.has(name))
      errors.push({
        type: 'FieldValueDuplicate',
        field: `${field}[${index}].name`,
        detail: `Duplicate value: ${JSON.stringify(name)}`,
      });
    taken.add(name);
    if ((image ?? '') === '') errors.push(required(`${field}[${index}].image`));
  }
  for (const old of before) {
    const same = after.find(({ name }) => name === old.name);
    const what = `existing ephemeral containers ${JSON.stringify(old.name)} may not be`;
    if (same === undefined) errors.push(forbidden(field, `${what} removed\n`));
    else if (!isSameJson(same, old)) errors.push(forbidden(field, `${what} changed\n`));
  }
  const { ephemeralContainers: _old, ...rest } = previous.spec;
  return {
    next: { ...previous, spec: { ...rest, ...(after.length === 0 ? {} : { ephemeralContainers: after }) } },
    errors,
  };
}

/** Resources of which a running pod may be given more or less. */
const RESIZABLE: ReadonlySet<string> = new Set(['cpu', 'memory']);

function resized({ spec }: Fields, previous: Pod): PartUpdate {
  const wanted = (spec ?? {}) as Partial<Pod['spec']>;
  const errors: FieldError[] = [];
  const merged = (list: 'containers' | 'initContainers'): readonly Container[] =>
    (previous.spec[list] ?? []).map((container, index) => {
      const after = (wanted[list] ?? []).find(({ name }) => name === container.name);
      if (after === undefined || isSameJson(after.resources ?? {}, container.resources ?? {})) return container;
      const own = `spec.${list}[${index}].resources`;
      for (const part of ['requests', 'limits'] as const) {
        const [old, next] = [container.resources?.[part] ?? {}, after.resources?.[part] ?? {}];
        for (const name of new Set([...Object.keys(old), ...Object.keys(next)])) {
          if (RESIZABLE.has(name)) {
            if (next[name] === undefined)
              errors.push(forbidden(`${own}.${part}`, `resource ${part} cannot be removed`));
          } else if (old[name] !== next[name])
            errors.push(forbidden('spec', 'only cpu and memory resources are mutable'));
        }
      }
      return { ...container, resources: after.resources ?? {} };
    });
  const containers = merged('containers');
  const initContainers = previous.spec.initContainers === undefined ? {} : { initContainers: merged('initContainers') };
  const next = { ...previous, spec: { ...previous.spec, containers, ...initContainers } };
  const quality = qosClass(next.spec as Pod['spec']);
  if (quality !== qosClass(previous.spec)) {
    errors.push(invalid('spec', quality, 'Pod QOS Class may not change as a result of resizing'));
  }
  return { next, errors };
}

interface Condition {
  readonly type: string;
  readonly status?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

function approved({ status, metadata: wanted }: Fields, previous: PlainObject, time: string): PartUpdate {
  const before = conditionsOf(previous.status);
  const after = conditionsOf(status).map((condition): Condition => {
    const old = before.find(({ type }) => type === condition.type);
    if (old !== undefined && isSameJson(old, condition)) return old;
    const changedAt = old?.status === condition.status ? old?.lastTransitionTime : undefined;
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? time,
      lastTransitionTime: condition.lastTransitionTime ?? changedAt ?? time,
    };
  });
  const field = 'status.conditions';
  const errors: FieldError[] = [];
  const types = after.map(({ type }) => type);
  if (types.includes('Approved') && types.includes('Denied')) {
    errors.push(invalid(field, 'Denied', 'Approved and Denied conditions are mutually exclusive'));
  }
  for (const { type } of before) {
    if (!types.includes(type))
      errors.push(forbidden(field, `updates may not remove a condition of type ${JSON.stringify(type)}`));
  }
  const metadata = updatedMetadata(previous.metadata, wanted as DraftMeta | undefined);
  return { next: { ...previous, metadata, status: { ...previous.status, conditions: after } }, errors };
}

function conditionsOf(status: unknown): readonly Condition[] {
  const { conditions } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
  return conditions ?? [];
}
