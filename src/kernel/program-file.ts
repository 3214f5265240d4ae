/**
 * A file of the program that is no module of src: the entry of a thread, or of a child process. It lies beside src,
 * and so it does where the modules are bundled: rolldown.config.mjs keeps chunks as deep as this module.
 *
 * @param name - such as `workers/play-plan.js`
 */
export function programFile(name: string): URL {
  return new URL(`../../${name}`, import.meta.url);
}
