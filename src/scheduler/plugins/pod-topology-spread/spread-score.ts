import { naturalLog } from '../../../kernel/elementary-functions.js';
import { MAX_NODE_SCORE } from '../../framework/interface.js';

/** What one pod counts where there are so many domains. */
export function weightOf(domains: number): number {
  return naturalLog(domains + 2);
}

/** The score of a node by its pods, in whole numbers; the fewest pods score best. */
export function normalized(pods: number, least: number, most: number): number {
  return most === 0 ? MAX_NODE_SCORE : Math.trunc((MAX_NODE_SCORE * (most + least - pods)) / most);
}
