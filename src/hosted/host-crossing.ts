/** What cannot cross to the thread of a hosted cluster is refused by its place, as options are. */
import type { Endpoint } from 'comlink';
import { fieldPathText } from '../api/decoding/decode.js';
import { findUnplain } from '../workload/plain-data.js';
import { OptionError } from '../options/option-error.js';

/** A call as Comlink sends it: the method, and the arguments in wrappings of their own. */
interface Call {
  readonly path?: readonly string[];
  readonly argumentList?: readonly { readonly value?: unknown }[];
}

/** The endpoint with an OptionError in place of the error of structured cloning, which names no place. */
export function plainEndpoint(endpoint: Endpoint): Endpoint {
  return {
    ...endpoint,
    postMessage(message: Call, transfer) {
      try {
        endpoint.postMessage(message, transfer);
      } catch (error) {
        throw refusal(message) ?? error;
      }
    },
  };
}

function refusal({ path = [], argumentList = [] }: Call): OptionError | undefined {
  const values: readonly unknown[] = argumentList.map(({ value }) => value);
  // Most methods go by their names through one of the protocol.
  const [method, given] = path[0] === 'call' ? values : [path.join('.'), values];
  const found = findUnplain(given);
  if (found === undefined) return undefined;
  const [index, ...below] = found.path;
  const place = fieldPathText([`argument ${Number(index) + 1}`, ...below]);
  const problem = `${found.problem}, which cannot cross to the thread of a hosted cluster`;
  return OptionError.of(place, new Error(`${place} of ${String(method)} ${problem}`));
}
