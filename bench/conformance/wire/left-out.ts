/**
 * What of a recording is not replayed, by cause: what a real control plane does that this one does not. Each cause is
 * told with how much it takes out; a command that the recorded server refused for one of them is not run at all, since
 * what follows would then differ as well.
 */
import type { WireDifference } from './compare-exchange.js';
import type { RecordedCommand, RecordedExchange } from './wire-recording.js';

/** Why something is left out. */
export type LeftOutCause =
  | 'admission policies are not evaluated'
  | 'privileged containers are allowed here, as kubeadm has it'
  | 'changes are kept for longer'
  | 'somebody else made it meanwhile'
  | 'controllers here are past that state'
  | 'OpenAPI v2 is not written as protobuf'
  | 'descriptions are our own'
  | 'the body was not recorded, and kubectl of that version is not here';

/** Of what kubectl sends as protobuf the recording has the length alone. */
export const NOT_RECORDED: LeftOutCause = 'the body was not recorded, and kubectl of that version is not here';

/** The recording shows a step on the way that is over here. */
export const PAST: LeftOutCause = 'controllers here are past that state';

type Refusal = readonly [pattern: RegExp, cause: LeftOutCause];

/** Texts of refusals and warnings. */
const REFUSALS: readonly Refusal[] = [
  [/ValidatingAdmissionPolicy '/, 'admission policies are not evaluated'],
  [/privileged: Forbidden: disallowed by cluster policy/, 'privileged containers are allowed here, as kubeadm has it'],
];

/** Why a command is not run; undefined = it is. */
export function unplayable({ stderr, argv, exit }: RecordedCommand): LeftOutCause | undefined {
  if (exit !== 0) for (const [pattern, cause] of REFUSALS) if (pattern.test(stderr)) return cause;
  return argv[1] === 'explain' ? 'descriptions are our own' : undefined;
}

/** Why a difference does not count; undefined = it does. */
export function excuse(
  { path, answer }: RecordedExchange,
  { field, recorded, ours }: WireDifference,
  known: {
    readonly made: ReadonlySet<string>;
    readonly isIncomplete: boolean;
  },
): LeftOutCause | undefined {
  if (known.isIncomplete) return NOT_RECORDED;
  if (field.includes('status') && field !== 'status' && /is progressing\./.test(JSON.stringify(answer.body))) {
    return PAST;
  }
  if (path === '/openapi/v2' && field === 'status') return 'OpenAPI v2 is not written as protobuf';
  if (field.startsWith('frame') && /"Expired"/.test(JSON.stringify(recorded))) return 'changes are kept for longer';
  if (field.startsWith('frame') && ours === null && !known.made.has(field.slice('frame of '.length))) {
    return 'somebody else made it meanwhile';
  }
  return undefined;
}
