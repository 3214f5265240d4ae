/** Named formats of texts (apiserver/pkg/cel/library/format.go, v1.34). */
import { hasFormat } from '../../go/text-formats.js';
import { dns1035Label, dns1123Label, dns1123Subdomain, labelValue, qualifiedName } from '../../values/names.js';
import { CelOptional, type CelOpaque } from '../values.js';
import { functionTable, type FunctionTable } from './function-table.js';

type Check = (text: string) => readonly string[];

class CelFormat implements CelOpaque {
  readonly celType = 'kubernetes.NamedFormat';
  readonly name: string;
  readonly check: Check;

  constructor(name: string, check: Check) {
    this.name = name;
    this.check = check;
  }

  isSame(other: CelOpaque): boolean {
    return other instanceof CelFormat && other.name === this.name;
  }
}

function plain(format: string, why: string): Check {
  return (text) => (hasFormat(format, text) ? [] : [why]);
}

/** A prefix may end in a dash, as names that are generated go on. */
function prefix(check: Check): Check {
  return (text) => check(text.endsWith('-') ? `${text.slice(0, -1)}a` : text);
}

const CHECKS: Readonly<Record<string, Check>> = {
  dns1123Label,
  dns1123Subdomain,
  dns1035Label,
  qualifiedName,
  dns1123LabelPrefix: prefix(dns1123Label),
  dns1123SubdomainPrefix: prefix(dns1123Subdomain),
  dns1035LabelPrefix: prefix(dns1035Label),
  labelValue,
  uri: plain('uri', 'invalid URI'),
  uuid: plain('uuid', 'does not match the UUID format'),
  byte: plain('byte', 'invalid base64'),
  date: plain('date', 'invalid date'),
  datetime: plain('datetime', 'invalid datetime'),
};
const F = 'kubernetes.NamedFormat';

function constants(): FunctionTable {
  const entries = Object.entries(CHECKS).map(([name, check]) => {
    const format = new CelFormat(name, check);
    return [`format.${name}() -> ${F}`, () => format] as const;
  });
  return functionTable(Object.fromEntries(entries));
}

export const FORMAT_FUNCTIONS = functionTable({
  ...constants(),
  [`format.named(string) -> optional(${F})`]: (name: string) => {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
    return check === undefined ? CelOptional.NONE : new CelOptional(new CelFormat(name, check));
  },
  [`${F}::validate(string) -> optional(list(string))`]: ({ check }: CelFormat, text: string) => {
    const problems = check(text);
    return problems.length === 0 ? CelOptional.NONE : new CelOptional(problems);
  },
});
