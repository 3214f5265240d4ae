/** Files of recordings: one JSON object a line, compressed or not. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** JSON as it was recorded. */
export type Json = string | number | boolean | null | undefined | readonly Json[] | JsonObject;

/** An object of JSON. */
export interface JsonObject {
  readonly [field: string]: Json;
}

/** A line of a recording that is none. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}

/** The lines of a file that are not empty, with their numbers from 1. @throws RecordingError for one that cannot be read */
export function readLines(path: string): readonly (readonly [number: number, text: string])[] {
  return textOf(path)
    .split('\n')
    .map((line, index) => [index + 1, line] as const)
    .filter(([, line]) => line.trim() !== '');
}

function textOf(path: string): string {
  try {
    const bytes = readFileSync(path);
    return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  } catch (error) {
    throw new RecordingError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

/** One line as JSON. @throws RecordingError that names the line */
export function parseLine(path: string, number: number, text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RecordingError(`${path}:${number}: not JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw new RecordingError(`${path}:${number}: a line must be an object`);
  return value;
}

/** Whether it is a JSON object, neither list nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
