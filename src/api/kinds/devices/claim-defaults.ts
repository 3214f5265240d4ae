/** What the server fills into what claims ask for (pkg/apis/resource/v1/defaults.go, v1.34). */
import type {
  DeviceRequest,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaimSpec,
} from '../../objects/device-objects.js';
import { changedField, filled, mapShared } from '../rules/filling.js';

const EXACT_COUNT = 'ExactCount';

/** A spec with every mode and count stated. */
export function defaultedClaimSpec(spec: ResourceClaimSpec): ResourceClaimSpec {
  return changedField(spec, 'devices', (devices) =>
    changedField(devices, 'requests', (requests) => mapShared(requests, filledRequest)),
  );
}

function filledRequest(request: DeviceRequest): DeviceRequest {
  const exact = changedField(request, 'exactly', filledAmounts);
  return changedField(exact, 'firstAvailable', (list) => mapShared<DeviceSubRequest>(list, filledAmounts));
}

function filledAmounts<T extends ExactDeviceRequest>(request: T): T {
  const mode = (request.allocationMode as string | undefined) || EXACT_COUNT;
  const count = mode === EXACT_COUNT && (request.count ?? 0) === 0 ? 1 : request.count;
  const own = mode === request.allocationMode && count === request.count ? request : withAmounts(request, mode, count);
  return changedField(own as ExactDeviceRequest, 'tolerations', (list) => mapShared(list, filledToleration)) as T;
}

function withAmounts<T extends ExactDeviceRequest>(request: T, allocationMode: string, count: number | undefined): T {
  return { ...request, allocationMode, ...(count === undefined ? {} : { count }) };
}

function filledToleration(toleration: DeviceToleration): DeviceToleration {
  return filled(toleration, { operator: 'Equal' });
}
