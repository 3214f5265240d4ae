/** Rules of names, label keys and label values, with Kubernetes' messages (apimachinery util/validation, v1.34). */

const LABEL_FORMAT = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN_FORMAT = `${LABEL_FORMAT}(\\.${LABEL_FORMAT})*`;
const DNS1035_FORMAT = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED_FORMAT = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE_FORMAT = `(${QUALIFIED_FORMAT})?`;

const LABEL = new RegExp(`^${LABEL_FORMAT}$`);
const SUBDOMAIN = new RegExp(`^${SUBDOMAIN_FORMAT}$`);
const DNS1035 = new RegExp(`^${DNS1035_FORMAT}$`);
const QUALIFIED = new RegExp(`^${QUALIFIED_FORMAT}$`);
const LABEL_VALUE = new RegExp(`^${LABEL_VALUE_FORMAT}$`);

const LABEL_MAX_LENGTH = 63;
/** Of a DNS subdomain (RFC 1123), which most names of objects are. */
export const SUBDOMAIN_MAX_LENGTH = 253;
const PORT_NAME_MAX_LENGTH = 15;

const LABEL_TEXT = withRegex(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  LABEL_FORMAT,
  'my-name',
  '123-abc',
);
const SUBDOMAIN_TEXT = withRegex(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN_FORMAT,
  'example.com',
);
const DNS1035_TEXT = withRegex(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  DNS1035_FORMAT,
  'my-name',
  'abc-123',
);
const QUALIFIED_TEXT = withRegex(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  QUALIFIED_FORMAT,
  'MyName',
  'my.name',
  '123-abc',
);
const LABEL_VALUE_TEXT = withRegex(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_VALUE_FORMAT,
  'MyValue',
  'my_value',
  '12345',
);

const CONFIG_KEY_FORMAT = '[-._a-zA-Z0-9]+';
const CONFIG_KEY = new RegExp(`^${CONFIG_KEY_FORMAT}$`);
const CONFIG_KEY_TEXT = withRegex(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  CONFIG_KEY_FORMAT,
  'key.name',
  'KEY_NAME',
  'key-name',
);

const NONE: readonly string[] = Object.freeze([]);

/** Tells what is wrong with a name; nothing if it is fine. */
export type NameCheck = (name: string) => readonly string[];

/** A DNS-1123 label: namespaces, containers. At most 63 characters. */
export function dns1123Label(name: string): readonly string[] {
  const problems = check(name, LABEL, LABEL_MAX_LENGTH, LABEL_TEXT);
  if (problems.length === 0 || !SUBDOMAIN.test(name) || !name.includes('.')) return problems;
  return problems.map((problem) => (problem === LABEL_TEXT ? 'must not contain dots' : problem));
}

/** A DNS-1123 subdomain: most names. At most 253 characters. */
export function dns1123Subdomain(name: string): readonly string[] {
  return check(name, SUBDOMAIN, SUBDOMAIN_MAX_LENGTH, SUBDOMAIN_TEXT);
}

/** A DNS-1035 label: services. At most 63 characters. */
export function dns1035Label(name: string): readonly string[] {
  return check(name, DNS1035, LABEL_MAX_LENGTH, DNS1035_TEXT);
}

/** A label value: may be empty, at most 63 characters. */
export function labelValue(text: string): readonly string[] {
  return check(text, LABEL_VALUE, LABEL_MAX_LENGTH, LABEL_VALUE_TEXT);
}

/** Good names that were checked already: whole clusters use few. The set starts anew when it is full. */
const goodNames = new Set<string>();
const GOOD_NAMES_REMEMBERED = 4096;

/** A label or annotation key, a taint key, a topology key: a name with an optional DNS prefix. */
export function qualifiedName(text: string): readonly string[] {
  if (goodNames.has(text)) return NONE;
  const messages = problemsOfName(text);
  if (messages.length > 0) return messages;
  if (goodNames.size >= GOOD_NAMES_REMEMBERED) goodNames.clear();
  goodNames.add(text);
  return NONE;
}

