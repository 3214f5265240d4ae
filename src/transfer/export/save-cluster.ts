/** Writes an exported cluster to a file, one object a line: it is a `List` to kubectl, and can be read piece by piece. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { ClusterExport } from '../saved-state.js';

const PIECE_LENGTH = 1 << 24;

/** See the file header. @param path - one that ends in `.gz` is compressed. @throws the host's error where it cannot be written */
export function saveCluster({ items, ...list }: ClusterExport, path: string): void {
  const isCompressed = path.endsWith('.gz');
  const file = openSync(path, 'w');
  // Compressed pieces one after the other are read as one.
  const write = (text: string): void => void writeSync(file, isCompressed ? gzipSync(text) : Buffer.from(text));
  try {
    let piece = `${JSON.stringify(list).slice(0, -1)},"items":[\n`;
    for (const [index, item] of items.entries()) {
      piece += `${JSON.stringify(item)}${index === items.length - 1 ? '\n' : ',\n'}`;
      if (piece.length < PIECE_LENGTH) continue;
      write(piece);
      piece = '';
    }
    write(`${piece}]}\n`);
  } finally {
    closeSync(file);
  }
}
