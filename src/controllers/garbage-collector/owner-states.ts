import { isApiError } from '../../api/errors/api-error.js';
import type { AnyObject, OwnerReference } from '../../api/objects/objects.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { isDeletingDependents, type OwnerGraph, type OwnerState } from './owner-graph.js';

/** An owner and what has become of it. */
export interface ClassifiedOwner {
  readonly owner: OwnerReference;
  readonly state: Exclude<OwnerState, 'unknown'>;
}

/** What has become of each owner, one after the other: the API is asked but for those that are known to be gone. */
export async function classify(
  context: ControllerContext,
  graph: OwnerGraph,
  dependent: AnyObject,
  owners: readonly OwnerReference[],
): Promise<readonly ClassifiedOwner[]> {
  const classified: ClassifiedOwner[] = [];
  for (const owner of owners) {
    const isGone = graph.stateOf(dependent.metadata, owner) === 'dangling';
    classified.push({ owner, state: isGone ? 'dangling' : await askFor(context, graph, dependent, owner) });
  }
  return classified;
}

/** Only an answer of the API makes an owner absent. */
async function askFor(
  context: ControllerContext,
  graph: OwnerGraph,
  dependent: AnyObject,
  owner: OwnerReference,
): Promise<ClassifiedOwner['state']> {
  const place = graph.placeOf(dependent.metadata, owner);
  if (place === undefined) return 'solid';
  let found: AnyObject | undefined;
  try {
    found = await context.api.get(place.kind, place.name);
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
  if (found?.metadata.uid === owner.uid) return isDeletingDependents(found.metadata) ? 'waiting' : 'solid';
  if (graph.isElsewhere(dependent.metadata, owner)) tellInvalidNamespace(context, dependent, owner);
  else graph.noteAbsent(owner.uid);
  return 'dangling';
}

/** Tells a dependent that it names an owner which is out of its reach. */
export function tellInvalidNamespace(
  { recorder }: ControllerContext,
  dependent: AnyObject,
  { apiVersion, kind, name, uid }: OwnerReference,
): void {
  const { namespace = '' } = dependent.metadata;
  const reference = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
  const message = `ownerRef ${reference} does not exist in namespace "${namespace}"`;
  recorder.record(dependent, 'Warning', 'OwnerRefInvalidNamespace', message);
}