function problemsOfName(text: string): readonly string[] {
  const parts = text.split('/');
  if (parts.length > 2) {
    return [
      `a qualified name ${QUALIFIED_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const messages: string[] = [];
  const [prefix] = parts;
  if (parts.length === 2 && prefix !== undefined) {
    if (prefix === '') messages.push('prefix part must be non-empty');
    else messages.push(...dns1123Subdomain(prefix).map((message) => `prefix part ${message}`));
  }
  const name = parts.at(-1) ?? '';
  if (name === '') messages.push('name part must be non-empty');
  else if (name.length > LABEL_MAX_LENGTH) messages.push(`name part ${tooLongText(LABEL_MAX_LENGTH)}`);
  if (!QUALIFIED.test(name)) messages.push(`name part ${QUALIFIED_TEXT}`);
  return messages;
}

const WILDCARD_FORMAT = `\\*\\.${SUBDOMAIN_FORMAT}`;
const WILDCARD = new RegExp(`^${WILDCARD_FORMAT}$`);
const WILDCARD_TEXT = withRegex(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  WILDCARD_FORMAT,
  '*.example.com',
);
const PATH_FORMAT = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const PATH = new RegExp(`^${PATH_FORMAT}$`);

/** All hosts below a domain, such as `*.example.com`. At most 253 characters. */
export function wildcardSubdomain(text: string): readonly string[] {
  return check(text, WILDCARD, SUBDOMAIN_MAX_LENGTH, WILDCARD_TEXT);
}

/** What is wrong with a domain and a path below it, such as `acme.io/foo`, by the part that is wrong. */
export function domainPrefixedPathProblems(
  text: string,
): readonly { readonly part: string; readonly problem: string }[] {
  const slash = text.indexOf('/');
  const [domain, path] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  if (domain === '' || path === '') {
    return [{ part: text, problem: 'must be a domain-prefixed path (such as "acme.io/foo")' }];
  }
  const problems = dns1123Subdomain(domain).map((problem) => ({ part: domain, problem }));
  if (PATH.test(path)) return problems;
  return [...problems, { part: path, problem: `Invalid path (regex used for validation is '${PATH_FORMAT}')` }];
}

/** The name of a port: an IANA service name. */
export function portName(text: string): readonly string[] {
  const messages: string[] = [];
  if (text.length > PORT_NAME_MAX_LENGTH) messages.push(tooLongText(PORT_NAME_MAX_LENGTH));
  if (!/^[-a-z0-9]+$/.test(text)) {
    messages.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(text)) messages.push('must contain at least one letter (a-z)');
  if (text.includes('--')) messages.push('must not contain consecutive hyphens');
  if (text.startsWith('-') || text.endsWith('-')) messages.push('must not begin or end with a hyphen');
  return messages;
}

/** A key of a config map or a secret, which may become the name of a file. At most 253 characters. */
export function configMapKey(text: string): readonly string[] {
  const messages = check(text, CONFIG_KEY, SUBDOMAIN_MAX_LENGTH, CONFIG_KEY_TEXT);
  if (text === '.' || text === '..') return [...messages, `must not be '${text}'`];
  return text.startsWith('..') ? [...messages, "must not start with '..'"] : messages;
}

/** A `generateName` may end with a dash: the suffix follows. */
export function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}

function check(text: string, pattern: RegExp, maxLength: number, message: string): readonly string[] {
  const isShort = text.length <= maxLength;
  const isMatch = pattern.test(text);
  if (isShort && isMatch) return NONE;
  return [...(isShort ? [] : [tooLongText(maxLength)]), ...(isMatch ? [] : [message])];
}

function tooLongText(maxLength: number): string {
  return `must be no more than ${maxLength} characters`;
}

function withRegex(rule: string, format: string, ...examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${shown}regex used for validation is '${format}')`;
}

const IDENTIFIER_FORMAT = '[A-Za-z_][A-Za-z0-9_]*';
const IDENTIFIER = new RegExp(`^${IDENTIFIER_FORMAT}$`);
const IDENTIFIER_TEXT = withRegex(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  IDENTIFIER_FORMAT,
  'my_name',
  'MY_NAME',
  'MyName',
);

/** A name as the language C has them. */
export function cIdentifier(name: string): readonly string[] {
  return IDENTIFIER.test(name) ? NONE : [IDENTIFIER_TEXT];
}

/** What is wrong with a name that may be anything that is one segment of a path. */
export function pathSegmentName(name: string): readonly string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((each) => name.includes(each)).map((each) => `may not contain '${each}'`);
}
