/** Differences as Python's difflib finds them; upstream uses a port of it. */
import test from 'ava';
import { unifiedDiff } from '../../../src/api/go/unified-diff.js';

/** Two texts, each letter a line, and what `difflib.unified_diff` says of them. */
const CASES: readonly (readonly [a: string, b: string, text: string])[] = [
  [
    'efahdacbfhdgbdadgec',
    'fahybbfhdgbdadge',
    '@@ -1,10 +1,8 @@\n-e\n f\n a\n h\n-d\n-a\n-c\n+y\n+b\n b\n f\n h\n@@ -16,4 +14,3 @@\n d\n g\n e\n-c\n',
  ],
  [
    'cefddcdgeafgccebfeafbefehfc',
    'cefddcdgafgccebfeafbecfhfc',
    '@@ -6,7 +6,6 @@\n c\n d\n g\n-e\n a\n f\n g\n@@ -20,8 +19,8 @@\n f\n b\n e\n+c\n f\n-e\n h\n f\n c\n',
  ],
  [
    'chfcbhefbfaefeheefcahefehe',
    'chfcbhefbfayeefecheefcahzyehe',
    '@@ -9,9 +9,12 @@\n b\n f\n a\n+y\n+e\n e\n f\n e\n+c\n h\n e\n e\n@@ -19,8 +22,8 @@\n c\n a\n h\n-e\n-f\n+z\n+y\n e\n h\n e\n',
  ],
  [
    'bfagbfcfgggdhehggce',
    'fbfgbfcfgggdheheggce',
    '@@ -1,6 +1,6 @@\n+f\n b\n f\n-a\n g\n b\n f\n@@ -13,6 +13,7 @@\n h\n e\n h\n+e\n g\n g\n c\n',
  ],
  ['', 'b', '@@ -0,0 +1 @@\n+b\n'],
  ['ddahh', 'gdydahhh', '@@ -1,5 +1,8 @@\n+g\n d\n+y\n d\n a\n h\n h\n+h\n'],
  ['fg', 'fxaxg', '@@ -1,2 +1,5 @@\n f\n+x\n+a\n+x\n g\n'],
  ['acf', 'dfycf', '@@ -1,3 +1,5 @@\n-a\n+d\n+f\n+y\n c\n f\n'],
];

for (const [a, b, text] of CASES) {
  const [one, other] = [a.split(''), b.split('')];
  test(`unified diff › of ${a || 'nothing'} and ${b || 'nothing'}`, (t) => {
    t.is(unifiedDiff(one, other), text);
  });
}

test('unified diff › of what is the same is empty', (t) => {
  t.is(unifiedDiff(['a', 'b'], ['a', 'b']), '');
  t.is(unifiedDiff([], []), '');
});
