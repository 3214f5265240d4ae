/** The images on one machine, and how they get there. Stands for containerd's image service. */
import type { core } from '../api/objects.js';
import { hash32 } from '../kernel/random.js';

/** Upstream reports the largest images only. */
const LARGEST_REPORT = 50;
const SMALLEST_IMAGE_BYTES = 5_000_000;
const LARGEST_IMAGE_BYTES = 200_000_000;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** See the file header. */
export class ImageStore {
  /** Full reference to size in bytes. */
  readonly #sizes = new Map<string, number>();
  /** Full reference to the end of the pull that is under way, in ms of simulated time. */
  readonly #pulls = new Map<string, number>();
  readonly #seeded: readonly core.ContainerImage[];

  constructor(images: readonly core.ContainerImage[]) {
    this.#seeded = images;
    for (const { names = [], sizeBytes } of images) {
      for (const name of names) this.#sizes.set(fullReference(name), sizeBytes ?? imageBytes(fullReference(name)));
    }
  }

  has(image: string): boolean {
    return this.#sizes.has(fullReference(image));
  }

  /** Bytes of an image that is there. */
  sizeOf(image: string): number {
    const reference = fullReference(image);
    return this.#sizes.get(reference) ?? imageBytes(reference);
  }

  /**
   * How long a pull that begins now takes: whoever wants an image that is on its way waits for that.
   *
   * @param draw - draws the duration of a pull of one's own, ms
   */
  pullMs(image: string, nowMs: number, draw: () => number): number {
    const reference = fullReference(image);
    const endMs = this.#pulls.get(reference);
    if (endMs !== undefined && endMs >= nowMs) return endMs - nowMs;
    const durationMs = draw();
    this.#pulls.set(reference, nowMs + durationMs);
    return durationMs;
  }

  /** The image has arrived; `false` when it was there already. */
  keep(image: string): boolean {
    const reference = fullReference(image);
    this.#pulls.delete(reference);
    if (this.#sizes.has(reference)) return false;
    this.#sizes.set(reference, imageBytes(reference));
    return true;
  }

  /** `status.images` of the node: the largest 50, largest first. */
  report(): core.ContainerImage[] {
    const seededNames = new Set(this.#seeded.flatMap(({ names = [] }) => names.map(fullReference)));
    const pulled: core.ContainerImage[] = [];
    for (const [reference, sizeBytes] of this.#sizes) {
      if (!seededNames.has(reference)) pulled.push({ names: [reference], sizeBytes });
    }
    return [...this.#seeded, ...pulled]
      .sort((a, b) => (b.sizeBytes ?? 0) - (a.sizeBytes ?? 0))
      .slice(0, LARGEST_REPORT);
  }
}

/** An image as a runtime names it: with registry, and with a tag unless it has a digest. */
export function fullReference(image: string): string {
  const slash = image.indexOf('/');
  const registry = slash === -1 ? '' : image.slice(0, slash);
  const hasRegistry = registry.includes('.') || registry.includes(':') || registry === 'localhost';
  const path = slash === -1 ? `library/${image}` : image;
  const named = hasRegistry ? image : `docker.io/${path}`;
  if (named.includes('@')) return named;
  return named.slice(named.lastIndexOf('/')).includes(':') ? named : `${named}:latest`;
}

/** The digest under which an image is known, such as `docker.io/library/nginx@sha256:…`. */
export function imageId(image: string): string {
  const reference = fullReference(image);
  const at = reference.indexOf('@');
  if (at !== -1) return reference;
  const colon = reference.lastIndexOf(':');
  return `${reference.slice(0, colon)}@sha256:${hexDigest(reference)}`;
}

/** 64 hex digits that stand for a digest of the text. */
export function hexDigest(text: string): string {
  let digest = '';
  let state = hash32(text);
  for (let part = 0; part < 8; part += 1) {
    if (part === 4) state ^= hash32(`/${text}`);
    state = (state + 0x9e3779b9) >>> 0;
    digest += hexOf(scrambled(state));
  }
  return digest;
}

/** Eight hex digits, by table: every container that starts needs eight of these. */
function hexOf(value: number): string {
  const byte = (shift: number): string => HEX[(value >>> shift) & 0xff] ?? '';
  return byte(24) + byte(16) + byte(8) + byte(0);
}

/** The finalizer of splitmix32: neighbours become unlike. */
function scrambled(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** A size that an image of that name always has. */
function imageBytes(reference: string): number {
  const share = hash32(reference) / 0x1_0000_0000;
  return Math.round(SMALLEST_IMAGE_BYTES + share * (LARGEST_IMAGE_BYTES - SMALLEST_IMAGE_BYTES));
}
