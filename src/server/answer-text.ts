/** How answers are written: JSON in slices, with line breaks where a person reads, or YAML. */
import { escapedForHtml, goJson } from '../api/values/go-json.js';
import type { ListAnswer, ObjectAnswer } from '../requests/api-request.js';
import type { Turns } from './turns.js';
import { yamlText } from './yaml-text.js';

/** Characters that are handed over at once: as much as a socket takes at a time. */
const CHUNK_CHARS = 64 * 1024;

/** Blanks by which JSON is indented for people, as upstream. */
const INDENT = 2;

/** Whether an answer is for the eyes of a person: it was asked for, or a browser, curl or wget asks. */
export function isForPeople(query: URLSearchParams, userAgent: string | undefined): boolean {
  const asked = query.get('pretty');
  if (asked !== null) return asked === '1' || asked === 'true';
  return userAgent !== undefined && /^(?:curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}

/** A whole object; one that is indented, or whose text was made beforehand, ends without a line break. */
export function objectText({ value, headers, isIndented, isMadeBefore }: ObjectAnswer, isPretty: boolean): string {
  if (isMadeBefore === true) return JSON.stringify(value);
  if (isYaml(headers)) return yamlText(value);
  const text =
    isIndented === true || isPretty ? JSON.stringify(value, undefined, INDENT) : `${JSON.stringify(value)}\n`;
  return escapedForHtml(text);
}

/** A list, a chunk at a time; between two chunks others have their turn. */
export async function* listText(answer: ListAnswer, isPretty: boolean, turns: Turns): AsyncGenerator<string> {
  if (isPretty || isYaml(answer.headers)) {
    yield objectText({ ...answer, type: 'object', value: wholeList(answer) }, isPretty);
    return;
  }
  const head = goJson(answer.head);
  let text = `${head.slice(0, -1)}${head === '{}' ? '' : ','}"${answer.field}":[`;
  for (let index = 0; index < answer.length;) {
    const turn = await turns.begin();
    try {
      for (; index < answer.length && text.length < CHUNK_CHARS && !turn.isLong; index += 1) {
        text += `${index === 0 ? '' : ','}${goJson(answer.element(index))}`;
      }
    } finally {
      turn.end();
    }
    yield text;
    text = '';
  }
  yield `${text}]}\n`;
}

/** The list as one object, for the few requests that want it indented. */
function wholeList(answer: ListAnswer): object {
  const elements = Array.from({ length: answer.length }, (_, index) => answer.element(index));
  return { ...answer.head, [answer.field]: elements };
}

function isYaml(headers: ObjectAnswer['headers']): boolean {
  const type = headers['content-type'];
  return typeof type === 'string' && type.startsWith('application/yaml');
}
