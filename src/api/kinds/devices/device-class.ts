/** Classes of devices (pkg/registry/resource/deviceclass and pkg/apis/resource/validation, v1.34). */
import { describeKind } from '../rules/describe-kind.js';
import { isSameJson } from '../../values/canonical-json.js';
import { validateConfiguration, validateList, validateSelectors } from './device-values.js';

const MOST_CONFIGURATIONS = 32;

/** The description of classes of devices. */
export const deviceClassKind = describeKind<'DeviceClass'>({
  kind: 'DeviceClass',
  group: 'resource.k8s.io',
  plural: 'deviceclasses',
  isNamespaced: false,
  generation: 'spec',
  deleteReturnsObject: true,
  applyDefaults: (draft) => (draft['spec'] === undefined ? { ...draft, spec: {} } : draft),
  // DRAExtendedResource
  droppedFields: ['spec.extendedResourceName'],
  validate({ spec: { selectors = [], config = [] } }, stored) {
    const isStored = stored !== undefined && isSameJson(config, stored.spec.config ?? []);
    return [
      ...validateSelectors(selectors, 'spec.selectors'),
      ...validateList(
        config,
        MOST_CONFIGURATIONS,
        (each, field) => validateConfiguration(each, field, isStored),
        'spec.config',
      ),
    ];
  },
});
