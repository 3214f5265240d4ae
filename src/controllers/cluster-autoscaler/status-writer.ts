import { ApiError, isApiError } from '../../api/errors/api-error.js';
import type { PromisedClient } from '../../bus/bus-types.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import type { AutoscalerEvents } from './autoscaler-events.js';
import type { Cloud } from './autoscaler-seams.js';
import type { ClusterState } from './cluster-state.js';
import { initialStatus, LAST_UPDATED, STATUS_NAME, StatusReport } from './status-report.js';

const NAMESPACE = 'kube-system';
const NAME = { namespace: NAMESPACE, name: STATUS_NAME };

/** What the status is written with. */
export interface StatusMeans {
  readonly api: PromisedClient;
  readonly events: AutoscalerEvents;
  readonly timestamps: Timestamps;
}

/** Keeps the ConfigMap with the status; events about the whole are events of it. */
export class StatusWriter {
  readonly report = new StatusReport();
  readonly #means: StatusMeans;

  constructor(means: StatusMeans) {
    this.#means = means;
  }

  /** The autoscaler is there, and has not looked yet. */
  async begin(): Promise<void> {
    await this.#write(initialStatus(undefined), 0);
  }

  async write(state: ClusterState, cloud: Cloud): Promise<void> {
    const timeOf = (ms: number): string => this.#means.timestamps.toMicroTime(ms).replace(/\.?0*Z$/, 'Z');
    await this.#write(this.report.write(state, cloud, timeOf), state.atMs);
  }

  async #write(body: string, nowMs: number): Promise<void> {
    const { api, events, timestamps } = this.#means;
    const time = goTime(timestamps.toMicroTime(nowMs));
    const status = `time: ${time}\n${body}`;
    try {
      const present = await api.get('ConfigMap', NAME);
      const annotations = { ...present.metadata.annotations, [LAST_UPDATED]: time };
      const metadata = { ...present.metadata, annotations };
      events.status = await api.update('ConfigMap', { ...present, metadata, data: { ...present.data, status } });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) {
        // A conflict, or the like: the next look writes again.
        if (error instanceof ApiError) return;
        throw error;
      }
      const metadata = { ...NAME, annotations: { [LAST_UPDATED]: time } };
      events.status = await api.create('ConfigMap', { metadata, data: { status } });
    }
  }
}

/** As Go prints a time in the layout `2006-01-02 15:04:05.999999999 -0700 MST`. */
function goTime(microTime: string): string {
  const [date = '', clock = ''] = microTime.replace(/\.?0*Z$/, '').split('T');
  return `${date} ${clock} +0000 UTC`;
}
