import test from 'ava';
import { printGo } from '../../../src/api/go/go-print.js';
import { readStructs } from '../../../src/api/go/go-struct.js';
import { printQuantity } from '../../../src/api/go/print-quantity.js';
import { TEMPLATE_STRUCTS } from '../../../src/api/go/template-structs.js';

const STRUCTS = readStructs(`
Outer { ObjectMeta=metadata:ObjectMeta Count:*int32 Ports:[]Port Choice:Choice +Inner Limits:ResourceList }
ObjectMeta { Name:string CreationTimestamp:Time Labels:map[string]string }
Port { HTTPGet:*int64 TTY:bool TargetPort:intstr.IntOrString }
Inner { UID:types.UID Deep:*Port }
`);

const UNSET = 'CreationTimestamp:(v1.Time){Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}';

test('a structure is printed with all its fields in their order, whatever the object leaves out', (t) => {
  t.is(
    printGo(STRUCTS, 'Outer', {}),
    `(v1.Outer){ObjectMeta:(v1.ObjectMeta){Name:(string) ${UNSET} Labels:(map[string]string)<nil>} Count:(*int32)<nil> ` +
      'Ports:([]v1.Port)<nil> Choice:(v1.Choice) Inner:(v1.Inner){UID:(types.UID) Deep:(*v1.Port)<nil>} ' +
      'Limits:(v1.ResourceList)<nil>}',
  );
});

test('fields of an embedded structure are those of the object around it, and members of lists have no type', (t) => {
  const object = {
    metadata: { creationTimestamp: null, labels: { b: '2', a: '1' }, name: 'o' },
    ports: [
      { tty: true, targetPort: 'web' },
      { httpGet: 3, targetPort: 80 },
    ],
    choice: 'this',
    uid: 'u',
    deep: {},
    count: 0,
  };
  t.is(
    printGo(STRUCTS, 'Outer', object),
    `(v1.Outer){ObjectMeta:(v1.ObjectMeta){Name:(string)o ${UNSET} Labels:(map[string]string)map[a:1 b:2]} ` +
      'Count:(*int32)0 Ports:([]v1.Port)[' +
      '{HTTPGet:(*int64)<nil> TTY:(bool)true TargetPort:(intstr.IntOrString){Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)web}} ' +
      '{HTTPGet:(*int64)3 TTY:(bool)false TargetPort:(intstr.IntOrString){Type:(intstr.Type)0 IntVal:(int32)80 StrVal:(string)}}] ' +
      'Choice:(v1.Choice)this Inner:(v1.Inner){UID:(types.UID)u Deep:(*v1.Port){HTTPGet:(*int64)<nil> TTY:(bool)false ' +
      'TargetPort:(intstr.IntOrString){Type:(intstr.Type)0 IntVal:(int32)0 StrVal:(string)}}} Limits:(v1.ResourceList)<nil>}',
  );
});

test('lists and maps without members are none', (t) => {
  t.is(printGo(STRUCTS, 'Outer', { ports: [], limits: {}, metadata: { labels: {} } }), printGo(STRUCTS, 'Outer', {}));
});

/** Amount, scale and kept text of a quantity. */
function quantity(text: string): string[] {
  const [, value, scale, kept] =
    /value:\(int64\)(\S+) scale:\(resource.Scale\)(\S+)} d:.* s:\(string\)(\S*) /.exec(printQuantity(text)) ?? [];
  return [value ?? '', scale ?? '', kept ?? ''];
}

test('a quantity is printed as it was read: some texts are kept, others are not', (t) => {
  t.deepEqual(quantity('100m'), ['100', '-3', '100m']);
  t.deepEqual(quantity('0.5'), ['500', '-3', '500m']);
  t.deepEqual(quantity('2'), ['2', '0', '2']);
  t.deepEqual(quantity('0'), ['0', '0', '0']);
  t.deepEqual(quantity('64Mi'), ['67108864', '0', '']);
  t.deepEqual(quantity('100Mi'), ['104857600', '0', '100Mi']);
  t.deepEqual(quantity('1e3'), ['1', '3', '1e3']);
  t.deepEqual(quantity('-3k'), ['-3', '3', '-3k']);
});

test('a quantity beyond what is surely an int64 is printed as a long number of nano-units', (t) => {
  t.is(
    printQuantity('100Ti'),
    '{i:(resource.int64Amount){value:(int64)0 scale:(resource.Scale)0} d:(resource.infDecAmount){Dec:(*inf.Dec)' +
      '{unscaled:(big.Int){neg:(bool)false abs:(big.nat)[8568098291072368640 5960]} scale:(inf.Scale)9}} ' +
      's:(string) Format:(resource.Format)BinarySI}',
  );
});

test('the structures of a pod template name every type that they use', (t) => {
  const leaves = new Set<string>();
  for (const fields of TEMPLATE_STRUCTS.values()) {
    for (const { type } of fields) {
      const name = type.replace(/^(?:\*|\[\]|map\[[^\]]*\])+/, '');
      if (!TEMPLATE_STRUCTS.has(name) && /(?:Source|Spec|Meta|Selector|Term|Handler|Context)$/.test(name))
        leaves.add(name);
    }
  }
  t.deepEqual([...leaves], []);
});
