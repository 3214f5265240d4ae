/**
 * The `pod-template-hash` of Deployments and the `controller-revision-hash` of daemon sets: FNV-1a over the print
 * of the Go structure behind a template, and the collision count. Equal to upstream's for the same template
 * (controller.ComputeHash and rand.SafeEncodeString, v1.34).
 */
import { isSameJson } from '../values/canonical-json.js';
import { printGo } from './go-print.js';
import { TEMPLATE_STRUCTS } from './template-structs.js';
import type { PodTemplateSpec } from '../objects/objects.js';

/** Label that tells the pods of one replica set from those of its siblings. */
export const POD_TEMPLATE_HASH = 'pod-template-hash';

const SAFE_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const COUNT_BYTES = 8;

const printHashes = new WeakMap<PodTemplateSpec, number>();

/**
 * Hash text of a template, up to 10 letters of a name-safe alphabet; does not depend on key order.
 *
 * @param collisionCount - the Deployment's `status.collisionCount`
 */
export function templateHash(template: PodTemplateSpec, collisionCount?: number): string {
  let hash = printHashes.get(template);
  if (hash === undefined) {
    hash = hashBytes(FNV_OFFSET, Buffer.from(printGo(TEMPLATE_STRUCTS, 'PodTemplateSpec', template), 'utf8'));
    printHashes.set(template, hash);
  }
  if (collisionCount !== undefined) {
    const count = Buffer.alloc(COUNT_BYTES);
    count.writeUInt32LE(collisionCount);
    hash = hashBytes(hash, count);
  }
  return safeEncode(String(hash));
}

/** Each letter as one of an alphabet that spells no words and that names may hold (rand.SafeEncodeString). */
export function safeEncode(text: string): string {
  let encoded = '';
  for (const letter of text) encoded += SAFE_ALPHABET.charAt(letter.charCodeAt(0) % SAFE_ALPHABET.length);
  return encoded;
}

function hashBytes(seed: number, bytes: Uint8Array): number {
  let hash = seed;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, FNV_PRIME) >>> 0;
  return hash;
}

/** What a template was compared with last: those of a replica set and of its Deployment meet in each sync. */
const comparisons = new WeakMap<PodTemplateSpec, { readonly with: PodTemplateSpec; readonly areEqual: boolean }>();

/** Whether two templates make the same pods, apart from the hash label. */
export function areTemplatesEqual(left: PodTemplateSpec, right: PodTemplateSpec): boolean {
  if (left === right) return true;
  const last = comparisons.get(left);
  if (last?.with === right) return last.areEqual;
  const areEqual =
    isSameJson(left.spec, right.spec) && isSameJson(metadataWithoutHash(left), metadataWithoutHash(right));
  comparisons.set(left, { with: right, areEqual });
  return areEqual;
}

function metadataWithoutHash({ metadata = {} }: PodTemplateSpec): unknown {
  const { [POD_TEMPLATE_HASH]: _hash, ...labels } = metadata.labels ?? {};
  return { ...metadata, labels };
}
