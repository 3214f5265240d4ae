/** Facts about Go types, turned into the words of src/api/types/type-facts.ts. */

/** A field as the file of facts has it. */
interface FactField {
  readonly json: string;
  readonly go: string;
  readonly inline?: boolean;
  readonly omitempty?: boolean;
  readonly pb?: number;
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly listType?: string;
  readonly listMapKey?: readonly string[];
  readonly mapType?: string;
  readonly structType?: string;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly default?: unknown;
}

interface Fact {
  readonly is?: string;
  readonly fields?: readonly FactField[];
  readonly structType?: string;
  readonly mapType?: string;
}

/** A type as it is written. */
export interface GoType {
  /** Each as `json:type:number:flags`. */
  readonly fields: readonly string[];
  /** Keys of the types that its fields are of. */
  readonly uses: readonly string[];
  /** Whether it has kind and metadata. */
  readonly isKind: boolean;
  /** Whether it is owned as a whole. */
  readonly isAtomic: boolean;
}

type Facts = Readonly<Record<string, Fact>>;

/** Import names of Go files that are not those of their packages. */
const PACKAGES: Readonly<Record<string, string>> = {
  metav1: 'meta/v1',
  v1: 'core/v1',
  corev1: 'core/v1',
  apiv1: 'core/v1',
  authenticationv1: 'authentication/v1',
};
const SCALARS: Readonly<Record<string, string>> = {
  string: 's',
  bool: 'b',
  int32: 'i',
  int: 'i',
  uint32: 'i',
  int64: 'l',
  float64: 'd',
  byte: 'y',
  uint8: 'y',
  'types.UID': '@types.UID',
  'types.NodeName': 's',
  'resource.Quantity': 'q',
  'meta/v1.Time': 't',
  'meta/v1.MicroTime': 'u',
  'meta/v1.Duration': 's',
  'intstr.IntOrString': 'x',
  'runtime.RawExtension': 'r',
  'runtime.Object': 'r',
  'meta/v1.FieldsV1': 'r',
  'apiextensions/v1.JSON': 'r',
};

/** Structs without fields, which the facts leave out; that they are there says something all the same. */
const WITHOUT_FIELDS: Facts = { 'apiextensions/v1.CustomResourceSubresourceStatus': { fields: [] } };

/** The types by key, such as `core/v1.Pod`. */
export function readGoTypes(facts: unknown): ReadonlyMap<string, GoType> {
  const table = { ...(facts as Facts), ...WITHOUT_FIELDS };
  return new Map(Object.keys(table).map((key) => [key, goType(table, key)]));
}

function goType(facts: Facts, key: string): GoType {
  const all = flatFields(facts, key);
  const uses: string[] = [];
  const home = packageOf(key);
  const fields = all.map(({ field, home: own, within }) => {
    const type = typeText(facts, field.go, own, uses);
    const shown = type.replaceAll(`${home}.`, '');
    return [field.json, shown, [...within, field.pb ?? 0].join('.'), flagsOf(field)].join(':').replace(/:$/, '');
  });
  const names = new Set(all.map(({ field }) => field.json));
  return {
    fields,
    uses,
    isKind: names.has('kind') && names.has('metadata'),
    isAtomic: facts[key]?.structType === 'atomic',
  };
}

interface Placed {
  readonly field: FactField;
  readonly home: string;
  /** Numbers of the messages in which protobuf has it: embedded structs are messages of their own there. */
  readonly within: readonly number[];
}

/** Embedded structs have their fields where they are embedded. */
function flatFields(facts: Facts, key: string): readonly Placed[] {
  const home = packageOf(key);
  return (facts[key]?.fields ?? []).flatMap((field): readonly Placed[] => {
    if (field.json === '-') return [];
    if (field.json !== '') return [{ field, home, within: [] }];
    if (field.go.endsWith('TypeMeta')) {
      return ['apiVersion', 'kind'].map((json) => ({
        field: { json, go: 'string', omitempty: true },
        home,
        within: [],
      }));
    }
    const outer = field.pb === undefined ? [] : [field.pb];
    return flatFields(facts, keyOf(field.go, home)).map((each) => ({ ...each, within: [...outer, ...each.within] }));
  });
}

function packageOf(key: string): string {
  return key.slice(0, key.lastIndexOf('.'));
}

function keyOf(go: string, home: string): string {
  const name = go.replace(/^\*/, '');
  const [prefix = '', rest] = name.split('.');
  if (rest === undefined) return `${home}.${name}`;
  return `${PACKAGES[prefix] ?? prefix}.${rest}`;
}

/** `*T` pointers, `[]T` lists, `{}T` maps; scalars are letters, named texts `@Name`, structs their key. */
function typeText(facts: Facts, go: string, home: string, uses: string[]): string {
  if (go.startsWith('*')) return `*${typeText(facts, go.slice(1), home, uses)}`;
  if (go === '[]byte') return 'y';
  if (go.startsWith('[]')) return `[]${typeText(facts, go.slice(2), home, uses)}`;
  const map = /^map\[[^\]]+\](.+)$/.exec(go)?.[1];
  if (map !== undefined) return `{}${typeText(facts, map, home, uses)}`;
  const key = keyOf(go, home);
  const scalar = SCALARS[go] ?? SCALARS[key];
  if (scalar !== undefined) return scalar;
  const fact = facts[key];
  if (fact?.is !== undefined) {
    const meant = typeText(facts, fact.is, packageOf(key), uses);
    return meant === 's' ? `@${key.slice(key.lastIndexOf('.') + 1)}` : meant;
  }
  if (fact === undefined) return 'r';
  uses.push(key);
  return key;
}

/**
 * `o` omitempty, `!` required though it may be left out, `?` optional though it never is, `m=KEY` patches merge by the key, `m` as sets, `k` keep only named keys, `l=A,B` a list
 * with these keys, `s` a set, `a` atomic.
 */
function flagsOf(field: FactField): string {
  const {
    omitempty,
    required,
    optional,
    patchStrategy = '',
    patchMergeKey,
    listType,
    listMapKey = [],
    default: value,
  } = field;
  const strategies = patchStrategy.split(',');
  const flags = [
    omitempty === true ? 'o' : '',
    required === true && omitempty === true ? '!' : '',
    optional === true && omitempty !== true ? '?' : '',
  ];
  if (strategies.includes('merge')) flags.push(patchMergeKey === undefined ? 'm' : `m=${patchMergeKey}`);
  if (strategies.includes('retainKeys')) flags.push('k');
  if (listType === 'map') flags.push(`l=${listMapKey.join(',')}`);
  if (listType === 'set') flags.push('s');
  if (field.mapType === 'atomic' || field.structType === 'atomic' || listType === 'atomic') flags.push('a');
  if (field.structType === 'granular') flags.push('g');
  if (value !== undefined) flags.push(`d=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return flags.filter((flag) => flag !== '').join(';');
}
