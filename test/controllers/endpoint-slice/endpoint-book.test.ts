import test from 'ava';
import type { discovery, EndpointSlice } from '../../../src/api/objects/objects.js';
import { EndpointBook } from '../../../src/controllers/endpoint-slice/endpoint-book.js';
import { endpointKey } from '../../../src/controllers/endpoint-slice/endpoints.js';
import { randomStream } from '../../../src/kernel/random.js';

function endpointOf(pod: number, ready: boolean): discovery.Endpoint {
  return { addresses: [`10.0.0.${pod}`], conditions: { ready }, targetRef: { kind: 'Pod', name: `p${pod}` } };
}

function sliceOf(uid: number, endpoints: discovery.Endpoint[]): EndpointSlice {
  const metadata = { name: `s${uid}`, uid: `u${uid}`, resourceVersion: '1', creationTimestamp: '' };
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata,
    addressType: 'IPv4',
    endpoints,
    ports: [],
  };
}

const textOf = (value: unknown): string => JSON.stringify(value);

/** What a sync that begins anew finds: of each slice what is kept and whether it changes, then what no slice has. */
function foundAnew(wanted: ReadonlyMap<string, discovery.Endpoint>, slices: readonly EndpointSlice[]): unknown {
  const left = new Map(wanted);
  const pages = slices.map(({ endpoints }) => {
    let isChanged = false;
    const kept: discovery.Endpoint[] = [];
    for (const endpoint of endpoints) {
      const found = left.get(endpointKey(endpoint));
      left.delete(endpointKey(endpoint));
      if (found === undefined || textOf(found) !== textOf(endpoint)) isChanged = true;
      if (found !== undefined) kept.push(found);
    }
    return { kept, isChanged };
  });
  return { pages, left: [...left.values()] };
}

test('endpoint book › whatever happens to pods and slices, it finds what a sync that begins anew finds', (t) => {
  const random = randomStream('endpoint-book', 'test');
  for (let round = 0; round < 40; round += 1) {
    const book = new EndpointBook([]);
    const wanted = new Map<string, discovery.Endpoint>();
    const slices = new Map<number, EndpointSlice>();
    for (let step = 0; step < 60; step += 1) {
      const pod = random.int(0, 9);
      const endpoint = endpointOf(pod, random.int(0, 1) === 0);
      const key = endpointKey(endpoint);
      const some = (): discovery.Endpoint[] =>
        Array.from({ length: random.int(0, 4) }, () => endpointOf(random.int(0, 9), random.int(0, 1) === 0));
      switch (random.int(0, 4)) {
        case 0:
          wanted.delete(key);
          book.unwant(key);
          break;
        case 1:
          slices.delete(random.int(0, 3));
          break;
        case 2: {
          const uid = random.int(0, 3);
          slices.set(uid, sliceOf(uid, some()));
          break;
        }
        default:
          wanted.set(key, endpoint);
          book.want(key, endpoint, pod);
      }
      const present = [...slices.values()];
      book.read(present);
      const pages = present.map((slice) => book.refreshed(slice));
      const inOrder = new Map([...wanted].sort(([a], [b]) => (a < b ? -1 : 1)));
      t.deepEqual({ pages, left: [...book.unplaced().values()] }, foundAnew(inOrder, present) as never, `step ${step}`);
      t.is(book.size, wanted.size);
    }
  }
});
