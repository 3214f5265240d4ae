/** A template that cannot be read or carried out: a user's mistake, told with its file and line. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** What a function of a template refuses; the executor adds where it was called. */
export class FunctionError extends Error {
  override readonly name = 'FunctionError';
}
