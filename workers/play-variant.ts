/** Entry of the worker threads of a comparison: plays one variant with one seed. */
import type { VariantTask } from '../src/experiments/compare.js';
import { playVariant, type VariantRun } from '../src/experiments/play-variant.js';
import { readVariant, type Variant } from '../src/experiments/read-variant.js';

const variants = new Map<string, Variant>();

export default function play({ variant: source, ...order }: VariantTask): Promise<VariantRun> {
  const variant = variants.get(source) ?? readVariant(source);
  variants.set(source, variant);
  return playVariant(variant, order);
}
