import test from 'ava';
import { burnerFunctions } from '../../../src/load/kube-burner/burner-functions.js';
import { parseStatusPath } from '../../../src/load/kube-burner/status-path.js';
import { latencyQuantiles } from '../../../src/load/kube-burner/measurements/latency-documents.js';
import { parseTemplate } from '../../../src/templates/template.js';

test(`kube-burner's functions`, (t) => {
  const functions = burnerFunctions((path) => `text of ${path}`);
  const text =
    '{{Binomial 5 2}} {{IndexToCombination nil 3 4 2}} {{GetSubnet24 258}} {{GetIPAddress "a b c d" 1 2}} {{ReadFile "x"}}';
  t.is(parseTemplate('t', text, { functions }).render(undefined), '10 [1 2] 1.1.2.0/24 c d text of x');
});

test('paths into a status', (t) => {
  const status = {
    phase: 'Active',
    ready: true,
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Other', status: 'False' },
    ],
  };
  const read = (path: string): string | undefined => parseStatusPath(path)?.(status);
  t.is(read('.phase'), 'Active');
  t.is(read('(.conditions.[] | select(.type == "Ready")).status'), 'True');
  t.is(read('.conditions[] | select(.type == "Other") | .status'), 'False');
  t.is(read('.ready | tostring | ascii_downcase'), 'true');
  t.is(read('.none.deeper'), undefined);
  t.is(parseStatusPath('.a + .b'), undefined);
});

test('quantiles lie between two places where no place is theirs alone', (t) => {
  const records = [5, 1, 4, 2, 3].map((value) => ({ document: {}, latencies: { Ready: value * 100 } }));
  const labels = { uuid: 'u', timestamp: 't', metricName: 'm', jobName: 'j' };
  t.like(latencyQuantiles(records, labels)[0], { P50: 250, P95: 450, P99: 450, min: 100, max: 500, avg: 300 });
  t.deepEqual(latencyQuantiles([], labels), []);
});
