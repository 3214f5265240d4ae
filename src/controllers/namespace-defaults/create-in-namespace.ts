import { isApiError } from '../../api/errors/api-error.js';
import type { Draft, Kind } from '../../api/objects/objects.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { isNamespaceTerminating } from '../runtime/session.js';

/** Creates what every namespace has; one that is gone or on its way out needs nothing, and what is there is left alone. */
export async function createInNamespace({ api }: ControllerContext, kind: Kind, draft: Draft): Promise<void> {
  try {
    await api.create(kind, draft);
  } catch (error) {
    const isEnding = isApiError(error, 'NotFound') || isNamespaceTerminating(error);
    if (!isEnding && !isApiError(error, 'AlreadyExists')) throw error;
  }
}
