/** What `work` throws, as `name: message`; `accepted` when it throws nothing. */
export function errorOf(work: () => unknown): string {
  try {
    work();
    return 'accepted';
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}
