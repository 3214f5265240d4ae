import test from 'ava';
import {
  escapedPathOf,
  parseGoUrl,
  parseRequestUri,
  queryOf,
  splitHost,
  type GoUrl,
} from '../../../src/api/go/go-url.js';

test('texts that are no URLs of requests are refused in the words of Go', (t) => {
  const refused: readonly (readonly [string, string])[] = [
    ['', 'empty url'],
    ['a', 'invalid URI for request'],
    ['1a://b', 'invalid URI for request'],
    ['://b', 'missing protocol scheme'],
    ['http://a\u0001', 'net/url: invalid control character in URL'],
    ['http://50%', 'invalid URL escape "%"'],
    ['http://a%20b', 'invalid URL escape "%20"'],
    ['http://a b', 'invalid character " " in host name'],
    ['http://a|b/', 'invalid character "|" in host name'],
    ['http://a#b', 'invalid character "#" in host name'],
    ['http://a:x/', 'invalid port ":x" after host'],
    ['http://[::1', "missing ']' in host"],
    ['http://[::1]x', 'invalid port "x" after host'],
    ['http://[fe80::1%en0]', 'invalid URL escape "%en"'],
    ['http://u^@a', 'net/url: invalid userinfo'],
    ['http://u%zz@a', 'invalid URL escape "%zz"'],
    ['/a%2', 'invalid URL escape "%2"'],
  ];
  for (const [text, why] of refused) {
    const found = parseRequestUri(text);
    t.is(
      typeof found === 'string' ? found.slice(found.indexOf(': ', 6) + 2).replace(/^.*?": /, '') : 'accepted',
      why,
      text,
    );
  }
});

function partsOf(text: string): readonly string[] {
  const url = parseRequestUri(text);
  if (typeof url === 'string') return [url];
  const { name, port } = splitHost(url);
  return [url.scheme, url.host, name, port, escapedPathOf(url), url.rawQuery];
}

test('URLs of requests are taken apart as Go takes them apart', (t) => {
  t.deepEqual(partsOf('HTTP://<=5'), ['http', '<=5', '<=5', '', '', '']);
  t.deepEqual(partsOf('https://u:p@[::1]:80/a b?c=d'), ['https', '[::1]:80', '::1', '80', '/a%20b', 'c=d']);
  t.deepEqual(partsOf('http://[fe80::1%25en0]/'), ['http', '[fe80::1%en0]', 'fe80::1%en0', '', '/', '']);
  t.deepEqual(partsOf('http://a%C3%A4/%2f^'), ['http', 'a\u00e4', 'a\u00e4', '', '//%5E', '']);
  t.deepEqual(partsOf('//a/b!c'), ['', '', '', '', '//a/b!c', '']);
  t.deepEqual(partsOf('mailto:a@b?c'), ['mailto', '', '', '', '', 'c']);
  t.deepEqual(partsOf('*'), ['', '', '', '', '*', '']);
});

test('fragments and queries are read as Go reads them', (t) => {
  const { fragment, rawQuery } = parseGoUrl('http://a/b?c#d%20e') as GoUrl;
  t.deepEqual([fragment, rawQuery], ['d e', 'c']);
  t.is(parseGoUrl('http://a#%zz'), 'parse "http://a#%zz": invalid URL escape "%zz"');
  const query = queryOf(parseGoUrl('/?a=1&a=2+3&b&%zz=1&c;d=1&&=e') as GoUrl);
  t.deepEqual(
    [...query],
    [
      ['a', ['1', '2 3']],
      ['b', ['']],
      ['', ['e']],
    ],
  );
});
