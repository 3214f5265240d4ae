/** Requests for endpoints below an object that have a kind of their own: scale, binding, eviction, finalize. */
import { applyPatch } from '../api/patches/patch.js';
import { refuseInvalid } from '../api/errors/field-errors.js';
import { finalizerErrors } from '../api/kinds/cluster/namespace.js';
import { ownersOf } from '../api/ownership/managed-fields.js';
import { ownersOfScale } from '../api/ownership/scale-owners.js';
import { badRequest } from '../apiserver/store/api-errors.js';
import type { Binding, Eviction, Patch, ScalableKind, Scale } from '../apiserver/store/server-types.js';
import type { ApiAnswer, ApiRequest } from './api-request.js';
import { isApply } from './apply-request.js';
import { appliedScale, SCALE_TYPE } from './apply-scale.js';
import { rolledBack } from './dry-run.js';
import { writeOptions, type WriteOptions } from './query-options.js';
import { checkPatched } from './bodies/patched-draft.js';
import { draftOf, textOfPatch } from './bodies/request-body.js';
import { asManager, warnOf, type Asked } from './asked.js';
import type { ServedResource } from './served-resources.js';
import { checkGetOptions, checkStatedName, patchOf } from './resource-requests.js';
import { customScale, type CustomScale } from './custom/custom-scale.js';
import { objectAnswer, resourceNotFound } from './status-answer.js';

const CREATED = 201;

/** Answers a request for such an endpoint. @throws ApiError */
export function answerForSubresource(asked: Asked): ApiAnswer {
  switch (asked.info.subresource) {
    case 'scale':
      return scaled(asked);
    case 'binding':
      return bound(asked);
    case 'eviction':
      return evicted(asked);
    case 'finalize':
      return finalized(asked);
    default:
      throw resourceNotFound();
  }
}

/** Sets what holds a namespace up; one that is deleted and held by nothing any more is gone. */
function finalized({ server, request, name, view }: Asked): ApiAnswer {
  const draft = draftOf(request, 'Namespace');
  checkStatedName(draft.metadata, name.name);
  const { finalizers = [] } = (draft.spec ?? {}) as { readonly finalizers?: readonly string[] };
  refuseInvalid({ kind: 'Namespace', group: '' }, { metadata: name }, finalizerErrors(finalizers, 'spec.finalizers'));
  server.finalizeNamespace(name.name, finalizers);
  return view.single(server.find('Namespace', name) ?? draft);
}

function scaled(asked: Asked): ApiAnswer {
  const { server, request, info, kind, name } = asked;
  if (info.verb === 'get') checkGetOptions(server, kind, name, request.query);
  const custom = customScale(asked);
  if (custom !== undefined) return scaledCustom(asked, custom);
  const scalable = kind as ScalableKind;
  if (info.verb === 'get') return scaleAnswer(asked, server.getScale(scalable, name));
  if (isApply(request)) {
    const path = ['f:spec', kind === 'NodePool' ? 'f:count' : 'f:replicas'];
    return scaleApplied(asked, server.getScale(scalable, name), path, (replicas) =>
      server.setScale(scalable, asked.name, replicas),
    );
  }
  const { isDryRun, replicas } =
    info.verb === 'update'
      ? updateOf(request, name.name)
      : patchedScale(request, (patch) => {
          const scale = applyPatch(server.getScale(scalable, name), patch) as Partial<Scale>;
          checkStatedName(scale.metadata, name.name);
          return scale;
        });
  const fieldManager = request.query.get('fieldManager') ?? undefined;
  const work = asManager(asked, { fieldManager }, () => server.setScale(scalable, asked.name, replicas));
  return scaleAnswer(asked, isDryRun ? rolledBack(server, work) : work());
}

function scaledCustom(asked: Asked, custom: CustomScale): ApiAnswer {
  const { server, request, info } = asked;
  if (info.verb === 'get') return scaleAnswer(asked, custom.read());
  if (isApply(request)) {
    return scaleApplied(asked, custom.live(), custom.path, (replicas) => custom.write({ replicas }));
  }
  const { patch, options } =
    info.verb === 'update'
      ? { patch: undefined, options: writeOptions(request.query, 'UpdateOptions') }
      : patchOf(request);
  const wanted = (
    patch === undefined ? statedScale(asked, options) : customScalePatched(asked, custom, patch, options)
  ) as Partial<Scale>;
  checkStatedName(wanted.metadata, asked.name.name);
  const { resourceVersion } = wanted.metadata ?? {};
  const work = asManager(asked, options, () =>
    custom.write({ replicas: wanted.spec?.replicas ?? 0, resourceVersion: resourceVersion ?? '' }),
  );
  return scaleAnswer(asked, options.isDryRun ? rolledBack(server, work) : work());
}

