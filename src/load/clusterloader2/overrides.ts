/** Values of a test's templates: files of overrides, the later over the earlier, and `CL2_*` of the environment. */
import { LoadFields } from '../input/load-fields.js';
import { LoadError } from '../input/load-error.js';
import { dictOf, isDeepEqual, valueOf, type Dict, type Value } from '../../templates/values.js';
import { printed } from '../../workload/input-error.js';
import type { FileReader } from './template-files.js';

/** What the values are made of. */
export interface OverrideSources {
  readonly files: readonly string[];
  readonly read: FileReader;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly nodes: number;
  readonly imageRegistry: string;
}

const PREFIX = 'CL2_';

/** @throws LoadError for a file that cannot be read, and for a variable that says something else than a file */
export function templateValues({ files, read, environment, nodes, imageRegistry }: OverrideSources): Dict {
  const values: Dict = new Map();
  for (const file of files) {
    for (const [name, value] of dictOf(LoadFields.ofText(textOf(file, read), file).plain, 'json'))
      values.set(name, value);
  }
  values.set('Nodes', nodes);
  values.set('ImageRegistry', imageRegistry);
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith(PREFIX) || text === undefined) continue;
    const value = variableValue(text);
    const present = values.get(name);
    if (present !== undefined && !isDeepEqual(present, value)) {
      throw new LoadError('environment', name, `must be what the overrides say, got ${printed(text)}`);
    }
    values.set(name, value);
  }
  return values;
}

function textOf(file: string, read: FileReader): string {
  try {
    return read(file);
  } catch (error) {
    throw new LoadError(file, '', `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** As strconv's ParseInt, ParseFloat and ParseBool read it, in this order. */
function variableValue(text: string): Value {
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return valueOf(Number(text), 'json');
  if (/^(?:t|T|TRUE|true|True)$/.test(text)) return true;
  return /^(?:f|F|FALSE|false|False)$/.test(text) ? false : text;
}
