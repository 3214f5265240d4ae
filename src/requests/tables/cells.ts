/** What the cells of tables share: ages, selectors, names of containers (pkg/printers/internalversion, v1.34). */
import { compileLabelSelector } from '../../api/selectors/labels.js';
import type { Timestamps } from '../../kernel/timestamps.js';

/** An object, or a part of one, whose fields are looked into by name. */
export type Fields = Readonly<Record<string, unknown>>;

/** A cell of a table. */
export type Cell = string | number | boolean | null | undefined;

/** What cells are computed with. */
export interface CellTime {
  readonly timestamps: Timestamps;
  /** Milliseconds of simulated time. */
  readonly nowMs: number;
}

export const NONE = '<none>';
export const UNSET = '<unset>';

/** A part of an object; empty where there is none. */
export function part(object: Fields, ...path: readonly string[]): Fields {
  let value: unknown = object;
  for (const field of path) value = (value as Fields | undefined)?.[field];
  return typeof value === 'object' && value !== null ? (value as Fields) : NOTHING;
}
const NOTHING: Fields = Object.freeze({});

/** A list of an object; empty where there is none. */
export function list(object: Fields, ...path: readonly string[]): readonly Fields[] {
  const value: unknown = part(object, ...path);
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}

/** A text, or what stands for none. */
export function text(value: unknown, otherwise = ''): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : otherwise;
}

/** A number; 0 where there is none. */
export function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** How long ago a timestamp was; `<unknown>` for none. */
export function ageOf(time: unknown, { timestamps, nowMs }: CellTime): string {
  if (typeof time !== 'string' || time === '') return '<unknown>';
  return humanDuration(nowMs - timestamps.toMs(time));
}

const SECOND_MS = 1000;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** The name in an object's metadata. */
export function nameOf(object: Fields): string {
  return text(part(object, 'metadata')['name']);
}

/** How long ago an object was created. */
export function age(object: Fields, time: CellTime): string {
  return ageOf(part(object, 'metadata')['creationTimestamp'], time);
}

/** A duration as Kubernetes shows it to people: two units at most (apimachinery/pkg/util/duration). */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / SECOND_MS);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  const [minutes, hours] = [Math.floor(seconds / MINUTE), Math.floor(seconds / HOUR)];
  if (minutes < 10) return withRest(minutes, 'm', seconds % MINUTE, 's');
  if (minutes < 3 * 60) return `${minutes}m`;
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const [days, years] = [Math.floor(hours / 24), Math.floor(seconds / YEAR)];
  if (days < 8) return withRest(days, 'd', hours % 24, 'h');
  if (years < 2) return `${days}d`;
  return years < 8 ? withRest(years, 'y', days % 365, 'd') : `${years}y`;
}

function withRest(value: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${value}${unit}` : `${value}${unit}${rest}${restUnit}`;
}

/** A selector in its text form. */
export function selectorText(selector: Fields): string {
  const { text: shown } = compileLabelSelector(selector);
  return shown === '' ? NONE : shown;
}

/** `a=b,c=d` by name. */
export function labelsText(labels: Fields): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${text(labels[key])}`);
  return pairs.length === 0 ? NONE : pairs.join(',');
}

/** Names and images of the containers of a template. */
export function containerCells(spec: Fields): readonly [names: string, images: string] {
  const containers = list(spec, 'containers');
  return [containers.map(({ name }) => text(name)).join(','), containers.map(({ image }) => text(image)).join(',')];
}

/** Some of many, with how many more there are. */
export function firstOf(all: readonly string[], most: number, separator = ','): string {
  const shown = all.slice(0, most).join(separator);
  return all.length > most ? `${shown} + ${all.length - most} more...` : shown;
}
