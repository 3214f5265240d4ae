/** The images on one machine, and how they get there. Stands for containerd's image service. */
import type { core } from '../../api/objects/objects.js';
import { hash32 } from '../../kernel/random.js';
import { fullReference } from './image-reference.js';
import { LateMap, LateSet } from '../../kernel/late-collections.js';

export { fullReference } from './image-reference.js';

/** Upstream reports the largest images only. */
const LARGEST_REPORT = 50;
/** Images have sizes in this range, drawn from a hash of their names. */
const SMALLEST_IMAGE_BYTES = 5_000_000;
const LARGEST_IMAGE_BYTES = 200_000_000;
const NO_NAMES: ReadonlySet<string> = new Set();
const DIGEST_PARTS = 8;
const BYTES_PER_PART = 4;
/** Written in place and copied out whole: every container that starts needs one. */
const digest = Buffer.alloc(DIGEST_PARTS * BYTES_PER_PART);

/** One pull, from its begin to its end. */
export interface ImagePull {
  readonly endMs: number;
  /** What the runtime says if it fails. */
  readonly error: string | undefined;
}

/** An image that is there. */
export interface StoredImage {
  /** Full references. */
  readonly names: readonly string[];
  readonly sizeBytes: number;
  readonly keptMs: number;
}

/** How pulls of an image fail. */
export interface PullFailures {
  /** How many fail on this machine before one succeeds. @defaultValue 0 */
  readonly failures?: number;
  /** @defaultValue that there is no such image */
  readonly error?: string;
}

/** See the file header. */
export class ImageStore {
  /** Full reference to size in bytes. */
  readonly #sizes = new Map<string, number>();
  /** Full reference to the pull that is under way. */
  readonly #pulls = new LateMap<string, ImagePull>();
  /** Full reference to how many pulls of it have failed. */
  readonly #failures = new LateMap<string, number>();
  readonly #seeded: readonly core.ContainerImage[];
  /** Full reference to when it came. */
  readonly #keptMs = new LateMap<string, number>();
  /** References of images that have been removed. */
  readonly #removed = new LateSet<string>();
  /** Names of images that were on the machine from the beginning: one of these may be a name of an image of several. */
  readonly #seededNames: ReadonlySet<string>;
  /** Undefined since an image has come or gone. */
  #totalBytes: number | undefined;
  #report: core.ContainerImage[] | undefined;

  constructor(images: readonly core.ContainerImage[]) {
    this.#seeded = images;
    this.#seededNames = images.length === 0 ? NO_NAMES : namesOf(images);
    for (const { names = [], sizeBytes } of images) {
      for (const name of names) this.#sizes.set(fullReference(name), sizeBytes ?? imageBytes(fullReference(name)));
    }
  }

  has(image: string): boolean {
    return this.#sizes.has(fullReference(image));
  }

  /** Full references of all that is there. */
  get names(): Iterable<string> {
    return this.#sizes.keys();
  }

  /** Bytes of an image that is there. */
  sizeOf(image: string): number {
    const reference = fullReference(image);
    return this.#sizes.get(reference) ?? imageBytes(reference);
  }

  /**
   * Begins a pull, or joins the one that is under way for the image and shares its outcome.
   *
   * @param draw - draws the duration of a pull of one's own, ms
   */
  pull(image: string, nowMs: number, { failures = 0, error }: PullFailures, draw: () => number): ImagePull {
    const reference = fullReference(image);
    const present = this.#pulls.get(reference);
    if (present !== undefined && (present.endMs > nowMs || (present.endMs === nowMs && present.error === undefined))) {
      return present;
    }
    const failed = this.#failures.get(reference) ?? 0;
    const isFailing = failed < failures;
    if (isFailing) this.#failures.set(reference, failed + 1);
    const pull = { endMs: nowMs + draw(), error: isFailing ? (error ?? notFoundError(reference)) : undefined };
    this.#pulls.set(reference, pull);
    return pull;
  }

