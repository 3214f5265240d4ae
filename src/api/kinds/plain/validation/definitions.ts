/** What is refused of definitions of custom resources, and what the server makes of them. */
import { changedDefinition, preparedDefinition } from '../../../custom/definition.js';
import {
  definitionChangeErrors,
  definitionStatusErrors,
  newDefinitionErrors,
} from '../../../custom/definition-validation.js';
import type { PlainRules } from './plain-rules.js';

/** See the file header. */
export const definitionRules: PlainRules = {
  prepareForCreate: preparedDefinition,
  prepareForUpdate: changedDefinition,
  validateNew: newDefinitionErrors,
  validateChange: definitionChangeErrors,
  validateStatusChange: definitionStatusErrors,
};