/** What a patch makes of a scale, which is shown with the owners of its replicas. @throws ApiError 400 or 422 */
function customScalePatched(
  asked: Asked,
  custom: CustomScale,
  patch: Patch,
  { fieldValidation }: WriteOptions,
): object {
  const { server, kind, name } = asked;
  const scale = custom.live();
  const owners = ownersOfScale(ownersOf(server.get(kind, name)), custom.path);
  const metadata = { ...scale.metadata, ...(owners.length === 0 ? {} : { managedFields: owners }) };
  const live = { kind: SCALE_TYPE.kind, apiVersion: 'autoscaling/v1', ...scale, metadata };
  const { draft, warnings } = checkPatched(SCALE_TYPE, live, patch, fieldValidation, textOfPatch(asked.request));
  warnOf(asked, warnings);
  return draft;
}

/** @throws ApiError 400 for what is no Scale, which a real server cannot name when it refuses it */
function statedScale(asked: Asked, { fieldValidation }: WriteOptions): object {
  const body = draftOf(asked.request, 'Scale');
  const { apiVersion = 'autoscaling/v1', kind = 'Scale', metadata: _metadata, spec, status: _status, ...rest } = body;
  const { replicas, ...others } = (spec ?? {}) as Readonly<Record<string, unknown>>;
  const unknown = [...Object.keys(rest), ...Object.keys(others).map((name) => `spec.${name}`)];
  const isCount = typeof replicas === 'number' && (replicas | 0) === replicas;
  const isScale = apiVersion === 'autoscaling/v1' && kind === 'Scale' && (isCount || (replicas ?? null) === null);
  if (!isScale || (fieldValidation === 'Strict' && unknown.length > 0)) throw badRequest(NO_SCALE);
  if (fieldValidation !== 'Ignore')
    warnOf(
      asked,
      unknown.map((field) => `unknown field ${JSON.stringify(field)}`),
    );
  return body;
}

const NO_SCALE =
  'no kind is registered for the type v1.Scale in scheme ' +
  '"k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:730"';

function scaleApplied(
  asked: Asked,
  scale: Scale,
  path: readonly string[],
  write: (replicas: number) => Scale,
): ApiAnswer {
  const { server, kind, name } = asked;
  const { replicas, options, entries } = appliedScale(asked, server.get(kind, name), scale, path);
  const work = asManager(asked, options, () => write(replicas), { applied: entries });
  return scaleAnswer(asked, options.isDryRun ? rolledBack(server, work) : work());
}

interface Wish {
  readonly replicas: number;
  readonly isDryRun: boolean;
}

function updateOf(request: ApiRequest, name: string): Wish {
  const { isDryRun } = writeOptions(request.query, 'UpdateOptions');
  const draft = draftOf(request, 'Scale');
  checkStatedName(draft.metadata, name);
  return { replicas: replicasOf(draft as Partial<Scale>), isDryRun };
}

function patchedScale(
  request: ApiRequest,
  apply: (patch: ReturnType<typeof patchOf>['patch']) => Partial<Scale>,
): Wish {
  const { patch, options } = patchOf(request);
  return { replicas: replicasOf(apply(patch)), isDryRun: options.isDryRun };
}

function replicasOf({ spec }: { readonly spec?: Scale['spec'] }): number {
  return spec?.replicas ?? 0;
}

function scaleAnswer({ viewOf, resource }: Asked, scale: Scale): ApiAnswer {
  const view = viewOf({ ...withoutCustom(resource), ...SCALE_TYPE });
  return view.single({ kind: SCALE_TYPE.kind, apiVersion: 'autoscaling/v1', ...scale });
}

/** What is shown is of a built-in kind, whatever it is about. */
function withoutCustom({
  custom: _custom,
  typeKey: _typeKey,
  form: _form,
  ...resource
}: ServedResource): ServedResource {
  return resource;
}

/** Of a pod, or of the collection with the pod's name in the body. */
export function bound({ server, request, name }: Asked): ApiAnswer {
  const { isDryRun } = writeOptions(request.query, 'CreateOptions');
  const draft = inNamespace(draftOf(request, 'Binding'), name.namespace) as unknown as Binding;
  if (name.name !== '' && draft.metadata.name !== name.name) {
    throw badRequest('name in URL does not match name in Binding object');
  }
  const binding = { ...draft, target: draft.target ?? { name: '' } };
  if (isDryRun) rolledBack(server, () => server.bind(binding));
  else server.bind(binding);
  return success();
}

function evicted({ server, request, name }: Asked): ApiAnswer {
  const { isDryRun } = writeOptions(request.query, 'CreateOptions');
  const eviction = inNamespace(draftOf(request, 'Eviction'), name.namespace) as unknown as Eviction;
  if (eviction.metadata.name !== name.name) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  server.evict({ ...eviction, dryRun: isDryRun });
  return success();
}

function inNamespace(draft: object, namespace: string | undefined): object {
  const { metadata, ...rest } = draft as { readonly metadata?: object };
  return { ...rest, metadata: { ...metadata, namespace } };
}

function success(): ApiAnswer {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: CREATED };
  return objectAnswer(status, CREATED);
}