  /** Ends the pull that is under way unfinished. */
  abandon(image: string): void {
    this.#pulls.delete(fullReference(image));
  }

  /** The image has arrived; `false` when it was there already. */
  keep(image: string, nowMs: number): boolean {
    const reference = fullReference(image);
    this.#pulls.delete(reference);
    if (this.#sizes.has(reference)) return false;
    const bytes = imageBytes(reference);
    this.#sizes.set(reference, bytes);
    this.#report = undefined;
    if (this.#seededNames.has(reference)) this.#totalBytes = undefined;
    else if (this.#totalBytes !== undefined) this.#totalBytes += bytes;
    this.#keptMs.set(reference, nowMs);
    this.#removed.delete(reference);
    return true;
  }

  /** Bytes of all images together; an image of several names counts once. */
  totalBytes(): number {
    this.#totalBytes ??= this.#images().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return this.#totalBytes;
  }

  /** The images that no container of these uses, those that came first before the others. */
  unused(inUse: ReadonlySet<string>): readonly StoredImage[] {
    return this.#images()
      .filter(({ names }) => !names.some((name) => inUse.has(name)))
      .sort((a, b) => a.keptMs - b.keptMs);
  }

  remove({ names }: StoredImage): void {
    this.#totalBytes = undefined;
    this.#report = undefined;
    for (const name of names) {
      this.#sizes.delete(name);
      this.#removed.add(name);
    }
  }

  #images(): StoredImage[] {
    const seeded = this.#seeded.flatMap(({ names = [] }) => {
      const present = names.map(fullReference).filter((name) => this.#sizes.has(name));
      const [first] = present;
      return first === undefined ? [] : [{ names: present, sizeBytes: this.sizeOf(first), keptMs: 0 }];
    });
    const known = new Set(seeded.flatMap(({ names }) => names));
    const pulled = [...this.#sizes].flatMap(([name, sizeBytes]) =>
      known.has(name) ? [] : [{ names: [name], sizeBytes, keptMs: this.#keptMs.get(name) ?? 0 }],
    );
    return [...seeded, ...pulled];
  }

  /** `status.images` of the node: the largest 50, largest first; a list of the caller's own. */
  report(): core.ContainerImage[] {
    this.#report ??= this.#freshReport();
    return [...this.#report];
  }

  #freshReport(): core.ContainerImage[] {
    const seeded =
      this.#removed.size === 0
        ? this.#seeded
        : this.#seeded.filter(({ names = [] }) => names.some((name) => this.#sizes.has(fullReference(name))));
    const seededNames = seeded === this.#seeded ? this.#seededNames : namesOf(seeded);
    const pulled: core.ContainerImage[] = [];
    for (const [reference, sizeBytes] of this.#sizes) {
      if (!seededNames.has(reference)) pulled.push({ names: [reference], sizeBytes });
    }
    return [...seeded, ...pulled].sort((a, b) => (b.sizeBytes ?? 0) - (a.sizeBytes ?? 0)).slice(0, LARGEST_REPORT);
  }
}

function namesOf(images: readonly core.ContainerImage[]): ReadonlySet<string> {
  return new Set(images.flatMap(({ names = [] }) => names.map(fullReference)));
}

/** What containerd says of an image that its registry does not have. */
function notFoundError(reference: string): string {
  const resolving = `failed to resolve reference "${reference}": ${reference}: not found`;
  return `rpc error: code = NotFound desc = failed to pull and unpack image "${reference}": ${resolving}`;
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
  let state = hash32(text);
  for (let part = 0; part < DIGEST_PARTS; part += 1) {
    if (part === DIGEST_PARTS / 2) state ^= hash32(`/${text}`);
    state = (state + 0x9e3779b9) >>> 0;
    digest.writeUInt32BE(scrambled(state), part * BYTES_PER_PART);
  }
  return digest.toString('hex');
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
