import { durationMs, type Duration } from '../options/durations.js';
import { checkValue, MAPPING } from '../options/option-checks.js';
import { OptionError, refuseUnknown } from '../options/option-error.js';

/** How webhooks are reached, and what their calls take. */
export interface WebhookOptions {
  /**
   * Where services of webhooks are, since nothing runs behind the services of a simulated cluster: by `namespace/name`
   * or `namespace/name:port` the address of a server, such as `https://127.0.0.1:9443`. @defaultValue none
   */
  readonly services?: Readonly<Record<string, string>>;
  /** What a call takes in simulated time, beyond the real time for which the clock stands still. @defaultValue 0 */
  readonly latency?: Duration;
}

/** @internal as checked */
export interface ResolvedWebhooks {
  readonly services: ReadonlyMap<string, string>;
  readonly latencyMs: number;
}

const HIGHEST_PORT = 65_535;

function isServiceName(name: string): boolean {
  const [whole, port = '1'] = /^[^/\s]+\/[^/\s:]+(?::(\d+))?$/.exec(name) ?? [];
  return whole !== undefined && Number(port) >= 1 && Number(port) <= HIGHEST_PORT;
}

/** @throws OptionError */
export function webhooksOf(options: WebhookOptions | undefined): ResolvedWebhooks {
  if (options === undefined) return { services: new Map(), latencyMs: 0 };
  checkValue('webhooks', options, MAPPING);
  refuseUnknown('webhooks', options, ['services', 'latency']);
  const { services = {}, latency } = options;
  checkValue('webhooks.services', services, MAPPING);
  for (const [name, address] of Object.entries(services)) {
    const field = `webhooks.services[${JSON.stringify(name)}]`;
    if (!isServiceName(name)) {
      throw new OptionError(field, 'a name of the form namespace/name or namespace/name:port, 1 to 65535', name);
    }
    const isAddress = typeof address === 'string' && URL.canParse(address) && address.startsWith('https://');
    if (!isAddress) throw new OptionError(field, 'an address such as https://127.0.0.1:9443', address);
  }
  return { services: new Map(Object.entries(services)), latencyMs: latencyMsOf('webhooks.latency', latency) };
}

/** @throws OptionError */
export function latencyMsOf(field: string, latency: Duration | undefined): number {
  return latency === undefined ? 0 : durationMs(field, latency);
}
