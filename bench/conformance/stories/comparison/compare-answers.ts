/** Answers to the requests of a story: code and text of a refusal, and of an object all but what controllers write. */
import { REVISION } from './compare-lives.js';
import type { Difference } from '../difference.js';
import { maskedText, plainObject, textField, type PlainObject } from '../plain-object.js';
import type { RestAnswer } from '../rest-request.js';
import { isObject } from '../../recorded-lines.js';
import type { ActionLine, RecordedObject } from '../story.js';

/** What differs between the recorded answer and ours. */
export function compareAnswer(action: ActionLine, answer: RestAnswer, step: number): readonly Difference[] {
  const { line, action: name, status, response } = action;
  const differ = (what: string, recorded: unknown, ours: unknown): Difference[] =>
    recorded === ours ? [] : [{ step, line, what: `${what} of the answer to "${name}"`, recorded, ours }];
  const recordedText = isObject(response) && status >= 400 ? textField(response, 'message') : '';
  const recorded = `${status} ${maskedText(recordedText)}`.trim();
  const ours = `${answer.code} ${maskedText(answer.message)}`.trim();
  if (recorded !== ours) return differ('code and text', recorded, ours);
  const theirs = plainAnswer(response);
  const mine = plainAnswer(answer.value);
  if (theirs === undefined || mine === undefined) return [];
  const paths = new Set([...theirs.keys(), ...mine.keys()]);
  return [...paths].flatMap((path) =>
    path.startsWith('status') || path === REVISION ? [] : differ(path, theirs.get(path), mine.get(path)),
  );
}

/** Of an answer that is an object. */
function plainAnswer(value: unknown): PlainObject | undefined {
  if (!isObject(value) || !isObject(value['metadata']) || typeof value['metadata']['name'] !== 'string')
    return undefined;
  return value['kind'] === 'Status' ? undefined : plainObject(value as RecordedObject);
}
