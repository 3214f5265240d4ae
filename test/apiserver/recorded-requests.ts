import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sendRequest } from '../../bench/conformance/stories/rest-request.js';
import type { RecordedRequest } from '../../bench/conformance/stories/story.js';
import { createKernel } from '../../src/kernel/engine/kernel.js';
import type { ApiServer } from '../../src/apiserver/store/server-types.js';

/** Nothing that is asked here depends on the time. */
const kernel = createKernel({ seed: 'requests' });

/** What was recorded of an object, as far as the replay looks at it. */
export interface RecordedObject {
  readonly kind?: string;
  readonly metadata: Record<string, unknown> & { readonly name: string; readonly resourceVersion: string };
}

/** One line of a recording: a request with its answer. */
export interface RecordedLine {
  readonly name?: string;
  readonly request?: RecordedRequest;
  readonly status?: number;
  readonly response?: unknown;
}

/** The lines of a recording; undefined where the recordings are not at hand. */
export function readRecording(file: string): readonly RecordedLine[] | undefined {
  const path = join(process.cwd(), '..', 'shared', 'observations', file);
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as RecordedLine);
}

/** Code and text of an answer, without what differs from run to run. */
export interface Answer {
  readonly code: number;
  readonly message: string;
}

/** The recorded answer in the form of {@link perform}. */
export function recordedAnswer({ status = 0, response }: RecordedLine): Answer {
  const { code = status, message = '' } = (response ?? {}) as { readonly code?: number; readonly message?: string };
  return status < 300 ? { code: 200, message: '' } : { code, message: comparable(message) };
}

/** Sends a recorded request to a server. */
export function perform(server: ApiServer, request: RecordedRequest): Answer {
  const { code, message } = sendRequest({ server, kernel }, request);
  return code < 300 ? { code: 200, message: '' } : { code, message: comparable(message) };
}

/** The diff behind a forbidden update is upstream's own representation; uids and versions are each run's. */
function comparable(message: string): string {
  const [text = ''] = message.split('\n');
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>')
    .replaceAll(/(in record \(|object meta: |resource version: \d+ \(|, current: )\d+/g, '$1<version>');
}
