import type { Selection } from '../../../apiserver/store/server-types.js';
import type { LoadFields } from '../../input/load-fields.js';

/** Which objects a measurement looks at: `namespace`, `labelSelector` and `fieldSelector` of its parameters. */
export function selectionOf(params: LoadFields): Selection {
  const [namespace, labels, fieldsText] = ['namespace', 'labelSelector', 'fieldSelector'].map((field) =>
    params.text(field, ''),
  );
  return {
    ...(namespace === '' ? {} : { namespace }),
    ...(labels === '' ? {} : { labelSelector: labels }),
    ...(fieldsText === '' ? {} : { fieldSelector: fieldsText }),
  };
}
