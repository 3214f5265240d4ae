/** What a user saw of a command, as it is compared. */
import { foreignIn, type OwnObjects } from './compare-exchange.js';
import { maskedBody, maskedOutput } from './masks.js';
import { jsonOrText, type Exchange } from './recording-proxy.js';
import { keyOf } from './request-keys.js';
import type { RecordedCommand } from './wire-recording.js';

/** Lines of a drain that tell of a pod: they are all asked to go at once, and which is gone first hangs on its kubelet. */
const DRAINED = /^(?:evicting pod |pod\/\S+ (?:evicted|deleted)$)/;
/** Pods of one batch race for their names, and for their turn in a second of events. */
const CREATED = /^ Normal SuccessfulCreate /;
/** Said in rounds of 15 s, and no recording shows when those began. */
const ROUND = /^ Normal WaitForFirstConsumer .* persistentvolume-controller /;
/** Endpoints of a slice stand in the order of a map of Go. */
const ENDPOINT = / - Addresses: .*\n(?: {1,2}(?! - ).*\n)*?(?= - Addresses: |Events:|\n)/g;

/** Names that only one of the two clusters has, and that were made by others than the recorded commands. */
export function foreignNames(
  { exchanges }: RecordedCommand,
  asked: readonly Exchange[],
  own: OwnObjects,
): ReadonlySet<string> {
  const ours = new Map(asked.map((exchange) => [keyOf(exchange), exchange]));
  const names = exchanges.flatMap((exchange) => {
    const mine = ours.get(keyOf(exchange));
    return mine === undefined ? [] : foreignIn(exchange.answer.body, jsonOrText(mine.text), own);
  });
  return new Set(names);
}

/** A text without what is left to chance. @param foreign - see {@link foreignNames}: lines of lists that begin with them */
export function seenBy({ argv }: RecordedCommand, text: string, foreign: ReadonlySet<string>): string {
  // The order of what is equally old hangs on the second in which it was written.
  const raw = argv.includes('--raw') && !/\n./.test(text) ? jsonOrText(text) : null;
  const plain =
    typeof raw === 'object' && raw !== null ? text.replace(/\{.*\}/s, () => JSON.stringify(maskedBody(raw))) : text;
  const lines = maskedOutput(plain).split('\n');
  const isOnTheWay = argv[1] === 'rollout' && argv[2] === 'status';
  const kept = lines
    // What was told on the way depends on how fast controllers are.
    .filter((line) => !isOnTheWay || !line.startsWith('Waiting for '))
    .filter((line) => !ROUND.test(line))
    .filter((line) => foreign.size === 0 || !isOfForeign(line, foreign));
  const ordered = inOrder(argv[1] === 'drain' ? inOrder(kept, DRAINED) : kept, CREATED);
  if (argv[1] !== 'describe') return ordered.join('\n');
  const told = withEndpointsInOrder(ordered.join('\n'));
  return /^ev(?:ents?)?$/.test(argv[2] ?? '') ? told.trimEnd().split('\n\n\n').toSorted().join('\n\n\n') : told;
}

function isOfForeign(line: string, foreign: ReadonlySet<string>): boolean {
  return line
    .split(' ')
    .slice(0, 2)
    .some((word) => foreign.has(word.slice(word.indexOf('/') + 1)));
}

/** Lines of a form that follow each other, in the order of their letters. */
function inOrder(lines: readonly string[], form: RegExp): readonly string[] {
  const ordered: string[] = [];
  let run: string[] = [];
  for (const line of [...lines, '']) {
    if (form.test(line)) {
      run.push(line);
      continue;
    }
    ordered.push(...run.toSorted(), line);
    run = [];
  }
  return ordered.slice(0, -1);
}

function withEndpointsInOrder(text: string): string {
  const blocks = text.match(ENDPOINT)?.toSorted() ?? [];
  let next = 0;
  return text.replaceAll(ENDPOINT, () => blocks[next++] ?? '');
}
