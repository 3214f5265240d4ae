/** Input that the command line refuses: one line on standard error, exit code 2, no stack trace. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Errors of the library that are a user's mistakes too. */
const USER_ERRORS: ReadonlySet<string> = new Set([
  'UsageError',
  'OptionError',
  'ManifestError',
  'ArrivalError',
  'FaultError',
  'TraceError',
  'SchedulerConfigError',
  'SchedulerPerfError',
  'NodeGroupError',
  'ScriptError',
  'ScriptFileError',
  'StageFileError',
  'ScenarioError',
  'ApiError',
  'DrainError',
  'ListenError',
  'LoadError',
  'ImportError',
  'VariantError',
  'SweepError',
  'QueueError',
  'RecordError',
  'CommanderError',
]);

/** The one line for a user's mistake, or `undefined` when the error is not the user's. */
export function userMessage(error: unknown): string | undefined {
  if (!(error instanceof Error) || !USER_ERRORS.has(error.name)) return undefined;
  const { place } = error as { readonly place?: string };
  return `${place === undefined ? '' : `${place}: `}${error.message}`
    .replace(/^error: /, '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim();
}
