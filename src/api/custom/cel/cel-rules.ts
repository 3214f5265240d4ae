/** Rules in the Common Expression Language, with the functions that Kubernetes adds (apiserver/pkg/cel/library, v1.34). */
import { Environment, Optional } from '@marcbachmann/cel-js';
import { isIP } from 'node:net';
import { hasFormat } from '../formats.js';
import { goPattern } from '../go-pattern.js';
import { isSameCel } from './cel-times.js';
import { celQuantity, CelQuantity } from './cel-quantity.js';

/** A rule that has been read. */
export type CompiledRule = (context: { readonly self: unknown; readonly oldSelf?: unknown }) => unknown;

/** What came of reading a rule: the rule, or what is wrong with it. */
export type RuleReading = { readonly run: CompiledRule } | { readonly problem: string };

const readings = new Map<string, RuleReading>();
const MOST_REMEMBERED = 4096;

/** Reads a rule. */
export function readRule(expression: string): RuleReading {
  let reading = readings.get(expression);
  if (reading === undefined) {
    if (readings.size >= MOST_REMEMBERED) readings.clear();
    readings.set(expression, (reading = compiled(expression)));
  }
  return reading;
}

/** A value that may be absent, for rules that ask whether there was one before. */
export function optionalValue(value: unknown): unknown {
  return value === undefined ? Optional.none() : Optional.of(value);
}

/** What an expression failed with, as Go's words are. */
export function failureText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [first = ''] = message.split('\n');
  return first.replace(/^No such key: /, 'no such key: ').trim();
}

function compiled(expression: string): RuleReading {
  try {
    const run = environment().parse(expression);
    return { run: (context) => run(context) as unknown };
  } catch (error) {
    return { problem: failureText(error) };
  }
}

let shared: Environment | undefined;

function environment(): Environment {
  shared ??= withFunctions(
    new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
      .registerVariable('self', 'dyn')
      .registerVariable('oldSelf', 'dyn')
      .registerType('Quantity', CelQuantity)
      .registerType('Url', URL),
  );
  return shared;
}

type Values = readonly unknown[];

function withFunctions(env: Environment): Environment {
  return withLists(withTexts(withAddresses(withQuantities(env))));
}

function patternOf(pattern: string): RegExp {
  const found = goPattern(pattern);
  if (found === undefined) throw new Error(`error parsing regexp: ${pattern}`);
  return found;
}

function allOf(text: string, pattern: string): string[] {
  const { source, flags } = patternOf(pattern);
  return [...text.matchAll(new RegExp(source, `${flags}g`))].map(([found]) => found);
}

function withTexts(env: Environment): Environment {
  return env
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => patternOf(pattern).exec(text)?.[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', allOf)
    .registerFunction('string.findAll(string, int): list<string>', (text: string, pattern: string, most: bigint) =>
      most < 0n ? allOf(text, pattern) : allOf(text, pattern).slice(0, Number(most)),
    )
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      text.replaceAll(from, () => to),
    )
    .registerFunction('string.charAt(int): string', (text: string, at: bigint) => Array.from(text)[Number(at)] ?? '')
    .registerFunction('string.reverse(): string', (text: string) => Array.from(text).toReversed().join(''));
}

function edge(list: Values, isBetter: (a: never, b: never) => boolean): unknown {
  if (list.length === 0) throw new Error('min/max called on empty list');
  return list.reduce((best, each) => (isBetter(each as never, best as never) ? each : best));
}

function withLists(env: Environment): Environment {
  return env
    .registerFunction('list<dyn>.isSorted(): bool', (list: Values) =>
      list.every((each, index) => index === 0 || (list[index - 1] as number) <= (each as number)),
    )
    .registerFunction('list<dyn>.sum(): dyn', (list: Values) =>
      list.length === 0 ? 0n : list.reduce((sum, each) => (sum as number) + (each as number)),
    )
    .registerFunction('list<dyn>.min(): dyn', (list: Values) => edge(list, (a, b) => a < b))
    .registerFunction('list<dyn>.max(): dyn', (list: Values) => edge(list, (a, b) => a > b))
    .registerFunction('list<dyn>.indexOf(dyn): int', (list: Values, value: unknown) =>
      BigInt(list.findIndex((each) => isSameCel(each, value))),
    )
    .registerFunction('list<dyn>.lastIndexOf(dyn): int', (list: Values, value: unknown) =>
      BigInt(list.findLastIndex((each) => isSameCel(each, value))),
    );
}

function withAddresses(env: Environment): Environment {
  return env
    .registerFunction('isURL(string): bool', (text: string) => URL.canParse(text) || text.startsWith('/'))
    .registerFunction('url(string): Url', (text: string) => new URL(text))
    .registerFunction('Url.getScheme(): string', (url: URL) => url.protocol.slice(0, -1))
    .registerFunction('Url.getHost(): string', (url: URL) => url.host)
    .registerFunction('Url.getHostname(): string', (url: URL) => url.hostname)
    .registerFunction('Url.getPort(): string', (url: URL) => url.port)
    .registerFunction('Url.getEscapedPath(): string', (url: URL) => url.pathname)
    .registerFunction('isIP(string): bool', (text: string) => isIP(text) !== 0)
    .registerFunction('isCIDR(string): bool', (text: string) => hasFormat('cidr', text));
}

function withQuantities(env: Environment): Environment {
  const zero = celQuantity('0');
  return env
    .registerFunction('isQuantity(string): bool', (text: string) => CelQuantity.canParse(text))
    .registerFunction('quantity(string): Quantity', celQuantity)
    .registerFunction('Quantity.isLessThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => a.compare(b) < 0)
    .registerFunction('Quantity.isGreaterThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => a.compare(b) > 0)
    .registerFunction('Quantity.compareTo(Quantity): int', (a: CelQuantity, b: CelQuantity) => BigInt(a.compare(b)))
    .registerFunction('Quantity.sign(): int', (a: CelQuantity) => BigInt(a.compare(zero)))
    .registerFunction('Quantity.isInteger(): bool', (a: CelQuantity) => a.isWhole)
    .registerFunction('Quantity.asInteger(): int', (a: CelQuantity) => BigInt(a.number))
    .registerFunction('Quantity.asApproximateFloat(): double', (a: CelQuantity) => a.number)
    .registerFunction('Quantity.add(Quantity): Quantity', (a: CelQuantity, b: CelQuantity) => a.plus(b))
    .registerFunction('Quantity.sub(Quantity): Quantity', (a: CelQuantity, b: CelQuantity) => a.minus(b))
    .registerFunction('Quantity.add(int): Quantity', (a: CelQuantity, b: bigint) => a.plus(celQuantity(b)))
    .registerFunction('Quantity.sub(int): Quantity', (a: CelQuantity, b: bigint) => a.minus(celQuantity(b)));
}
