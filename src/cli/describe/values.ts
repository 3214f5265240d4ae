/** Single values as kubectl prints them. */
import type { Cluster, EventRecord, KubeObject } from '../../index.js';
import type { TabbedText } from './tabbed-text.js';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Tue, 01 Jan 2030 00:00:05 +0000`. */
export function dateText(timestamp: string | undefined): string {
  if (timestamp === undefined) return '<unset>';
  const date = new Date(timestamp);
  const day = `${DAYS[date.getUTCDay()]}, ${two(date.getUTCDate())} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  return `${day} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`;
}

/** Two digits. */
function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** An age such as `45s`, `3m18s`, `2h`, `5d3h`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  return hours < 192 ? withRest(days, 'd', hours % 24, 'h') : `${days}d`;
}

function withRest(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;
}

/** One `key=value` a line after the title, sorted, or `<none>`. */
export function mapLines(
  out: TabbedText,
  title: string,
  map: Readonly<Record<string, string>> | undefined,
  joint = '=',
): void {
  const entries = Object.entries(map ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  listLines(
    out,
    title,
    entries.map(([key, value]) => `${key}${joint}${value}`),
  );
}

/** Annotations, without the one in which apply keeps what it applied. */
export function annotationLines(out: TabbedText, annotations: Readonly<Record<string, string>> = {}): void {
  const { 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...shown } = annotations;
  mapLines(out, 'Annotations:', shown, ': ');
}

/** One value a line after the title, or `<none>`. */
export function listLines(out: TabbedText, title: string, values: readonly string[]): void {
  if (values.length === 0) return out.line(0, title, '<none>');
  for (const [index, value] of values.entries()) out.line(0, index === 0 ? title : '', value);
}

/** The events about an object, oldest first, as the last part of a description. */
export function eventLines(out: TabbedText, cluster: Cluster, { kind, metadata }: KubeObject): void {
  const { namespace, name, uid } = metadata;
  const events = cluster.list('Event').filter(({ involvedObject }) => {
    const isNamed = involvedObject.kind === kind && involvedObject.name === name;
    return (
      isNamed &&
      (involvedObject.uid === uid || involvedObject.uid === name) &&
      (involvedObject.namespace ?? '') === (namespace ?? '')
    );
  });
  if (events.length === 0) return out.line(0, 'Events:', '<none>');
  out.line(0, 'Events:');
  out.line(1, 'Type', 'Reason', 'Age', 'From', 'Message');
  out.line(1, '----', '------', '----', '----', '-------');
  const sorted = events.toSorted((a, b) => lastSecond(a) - lastSecond(b) || versionOf(a) - versionOf(b));
  for (const event of sorted) {
    const { type = '', reason = '', message = '' } = event;
    out.line(1, type, reason, eventAge(cluster, event), sourceOf(event), message.trim());
  }
}

/** Most components write whole seconds; within one, the order of the writes counts. */
function lastSecond(event: EventRecord): number {
  return Math.floor(lastMs(event) / 1000);
}

function versionOf({ metadata }: EventRecord): number {
  return Number(metadata.resourceVersion);
}

function lastMs({ lastTimestamp, eventTime, metadata }: EventRecord): number {
  return new Date(lastTimestamp ?? eventTime ?? metadata.creationTimestamp).getTime();
}

function eventAge(cluster: Cluster, event: EventRecord): string {
  const nowMs = cluster.epochMs + cluster.nowMs;
  const last = ageText(nowMs - lastMs(event));
  const { count = 1, firstTimestamp } = event;
  if (count <= 1 || firstTimestamp === undefined) return last;
  return `${last} (x${count} over ${ageText(nowMs - new Date(firstTimestamp).getTime())})`;
}

function sourceOf({ source, reportingComponent = '' }: EventRecord): string {
  const component = source?.component === undefined || source.component === '' ? reportingComponent : source.component;
  return [component, source?.host ?? ''].filter((part) => part !== '').join(', ');
}
