/** Loaded before anything else (`node --import`), on each thread: one module of the program is another one. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** What `KUBELOOM_MUTANT` says: the module, and the file that has its place. */
export interface Replacement {
  readonly module: string;
  readonly file: string;
}

const { module, file } = JSON.parse(process.env['KUBELOOM_MUTANT'] ?? '{}') as Partial<Replacement>;

if (module !== undefined && file !== undefined) {
  registerHooks({
    load(url, context, nextLoad) {
      if (url !== module && !url.startsWith(`${module}?`)) return nextLoad(url, context);
      return { format: 'module', source: readFileSync(file, 'utf8'), shortCircuit: true };
    },
  });
}
