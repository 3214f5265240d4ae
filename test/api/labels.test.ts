import test from 'ava';
import fc from 'fast-check';
import { ApiError } from '../../src/api/errors/api-error.js';
import { compileLabelSelector, matchesLabels, parseLabelSelector } from '../../src/api/selectors/labels.js';

const LABELS = { app: 'web', tier: 'front', size: '5' };

test('every operator of the text form selects as Kubernetes does', (t) => {
  const cases: readonly (readonly [string, boolean])[] = [
    ['', true],
    ['app=web', true],
    ['app==web', true],
    ['app!=web', false],
    ['absent!=web', true],
    ['app in (db, web)', true],
    ['app notin (db,web)', false],
    ['app in ()', false],
    ['app notin ()', true],
    ['absent notin (db)', true],
    ['app', true],
    ['absent', false],
    ['!absent', true],
    ['! app', false],
    ['size>4', true],
    ['size>5', false],
    ['size<6', true],
    ['app>1', false],
    ['app=web,tier=back', false],
    ['app=web, tier in (front,back) ,!gone', true],
    ['empty=', false],
    ['in=a', false],
  ];
  t.deepEqual(
    cases.map(([text]) => [text, parseLabelSelector(text).matches(LABELS)]),
    cases.map(([text, expected]) => [text, expected]),
  );
});

test('text that is no selector is refused in the words of Kubernetes', (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['a===b', "unable to parse requirement: found '=', expected: identifier"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    ['a ~ b', "unable to parse requirement: found '~', expected: in, notin, =, ==, !=, gt, lt"],
    [
      'a>b',
      "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
  ];
  for (const [text, message] of cases) {
    const error = t.throws(() => parseLabelSelector(text), { instanceOf: ApiError });
    t.deepEqual([error.code, error.reason, error.message], [400, 'BadRequest', message], text);
  }
});

test('an absent selector matches nothing and an empty one everything', (t) => {
  t.false(compileLabelSelector(undefined).matches({}));
  t.false(compileLabelSelector(null).matches(LABELS));
  t.true(compileLabelSelector({}).matches(undefined));
  t.true(compileLabelSelector({ matchLabels: {} }).isEmpty);
});

test('the object form ANDs labels and expressions', (t) => {
  const selector = compileLabelSelector({
    matchLabels: { app: 'web' },
    matchExpressions: [
      { key: 'tier', operator: 'In', values: ['front', 'back'] },
      { key: 'gone', operator: 'DoesNotExist' },
      { key: 'gone', operator: 'NotIn', values: ['x'] },
    ],
  });
  t.true(selector.matches(LABELS));
  t.false(selector.matches({ ...LABELS, gone: 'y' }));
  t.false(selector.matches(undefined));
});

test('an expression that validation refuses matches nothing', (t) => {
  const broken = [
    { key: 'app', operator: 'In' },
    { key: 'app', operator: 'Exists', values: ['a'] },
    { key: 'app', operator: 'Like', values: ['a'] },
  ];
  t.deepEqual(
    broken.map((expression) => compileLabelSelector({ matchExpressions: [expression] }).matches(LABELS)),
    [false, false, false],
  );
});

test('both forms of one selector have one canonical text', (t) => {
  const object = { matchLabels: { b: '2', a: '1' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] };
  t.is(compileLabelSelector(object).text, 'a=1,b=2,c');
  t.is(parseLabelSelector('c,b=2,a==1').text, 'a=1,b=2,c');
});

test('a plain selector matches labels that contain it', (t) => {
  t.true(matchesLabels({}, undefined));
  t.true(matchesLabels({ app: 'web' }, LABELS));
  t.false(matchesLabels({ app: 'web' }, undefined));
});

test('a selector and its negation never agree', (t) => {
  const words = fc.constantFrom('a', 'b', 'c');
  fc.assert(
    fc.property(words, words, fc.dictionary(words, words), (key, wanted, labels) => {
      const equal = parseLabelSelector(`${key}=${wanted}`).matches(labels);
      return equal !== parseLabelSelector(`${key}!=${wanted}`).matches(labels);
    }),
  );
  t.pass();
});
